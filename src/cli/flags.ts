import { type Command, Option } from 'commander';
import { CarillonError } from '../base/errors.ts';
import { type OrderInput, orderFields } from '../control/order/order.ts';
import { flags } from '../control/order/term.ts';
import { readJsonFile } from '../intake/json-values.ts';
import { recipientStates } from '../ledger/states.ts';
import { outcomes } from '../voice/outcomes.ts';
import { oneOf, someOf } from './closed-lists.ts';
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

/** Gathers an option that may be given several times. */
export const several = (value: string, before: string[] = []) => [...before, value];

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

/** The options of a campaign's order on the command line. They and the fields of a request's body are one list. */
type Name = keyof typeof orderFields;

const options = (Object.keys(orderFields) as Name[]).map((name) => {
  const { flag, help, many, file, values } = flags.get(orderFields[name])!;
  const option = values ? oneOf(flag, help, values) : new Option(flag, help);
  if (many) option.argParser(several);
  return { name, option, file };
});

export const orderOptions: readonly Option[] = options.map(({ option }) => option);

export function addOrderFlags(command: Command): Command {
  for (const option of orderOptions) command.addOption(option);
  return command;
}

/** The typed values, by the names of the order's fields. */
export function orderOf(typed: Record<string, unknown>): Partial<OrderInput> {
  const given = options
    .map(({ name, option, file }) => [name, typed[option.attributeName()], file] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value, file]) => [name, file ? readJsonFile(String(value)) : value]);
  return Object.fromEntries(given);
}

/** `--variable name=value`, given several times; an empty value may remove the variable. */
export function readVariables<Empty extends string | null>(
  given: readonly string[],
  empty: Empty,
): Record<string, string | Empty> {
  const pairs = given.map((pair): [string, string | Empty] => {
    const at = pair.indexOf('=');
    if (at > 0) return [pair.slice(0, at).trim(), pair.slice(at + 1) || empty];
    throw new CarillonError('usage-invalid', `--variable does not accept "${pair}"`, {
      remedy: 'Write a name and its value, for example --variable city=Reno.',
    });
  });
  const twice = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) < at);
  if (!twice) return Object.fromEntries(pairs);
  throw new CarillonError('usage-invalid', `--variable names "${twice[0]}" twice`, {
    remedy: 'Give each variable once.',
  });
}
