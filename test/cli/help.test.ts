import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, describe, expect, it } from 'vitest';
import { createCli, wordsOf } from '../../src/cli/command-io.ts';
import { createProgram, showHelp } from '../../src/cli/program.ts';
import { carillon } from './child.ts';

/** The program's words on its commands, without loading them. */
const { stdin, stdout, stderr } = process;
const listed = async (args?: string[]) => {
  const cli = createCli({ stdin, stdout, stderr, env: {}, cwd: tmpdir() });
  return (await createProgram(cli, args)).helpInformation();
};

describe('the list of commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-help-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is the same whether the commands are loaded or not', async () => {
    const all = await listed();
    for (const args of [[], ['--help'], ['-h'], ['help'], ['nonsense']]) expect(await listed(args)).toBe(all);
  });

  it('loads no command, and neither does the answer to a mistyped one', async () => {
    const answers = await Promise.all([['--help'], ['rnu'], ['help']].map(start));
    expect(answers.map(({ code }) => code)).toEqual([0, 2, 0]);
    expect(answers[0]!.text).toContain('Check every dependency, key and setting');
    expect(answers[1]!.text).toContain("unknown command 'rnu' (Did you mean run?)");
    expect(answers[2]!.text).toBe(answers[0]!.text);
    const urls = readdirSync(folder).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        result: { url: string }[];
      };
      return result.map(({ url }) => url);
    });
    expect(urls.filter((url) => url.endsWith('/program/main.js'))).toHaveLength(3);
    // Each file of the program names the sources that are in it.
    const files = [...new Set(urls.filter((url) => url.includes('/dist/program/')))];
    const sources = files.flatMap(
      (url) => readFileSync(new URL(url), 'utf8').match(/^\/\/ (?:src|node_modules)\/.*/gm) ?? [],
    );
    expect(sources).toContain('// src/cli/program.ts');
    expect(sources.join('\n')).toContain('node_modules/commander/');
    expect(sources.filter((source) => /\/cli\/commands\/|\/app\.ts/.test(source))).toEqual([]);
    expect(sources.filter((source) => /node_modules\/(bullmq|pg)\//.test(source))).toEqual([]);
  });

  it('is in groups, each of which has its commands next to each other', async () => {
    const text = await listed();
    const heads = [...text.matchAll(/^([A-Z][\w -]+):$/gm)].map((head) => head[1]);
    expect(heads).toEqual([
      'Options',
      'Run',
      'Campaigns',
      'People',
      'Keys and service',
      'Set-up',
      'Operating',
    ]);
    expect(text).toMatch(/^Campaigns:\n {2}campaign .*[\s\S]*^ {2}unknown .*[\s\S]*^People:$/m);
  });

  it('still shows one command, with its options', async () => {
    const [own, asked] = [await listed(['run']), await listed(['help', 'run'])];
    expect(own).toBe(asked);
    expect((await start(['help', 'run'])).text).toContain('--agent');
  });

  it('shows a command by all of its words, and says which of them does not exist', async () => {
    const [own, asked, wrong, group] = await Promise.all(
      [
        ['campaign', 'export', '--help'],
        ['help', 'campaign', 'export'],
        ['help', 'campaign', 'exprot'],
        ['help', 'campaign'],
      ].map(start),
    );
    expect(own!.text).toContain('Usage: carillon campaign export [options] <name>');
    expect(asked).toEqual(own);
    expect(group!.text).toContain('Usage: carillon campaign <command>');
    expect(wrong!.code).toBe(2);
    expect(wrong!.text).toMatch(
      /^carillon: campaign has no command "exprot" \(Did you mean export\?\); it has .*\n$/,
    );
    const nothing = await start(['help', 'rnu']);
    expect(nothing).toMatchObject({ code: 2, text: expect.stringContaining('(Did you mean run?)') });
  });

  it('shows the help of every command that there is', async () => {
    const all = await createProgram(createCli({ stdin, stdout, stderr, env: {}, cwd: tmpdir() }));
    const shown: string[] = [];
    const everyOne = (command: Command): Command[] => [command, ...command.commands.flatMap(everyOne)];
    for (const command of everyOne(all)) {
      command.configureOutput({ writeOut: (text) => shown.push(text) });
      showHelp(all, wordsOf(command).slice(1));
      expect(shown.join('')).toContain(`Usage: ${wordsOf(command).join(' ')} `);
      shown.length = 0;
    }
  });

  function start(args: string[]): Promise<{ code: unknown; text: string }> {
    const env = { PATH: process.env.PATH, NODE_V8_COVERAGE: folder };
    return new Promise((resolve) => {
      execFile(process.execPath, [carillon, ...args], { env }, (error, out, err) =>
        resolve({ code: error?.code ?? 0, text: `${out}${err}` }),
      );
    });
  }
});
