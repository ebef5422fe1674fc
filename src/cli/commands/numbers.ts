import type { Command } from 'commander';
import type { CarillonError } from '../../base/errors.ts';
import { type AskDeps, ask, faultError } from '../../lane/ask.ts';
import type { Lane } from '../../lane/lane.ts';
import type { PhoneNumber } from '../../voice/wire.ts';
import { type Cli, command } from '../cli.ts';
import { tableLines } from '../output/table.ts';

/** `carillon numbers`: the numbers that each key may call from, all pages of them. */
const pageSize = 1_000;

export function numbersCommand(cli: Cli): Command {
  return command(
    'numbers',
    'List the phone numbers of the account behind each key.',
    'carillon numbers\ncarillon numbers --json | jq -r ".numbers[].phone_number"',
  )
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      cli.withApp(async (app) => {
        const found: (PhoneNumber & { key: string })[] = [];
        let fault: CarillonError | null = null;
        for (const lane of app.lanes) {
          const read = await readNumbers(lane, { clock: app.clock, note: cli.note });
          found.push(...read.numbers.map((number) => ({ key: lane.name, ...number })));
          fault ??= read.fault;
        }
        if (options.json) cli.json({ numbers: found });
        else if (found.length > 0) for (const line of drawNumbers(found)) cli.out(line);
        else if (!fault) cli.out('The account has no phone numbers.');
        // What one key could tell is shown; that another could not is still a failure.
        if (fault) throw fault;
      }),
    );
}

async function readNumbers(
  lane: Lane,
  deps: AskDeps,
): Promise<{ numbers: PhoneNumber[]; fault: CarillonError | null }> {
  const numbers = new Map<string, PhoneNumber>();
  for (let offset = 0; ; ) {
    const page = await ask(lane, deps, (client) => client.listNumbers({ limit: pageSize, offset }));
    if (!page.ok) {
      const fault = faultError(page.fault, lane.name, `The numbers of the key ${lane.name} cannot be listed`);
      return { numbers: [...numbers.values()], fault };
    }
    const before = numbers.size;
    for (const number of page.value) numbers.set(number.id, number);
    // Nothing new on a page: the service does not heed the offset and would send it for ever.
    if (page.value.length < pageSize || numbers.size === before)
      return { numbers: [...numbers.values()], fault: null };
    offset += page.value.length;
  }
}

function drawNumbers(numbers: readonly (PhoneNumber & { key: string })[]): string[] {
  return tableLines(
    ['NUMBER', 'ID', 'LABEL', 'COUNTRY', 'PROVIDER', 'VERIFIED', 'KEY'],
    numbers.map((number) => [
      number.phone_number,
      number.id,
      number.label ?? null,
      number.country_code ?? null,
      number.provider ?? null,
      typeof number.is_verified === 'boolean' ? (number.is_verified ? 'yes' : 'no') : null,
      number.key,
    ]),
  );
}
