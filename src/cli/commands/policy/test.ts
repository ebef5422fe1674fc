import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { readPolicyFile } from '../../../control/policies/file.ts';
import { listPacks, outdatedRemedy, outdatedText } from '../../../control/policies/packs.ts';
import { type TestedPolicy, testPolicy, withHistory } from '../../../control/policies/test.ts';
import { readPolicy } from '../../../rules/policy/policy.ts';
import { type Cli, command, pathOf, required } from '../../command-io.ts';
import { tableLines, timeText } from '../../terminal/table.ts';

/** `carillon policy check`, `list` and `test`: tries contact rules before they are in force. */
export function policyCheckCommand(cli: Cli): Command {
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

export function policyListCommand(cli: Cli): Command {
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
        const lines = rows.map((row) => [
          row.area,
          `${row.hours}${row.no_holidays ? ', not on holidays' : ''}`,
          row.from ?? '',
          row.until ?? '',
          row.as_of,
          `${row.citation}${row.note ? `; ${row.note}` : ''}`,
        ]);
        for (const line of tableLines(
          ['AREA', 'HOURS', 'FROM', 'UNTIL', 'AS OF', 'SOURCE'],
          lines,
          cli.width(),
        ))
          cli.out(line);
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

export function policyTestCommand(cli: Cli): Command {
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
    .action(async (flags: TestFlags) => {
      const { phone, at, state, timezone } = flags;
      const asked = { phone: required(phone, '--phone <number>'), at: required(at, '--at <time>') };
      const given = {
        ...asked,
        ...(state === undefined ? {} : { state }),
        ...(timezone === undefined ? {} : { timezone }),
      };
      const { answer, why, source } = await testedBy(cli, flags.policy, given);
      if (flags.json) return cli.json(answer);
      const until = answer.until ? ` until ${timeText(answer.until)}` : '';
      if (answer.allowed) return cli.out(`Allowed${until}.`);
      cli.out(`Not allowed${until}: ${why}.`);
      if (source) cli.out(`Source: ${source}`);
    });
}

/** Tests by a file if there is one, else by the rules in force; includes the phone's calls if there is a ledger. */
async function testedBy(cli: Cli, file: string | undefined, given: object): Promise<TestedPolicy> {
  const { policyPath, databaseUrl, home } = cli.config();
  const path = file === undefined ? policyPath : pathOf(cli, file);
  const policy = path === undefined ? null : readPolicy(readPolicyFile(path).body);
  // A wrong question is reported before a ledger is opened.
  const tested = testPolicy(policy, given);
  if (path !== undefined && !databaseUrl && !existsSync(join(home, 'ledger'))) return tested;
  return cli.withLedger(async ({ ledger }) => {
    await ledger.policies.refresh();
    const rules = path === undefined ? ledger.policyInForce() : policy;
    return withHistory(ledger, rules, testPolicy(rules, given));
  });
}
