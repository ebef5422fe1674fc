import { type Command, Option } from 'commander';
import { type OrderInput, orderFields } from '../control/order/order.ts';
import { flags } from '../control/order/term.ts';
import { readJsonFile } from '../intake/json-file.ts';
import { oneOf } from './closed-lists.ts';

/** The options of a campaign's order on the command line. They and the fields of a request's body are one list. */
type Name = keyof typeof orderFields;

const options = (Object.keys(orderFields) as Name[]).map((name) => {
  const { flag, help, many, file, values } = flags.get(orderFields[name])!;
  const option = values ? oneOf(flag, help, values) : new Option(flag, help);
  if (many) option.argParser((value: string, before: string[] = []) => [...before, value]);
  return { name, option, file };
});

export function addOrderFlags(command: Command): Command {
  for (const { option } of options) command.addOption(option);
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
