import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCli } from '../../src/cli/command-io.ts';
import { positionsOf, type TypedPosition } from '../../src/cli/completion/positions.ts';
import { createProgram } from '../../src/cli/program.ts';
import { canUseShell, offers, type Shell } from '../support/shells.ts';
import { typeLine } from './terminal.ts';

/** The shells themselves are asked: each loads the script that the command prints, and says what a tab would offer. */
const folder = mkdtempSync(join(tmpdir(), 'carillon-completion-'));
let positions: TypedPosition[];

beforeAll(async () => {
  mkdirSync(join(folder, 'position'));
  mkdirSync(join(folder, 'position', 'folder'));
  writeFileSync(join(folder, 'position', 'with space.csv'), '');
  const { stdin, stdout, stderr } = process;
  positions = positionsOf(await createProgram(createCli({ stdin, stdout, stderr, env: {}, cwd: folder })));
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(folder, shell), (await typed(`completion ${shell}`)).out);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const typed = (line: string) => typeLine(line, {}, folder);

const ask = (shell: Shell, lines: string[]) =>
  offers[shell](join(folder, shell), lines, join(folder, 'position')).map((items) =>
    // Where a value is part of a longer word, some shells offer the word.
    items.map((item) => item.replace(/^.*[,=]/, '')),
  );
const shells = ['bash', 'zsh', 'fish'] as const;
const everything = ['folder', 'with space.csv'];

describe('carillon completion', () => {
  it('knows every command, option and value that there is, in bash', () => {
    const asked: [line: string, offered: string[]][] = positions.flatMap(({ path, commands, options }) => [
      ...(commands.length > 0
        ? [[`carillon ${path} `, commands.map(({ name }) => name)] as [string, string[]]]
        : []),
      [`carillon ${path} -`, options.flatMap(({ names }) => names)],
      ...options
        .filter(({ takes }) => takes !== null)
        .map(({ names, takes }): [string, string[]] => [
          `carillon ${path} ${names.at(-1)} `,
          takes === 'file' ? everything : typeof takes === 'object' ? [...takes!.values] : [],
        ]),
    ]);
    expect(asked.length).toBeGreaterThan(200);
    const offered = ask(
      'bash',
      asked.map(([line]) => line.replace(/ +/g, ' ')),
    );
    expect(asked.map(([line], at) => [line, offered[at]])).toEqual(
      asked.map(([line, names]) => [line, [...names].sort()]),
    );
  });

  describe.each(shells)('in %s', (shell) => {
    it.skipIf(!canUseShell(shell))('completes what is typed so far', () => {
      const asked: [string, string[]][] = [
        ['carillon ca', ['call', 'campaign']],
        ['carillon campaign sh', ['show']],
        ['carillon help campaign exp', ['export']],
        ['carillon keys --json res', ['resume']],
        ['carillon campaign export march --att', ['--attempts']],
        ['carillon run people.csv --on-402 ', ['exit', 'wait']],
        ['carillon run --retry-when=sp', ['spread']],
        ['carillon campaign export march --state waiting,d', ['done']],
        ['carillon completion z', ['zsh']],
        ['carillon run wi', ['with space.csv']],
        ['carillon campaign add march wi', ['with space.csv']],
        ['carillon run people.csv --override wi', ['with space.csv']],
        ['carillon backup fo', ['folder']],
        ['carillon campaign zzz', []],
      ];
      const offered = ask(
        shell,
        asked.map(([line]) => line),
      );
      expect(
        asked.map(([line], at) => [line, offered[at]!.map((item) => item.replaceAll('\\', ''))]),
      ).toEqual(asked);
    });
  });

  it('names the nearest shell for one that it does not know', async () => {
    const { code, out, err } = await typed('completion fihs');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('It must be bash, zsh or fish (Did you mean fish?)');
  });
});
