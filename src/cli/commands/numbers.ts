import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { restNumber, returnNumber, type ShownNumber, showNumbers } from '../../control/numbers/show.ts';
import { type Cli, noCommand, topCommand } from '../command-io.ts';
import { onApp } from '../reporting.ts';
import { type Columns, tableOf, timeText } from '../terminal/table.ts';

/** `carillon numbers`: the numbers that each key can call from, and which rest. */
export function numbersCommand(cli: Cli): Command {
  const numbers = topCommand(
    'numbers',
    'carillon numbers\ncarillon numbers rest +14155550100\ncarillon numbers --json | jq -r ".items[].phone_number"',
  )
    .option('--json', 'print one JSON document')
    // Without this, commander reports a mistyped `rest` as an excess argument.
    .allowExcessArguments(true)
    .action((options: { json?: true }, self: Command) => {
      if (self.args.length > 0) throw noCommand(self);
      return cli.withApp(async (app) => {
        const found = await showNumbers(app.service({ note: cli.note }));
        if (options.json) cli.json(found);
        else if (found.items.length > 0)
          for (const line of tableOf(columns, found.items, cli.width())) cli.out(line);
        else cli.out('The account has no phone numbers.');
        // Shows what the other keys answered; a key that failed is still a failure.
        const [failed] = found.failed;
        if (failed) throw new CarillonError(failed.code as CarillonError['code'], failed.detail);
      });
    });
  return numbers
    .addCommand(
      act(
        cli,
        'rest',
        'Rest a number: no campaign calls from it until it is returned.',
        restNumber,
        (number) => `No campaign calls from ${number} until: carillon numbers return ${number}`,
      ),
    )
    .addCommand(
      act(
        cli,
        'return',
        'Return a number that rests: campaigns call from it again.',
        returnNumber,
        (number, was) => (was === null ? `${number} did not rest.` : `Campaigns call from ${number} again.`),
      ),
    );
}

function act(
  cli: Cli,
  name: 'rest' | 'return',
  does: string,
  verb: typeof restNumber,
  tell: (number: string, was: string | null) => string,
): Command {
  return onApp(cli, {
    name,
    does,
    example: `carillon numbers ${name} +14155550100`,
    takes: [['<number>', 'the number in E.164, or its id at the service']],
    find: (app, number: string) => verb(app.service({ note: cli.note }), number),
    tell: ({ phone_number: number, was }) => tell(number, was),
  });
}

const columns: Columns<ShownNumber> = {
  NUMBER: ({ phone_number: number }) => number,
  ID: ({ id }) => id,
  LABEL: ({ label, name }) => wordOf(label ?? name),
  KEY: ({ key }) => key,
  CALLS: ({ calls }) => calls,
  ANSWERED: ({ answer_rate: rate }) => (rate === null ? null : `${Math.round(rate * 100)} %`),
  'AT ONCE': ({ at_once: live }) => live,
  '24 H': ({ calls_24h: today }) => today,
  RESTS: restWords,
};

function restWords({ rest, returns_at }: Pick<ShownNumber, 'rest' | 'returns_at'>): string | null {
  if (rest === null) return null;
  const why = { hand: 'by hand', answers: 'answered less', short: 'short calls' }[rest];
  return returns_at ? `${why}, until ${timeText(returns_at)}` : why;
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
