import { tmpdir } from 'node:os';
import type { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { choicesOf } from '../../src/cli/closed-lists.ts';
import { createCli, wordsOf } from '../../src/cli/command-io.ts';
import { createProgram } from '../../src/cli/program.ts';
import { typeLine } from './terminal.ts';

/** Words that were mistyped: each is answered with the nearest that exists, and with exit 2. */
const { stdin, stdout, stderr } = process;
const typed = (line: string) => typeLine(line, { VOICE_API_KEYS: 'a=b' }, tmpdir());
const program = await createProgram(createCli({ stdin, stdout, stderr, env: {}, cwd: tmpdir() }));
const everyOne = (command: Command): Command[] => [command, ...command.commands.flatMap(everyOne)];
const closed = everyOne(program).flatMap((command) =>
  command.options
    .filter((option) => choicesOf(option))
    .map((option): [string, Command, Option] => [
      [...wordsOf(command), option.long].slice(1).join(' '),
      command,
      option,
    ]),
);

describe('a mistyped value', () => {
  it.each(closed)('is answered with the nearest: %s', (_, command, option) => {
    const { values, many } = choicesOf(option)!;
    const meant = [...values].sort((a, b) => b.length - a.length)[0]!;
    const wrong = `${meant.slice(0, 1)}${meant.slice(2)}`;
    const read = (text: string) => option.parseArg!(text, undefined);
    expect(() => read(wrong)).toThrow(new RegExp(`Did you mean (one of .*)?${meant}\\b`));
    expect(read(meant)).toBe(meant);
    if (many) {
      expect(read(values.join(','))).toBe(values.join(','));
      expect(() => read(`${values[0]},${wrong}`)).toThrow(`"${wrong}" is not one of`);
    }
    // An option that a script left empty was not given.
    expect(read('')).toBeUndefined();
    if (values.length <= 12)
      for (const value of values) expect(command.createHelp().optionDescription(option)).toContain(value);
  });

  it('is one line, and nothing is done', async () => {
    expect(await typed('campaign retry march --outcome noanswer')).toMatchObject({
      code: 2,
      out: '',
      err:
        "carillon: option '--outcome <outcomes>' argument 'noanswer' is invalid. \"noanswer\" is not one of " +
        'answered, voicemail, no-answer, busy, failed, canceled or dropped (Did you mean no-answer?). ' +
        'Run the command with --help to see what it takes.\n',
    });
    expect((await typed('run x.csv --agent a --on-unknown redail')).err).toContain('(Did you mean redial?)');
  });

  it('of which nothing is near is answered with all that there are', async () => {
    const { err } = await typed('run x.csv --agent a --on-402 whatever');
    expect(err).toContain('It must be wait or exit.');
    expect(err).not.toContain('Did you mean');
  });
});

describe('a mistyped command', () => {
  it('is answered with the nearest of its group', async () => {
    expect(await typed('campaign shw')).toMatchObject({ code: 2, out: '' });
    expect((await typed('campaign shw')).err).toMatch(
      /^carillon: campaign has no command "shw" \(Did you mean show\?\); it has create, .*\n$/,
    );
    expect((await typed('keys resme default')).err).toContain('(Did you mean resume?)');
    expect((await typed('campaign')).err).toContain('campaign needs a command; it has');
  });
});
