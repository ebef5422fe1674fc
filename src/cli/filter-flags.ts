import type { Command } from 'commander';
import { recipientStates } from '../ledger/states.ts';
import { outcomes } from '../voice/outcomes.ts';
import { someOf } from './closed-lists.ts';
import { given } from './command-io.ts';

/** The filter as options of a command. */
export type BulkFlags = {
  campaign?: string;
  phone?: string[];
  country?: string;
  state?: string;
  outcome?: string;
  key?: string;
  from?: string;
  since?: string;
  before?: string;
  variable?: string[];
  dryRun?: true;
  yes?: true;
  quiet?: true;
  json?: true;
};

const several = (value: string, before: string[] = []) => [...before, value];

export function filterFlags(command: Command): Command {
  return command
    .option('--campaign <name>', 'only people of this campaign, by name or id')
    .option('--phone <phone>', 'only people with this phone; may be given several times', several)
    .option('--country <code>', 'country of numbers in national form, such as US')
    .addOption(
      someOf('--state <states>', 'only people in these states, such as waiting,parked', recipientStates),
    )
    .addOption(
      someOf('--outcome <outcomes>', 'only people with these outcomes, such as no-answer,busy', outcomes),
    )
    .option('--key <name>', 'only people with an attempt on this key')
    .option('--from <number>', 'only people with an attempt from this caller number, or its id')
    .option('--since <time>', 'only people whose row changed since then, such as 2026-03-01T09:00:00Z')
    .option('--before <time>', 'only people whose row last changed before then')
    .option('--variable <name:value>', 'only people with this variable; may be given several times', several);
}

/** The filter as the API takes it. */
export function filterOf({
  before,
  dryRun: _,
  yes: __,
  quiet: ___,
  json: ____,
  ...flags
}: BulkFlags): object {
  return given({ ...flags, ...(before === undefined ? {} : { until: before }) });
}
