import type { Command } from 'commander';
import { CarillonError } from '../../base/errors.ts';
import { restNumber, returnNumber } from '../../control/numbers/rest.ts';
import { type ShownNumber, showNumbers } from '../../control/numbers/show.ts';
import { type Cli, command } from '../command-io.ts';
import { summaries } from '../command-summaries.ts';
import { noCommand } from '../group.ts';
import { tableLines, timeText } from '../terminal/table.ts';

/** `carillon numbers`: the numbers that each key can call from, and which rest. */
export function numbersCommand(cli: Cli): Command {
  const numbers = command(
    'numbers',
    summaries.numbers.does,
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
          for (const line of drawNumbers(found.items, cli.width())) cli.out(line);
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
        (number) => [`No campaign calls from ${number} until: carillon numbers return ${number}`],
      ),
    )
    .addCommand(
      act(
        cli,
        'return',
        'Return a number that rests: campaigns call from it again.',
        returnNumber,
        (number, was) => [was === null ? `${number} did not rest.` : `Campaigns call from ${number} again.`],
      ),
    );
}

function act(
  cli: Cli,
  name: 'rest' | 'return',
  does: string,
  verb: typeof restNumber,
  tell: (number: string, was: string | null) => string[],
): Command {
  return command(name, does, `carillon numbers ${name} +14155550100`)
    .argument('<number>', 'the number in E.164, or its id at the service')
    .option('--json', 'print one JSON document')
    .action((number: string, _options: object, self: Command) =>
      cli.withApp(async (app) => {
        const done = await verb(app.service({ note: cli.note }), number);
        // `numbers` has --json too, and takes it from any position.
        if (self.optsWithGlobals<{ json?: true }>().json) return cli.json(done);
        for (const line of tell(done.phone_number, done.was)) cli.out(line);
      }),
    );
}

function drawNumbers(numbers: readonly ShownNumber[], width: number): string[] {
  return tableLines(
    ['NUMBER', 'ID', 'LABEL', 'KEY', 'CALLS', 'ANSWERED', 'AT ONCE', '24 H', 'RESTS'],
    numbers.map((number) => [
      number.phone_number,
      number.id,
      wordOf(number.label ?? number.name),
      number.key,
      number.calls,
      number.answer_rate === null ? null : `${Math.round(number.answer_rate * 100)} %`,
      number.at_once,
      number.calls_24h,
      restWords(number),
    ]),
    width,
  );
}

function restWords({ rest, returns_at }: Pick<ShownNumber, 'rest' | 'returns_at'>): string | null {
  if (rest === null) return null;
  const why = { hand: 'by hand', answers: 'answered less', short: 'short calls' }[rest];
  return returns_at ? `${why}, until ${timeText(returns_at)}` : why;
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
