import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { listPacks, outdatedRemedy, outdatedText } from '../../control/policies/packs.ts';
import { readPolicyFile, setPolicy, showPolicy } from '../../control/policies/set.ts';
import { type TestedPolicy, testPolicy, withHistory } from '../../control/policies/test.ts';
import { readPolicy } from '../../rules/policy/policy.ts';
import { type Cli, type Command, command, group, pathOf, required } from '../command-io.ts';
import { onLedger } from '../reporting.ts';
import { type Columns, tableOf, timeText } from '../terminal/table.ts';

/** `carillon policy`: the contact rules of every campaign and single call, shown, set, and tried before they hold. */
export function policyCommand(cli: Cli): Command {
  return group('policy', 'carillon policy show', [
    onLedger(cli, {
      name: 'show',
      does: 'Show the contact rules in force.',
      example: 'carillon policy show\ncarillon policy show --json',
      find: ({ ledger }) => showPolicy(ledger),
      tell({ version, source, since, body }) {
        if (version === null) return 'No contact rules were ever set.';
        const from = source === 'file' ? 'a file' : 'the API';
        return [
          `Version ${version}, from ${from}, since ${timeText(since!)}:`,
          JSON.stringify(body, null, 2),
        ];
      },
    }),
    onLedger(cli, {
      name: 'set',
      does: 'Put contact rules in force for every campaign and single call, from the next call on.',
      example: "carillon policy set rules.json\necho '{}' > none.json && carillon policy set none.json",
      takes: [['<file>', 'a JSON file of contact rules; {} switches all of them off']],
      find: (opened, file: string) => setPolicy(opened, readPolicyFile(pathOf(cli, file)).body),
      tell: ({ version }) => `Version ${version} of the contact rules is in force.`,
    }),
    checkCommand(cli),
    listCommand(cli),
    testCommand(cli),
  ]);
}

function checkCommand(cli: Cli): Command {
  return command(
    'check',
    'Check a file of contact rules; nothing is changed.',
    'carillon policy check rules.json',
  )
    .argument('<file>', 'a JSON file of contact rules')
    .option('--json', 'print one JSON document')
    .action((file: string, options: { json?: true }) => {
      const { body } = readPolicyFile(pathOf(cli, file));
      if (options.json) return cli.json({ valid: true, body });
      cli.out(`The contact rules of ${file} are valid.`);
    });
}

type PackRow = ReturnType<typeof listPacks>['items'][number]['rows'][number];

const packColumns: Columns<PackRow> = {
  AREA: ({ area }) => area,
  HOURS: ({ hours, no_holidays: none }) => `${hours}${none ? ', not on holidays' : ''}`,
  FROM: ({ from }) => from,
  UNTIL: ({ until }) => until,
  'AS OF': ({ as_of: asOf }) => asOf,
  SOURCE: ({ citation, note }) => `${citation}${note ? `; ${note}` : ''}`,
};

function listCommand(cli: Cli): Command {
  return command(
    'list',
    'List the packs of hours and their rows. They are not legal advice; none holds until a policy names it.',
    'carillon policy list\ncarillon policy list --json',
  )
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) => {
      const packs = listPacks(systemClock.now());
      if (options.json) return cli.json(packs);
      for (const { name, title, as_of, rows } of packs.items) {
        cli.out(`${name}: ${title}, as of ${as_of}`);
        for (const line of tableOf(packColumns, rows, cli.width())) cli.out(line);
      }
      const old = packs.items.filter(({ outdated }) => outdated).map(({ name }) => name);
      if (old.length > 0) cli.note(`carillon: ${outdatedText(old)}. ${outdatedRemedy}`);
      cli.out('Not legal advice. A pack holds only when a policy names it in "hours".');
    });
}

type TestFlags = {
  phone?: string;
  at?: string;
  state?: string;
  timezone?: string;
  policy?: string;
  json?: true;
};

function testCommand(cli: Cli): Command {
  return command(
    'test',
    'Say whether the contact rules allow a call to a phone at a time, given its earlier calls.',
    'carillon policy test --phone +14155550123 --at 2026-12-01T20:00:00-08:00\ncarillon policy test --phone +12145550123 --at 2026-12-06T11:00 --timezone America/Chicago --state TX --policy rules.json',
  )
    .option('--phone <number>', 'the phone, as +14155550123')
    .option('--at <time>', 'when: 2026-12-01T09:00:00Z, or 2026-12-01T09:00 with --timezone')
    .option('--state <code>', 'the person’s state, such as TX (default: those of the area code)')
    .option('--timezone <zone>', 'the person’s time zone (default: those of the number’s prefix)')
    .option('--policy <file>', 'a file of contact rules (default: CARILLON_POLICY, else those in force)')
    .option('--json', 'print one JSON document')
    .action(async ({ phone, at, state, timezone, policy, json }: TestFlags) => {
      const asked = {
        phone: required(phone, '--phone <number>'),
        at: required(at, '--at <time>'),
        ...(state !== undefined && { state }),
        ...(timezone !== undefined && { timezone }),
      };
      const { answer, why, source } = await testedBy(cli, policy, asked);
      if (json) return cli.json(answer);
      const until = answer.until ? ` until ${timeText(answer.until)}` : '';
      if (answer.allowed) return cli.out(`Allowed${until}.`);
      cli.out(`Not allowed${until}: ${why}.`);
      if (source) cli.out(`Source: ${source}`);
    });
}

/** Tests by a file if there is one, else by the rules in force; includes the phone's calls if there is a ledger. */
async function testedBy(cli: Cli, file: string | undefined, asked: object): Promise<TestedPolicy> {
  const { policyPath, databaseUrl, home } = cli.config();
  const path = file === undefined ? policyPath : pathOf(cli, file);
  const policy = path === undefined ? null : readPolicy(readPolicyFile(path).body);
  // A wrong question is reported before a ledger is opened.
  const tested = testPolicy(policy, asked);
  if (path !== undefined && !databaseUrl && !existsSync(join(home, 'ledger'))) return tested;
  return cli.withLedger(async ({ ledger }) => {
    await ledger.policies.refresh();
    const rules = path === undefined ? ledger.policyInForce() : policy;
    return withHistory(ledger, rules, testPolicy(rules, asked));
  });
}
