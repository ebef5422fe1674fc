import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { findPeople } from '../../control/people/find.ts';
import type { FoundPerson } from '../../control/people/search.ts';
import { type Cli, given, topCommand } from '../command-io.ts';
import { counted } from '../output/summary.ts';
import { eachPage, printItems, printLines } from '../reporting.ts';
import { type Columns, tableOf, timeCell, timeText } from '../terminal/table.ts';

/** `carillon find`: everything that is known of one person, over all campaigns. */
export function findCommand(cli: Cli): Command {
  return topCommand(
    'find',
    'carillon find +14155550123\n' +
      'carillon find "nora cast"\n' +
      'carillon find 415-555-0123 --country US\n' +
      'carillon find 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f --json',
  )
    .argument(
      '[phone|name|call|attempt]',
      'a phone in any form, a part of a phone or a name, the service’s id of a call, or an attempt’s id',
    )
    .option('--id <recipient>', 'a recipient’s id, instead of the above')
    .option('--country <code>', 'country of a number in national form, such as US (default: any)')
    .option('--json', 'print one JSON document')
    .action((ref: string | undefined, typed: { id?: string; country?: string; json?: true }) => {
      const options = given(typed);
      if ((ref === undefined) === (options.id === undefined))
        throw new CarillonError('usage-invalid', 'It is not clear who is meant', {
          remedy:
            'Give a phone, a part of one or of a name, a call’s id or an attempt’s id; or --id with a recipient’s id.',
        });
      return cli.withLedger(async (opened) => {
        const { country, id } = options;
        const read = (page: object) =>
          findPeople(opened, { ...page, ...(ref === undefined ? { id } : { q: ref, country }) });
        if (options.json) return printItems(cli, read);
        let found = 0;
        for await (const items of eachPage(read)) {
          for (const item of items) {
            await printLines(cli, [...(found === 0 ? [] : ['']), ...drawFound(item, cli.width())]);
            found += 1;
          }
        }
        if (found > 0) return;
        cli.out(
          ref === undefined
            ? `No recipient has the id ${options.id}.`
            : `${ref} was not found. Try the phone with its "+" and country code, a part of it or of the name, the service’s id of a call, or an attempt’s id; --id takes a recipient’s.`,
        );
      });
    });
}

function drawFound(person: FoundPerson, width: number): string[] {
  const { campaign, row, phone, phones, name, state, outcome, reason, until, attempts, error } = person;
  const waits =
    reason && state !== 'skipped' ? `, waits: ${reason}${until ? ` until ${timeText(until)}` : ''}` : '';
  const ended = outcome ? ` (${outcome})` : '';
  return [
    `${campaign}, row ${row}: ${phone}${name ? ` ${name}` : ''}`,
    ...(phones === null ? [] : [`  numbers: ${phones.map(numberText).join('; ')}`]),
    `  ${state}${ended}${waits}${error ? `: ${error}` : ''}; recipient ${person.id}, ${counted(attempts.length, 'attempt')}`,
    ...(attempts.length > 0 ? tableOf(columns, attempts, width - 2).map((line) => `  ${line}`) : []),
  ];
}

const numberText = ({ phone, passed }: NonNullable<FoundPerson['phones']>[number]): string =>
  passed === null ? phone : `${phone && `${phone} `}not called: ${passed}`;

const columns: Columns<FoundPerson['attempts'][number]> = {
  '#': ({ number }) => String(number),
  PLANNED: ({ planned_at: at }) => timeCell(at),
  DIALED: ({ dialed_at: at }) => timeCell(at),
  ENDED: ({ ended_at: at }) => timeCell(at),
  STATE: ({ state }) => state,
  OUTCOME: ({ outcome }) => outcome,
  KEY: ({ key }) => key,
  FROM: ({ from }) => from,
  COST: ({ cost }) => (cost === null ? null : String(cost)),
  CALL: ({ call_id: id }) => id,
  ATTEMPT: ({ id }) => id,
};
