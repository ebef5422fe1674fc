import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCli, wordsOf } from '../../src/cli/command-io.ts';
import { createProgram } from '../../src/cli/program.ts';
import { makeCampaign, useTerminal } from './terminal.ts';

/** A search that finds nobody has its answer, and exits with 0; naming what does not exist is a mistake, and exits with 2. */
const id = '01a2098c-03c6-791b-8d11-9a0cb5ddf4ff';
const phone = '+14155550999';

/** Each names a campaign, a person, a call, a key or a file that does not exist. */
const naming = [
  'campaign start nope',
  'campaign show nope',
  'campaign pause nope',
  'campaign resume nope',
  'campaign cancel nope --yes',
  'campaign export nope',
  'campaign forecast nope',
  'campaign first nope',
  'campaign refresh nope',
  'campaign retry nope --outcome busy',
  'campaign add nope people.csv',
  'campaign clone nope april',
  'campaign rename nope april',
  'campaign delete nope --yes',
  `campaign change-person nope ${phone} --name x`,
  `campaign change-person march ${phone} --name x`,
  `campaign remove-person march ${phone}`,
  'report nope',
  'unknown list --campaign nope',
  `unknown resolve ${id} --as called`,
  'unknown resolve --campaign nope --as not-called --yes',
  ...['retry', 'skip', 'suppress', 'resolve --as not-called', 'export --out -'].map(
    (act) => `bulk ${act} --campaign nope`,
  ),
  `bulk show ${id}`,
  `bulk stop ${id}`,
  'call show nope',
  'call refresh nope',
  'call update nope --status canceled',
  'call cancel nope',
  `call judge ${id} --as fine`,
  'keys resume nope',
  'numbers rest +14155550999',
  'numbers return nope',
  'keys confirm nope',
  'suppress list --campaign nope',
  `suppress add ${phone} --campaign nope`,
  `suppress remove ${phone} --campaign nope`,
  'suppress import nope.csv',
  'policy set nope.json',
  'policy check nope.json',
  'token revoke nope',
  `webhook test ${id}`,
  `webhook remove ${id}`,
  `webhook replay ${id} --since 1h`,
  `webhook deliveries ${id}`,
  `alert test ${id}`,
  `alert remove ${id}`,
  'activity --campaign nope',
  'run nope.csv --agent a',
];

/** Each asks for people or entries, and there are none. A phone is a value: it need not be anywhere. */
const searching = [
  `find ${phone}`,
  'find nope',
  `find ${id} --json`,
  'unknown list',
  'bulk list',
  'bulk retry --key nope --yes',
  `bulk skip --phone ${phone} --yes`,
  'bulk export --outcome busy --out -',
  `suppress list --phone ${phone}`,
  `suppress remove ${phone}`,
  'suppress export -',
  `erase ${phone} --yes`,
  'activity --who nope',
  'activity --subject nope',
  'webhook list',
  'token list',
  'alert list',
  'alerts',
];

/** These name nothing that could be missing: they make something, or look at the whole. */
const neither = [
  'demo',
  'up',
  'api',
  'worker',
  'sim',
  'mcp',
  'doctor',
  'migrate',
  'completion',
  'audit',
  'numbers',
  'keys',
  'backup',
  'campaign create',
  'campaign list',
  'call create',
  'policy show',
  'policy list',
  'policy test',
  'token create',
  'webhook add',
  'alert add',
  'ledger show',
  'ledger confirm',
  // It names a backup, and needs an embedded ledger: test/embedded has it.
  'restore',
  'service list',
  'service show',
  'service check',
  'service try',
];

const term = useTerminal('file');
beforeAll(async () => {
  await makeCampaign(term.ledger, { name: 'march', baseUrl: term.simulator.url }, 1);
});

describe('a command that names what does not exist', () => {
  it.each(naming)('exits with 2, in one line: %s', async (line) => {
    const typed = await term.type(line);
    expect(typed).toMatchObject({ code: 2, out: '' });
    expect(typed.err).toMatch(/^carillon: .+\n$/);
  });
});

describe('a search that finds nothing', () => {
  it.each(searching)('exits with 0: %s', async (line) => {
    const { code, err } = await term.type(line);
    expect(code, err).toBe(0);
    expect(err).not.toMatch(/^carillon: /);
  });
});

it('every command is in one of these lists', async () => {
  const { stdin, stdout, stderr } = process;
  const program = await createProgram(createCli({ stdin, stdout, stderr, env: {}, cwd: tmpdir() }));
  const everyOne = (command: Command): Command[] => [command, ...command.commands.flatMap(everyOne)];
  const paths = everyOne(program)
    .filter((command) => command.commands.length === 0 || command.name() === 'keys')
    .map((command) => wordsOf(command).slice(1).join(' '));
  const lines = [...naming, ...searching, ...neither];
  expect(paths.filter((path) => !lines.some((line) => `${line} `.startsWith(`${path} `)))).toEqual([]);
});
