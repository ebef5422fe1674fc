import type { Command } from 'commander';
import { forecastCampaign } from '../../../control/campaigns/forecast.ts';
import { type Cli, command } from '../../command-io.ts';
import { forecastWords, limitWords } from '../../output/forecast-words.ts';
import { timeText } from '../../terminal/table.ts';

/** `carillon campaign forecast`: when a campaign will end, also under another order. */
export function forecastCommand(cli: Cli): Command {
  return command(
    'forecast',
    'Forecast when a campaign will end, how many calls it will still make, and what limits it.',
    'carillon campaign forecast march\ncarillon campaign forecast march --with max_calls=40 --with window=09:00-21:00',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .option(
      '--with <field=value>',
      'forecast as if this field of the order had this value; may be given several times',
      (value: string, before: string[] = []) => [...before, value],
    )
    .option('--json', 'print one JSON document')
    .action((name: string, options: { with?: string[]; json?: true }) =>
      cli.withApp(async (app) => {
        const shown = await forecastCampaign(app, name, { with: options.with });
        if (options.json) return cli.json(shown);
        const words = forecastWords(shown, app.clock.now());
        cli.out(`${words[0]!.toUpperCase()}${words.slice(1)}.`);
        const { p10, p50, p90 } = shown.ends_at;
        if (p10 && p50 && p90) {
          cli.out(`Ends ${timeText(p50)}; probably (8 in 10) between ${timeText(p10)} and ${timeText(p90)}.`);
        }
        cli.out(`Limited by ${limitWords(shown)}.`);
      }),
    );
}
