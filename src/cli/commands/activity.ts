import type { Command } from 'commander';
import { listActivity, type ShownActivity } from '../../control/activity/list.ts';
import { activityVerbs } from '../../ledger/activity/activity.ts';
import { oneOf } from '../closed-lists.ts';
import { type Cli, command, given } from '../command-io.ts';
import { summaries } from '../command-summaries.ts';
import { eachPage, printItems, printLines } from '../output/list.ts';
import { timeText } from '../terminal/table.ts';

/** `carillon activity`: who changed what, from where and when. */
type Flags = {
  who?: string;
  verb?: string;
  subject?: string;
  campaign?: string;
  since?: string;
  until?: string;
  limit?: string;
  json?: true;
};

export function activityCommand(cli: Cli): Command {
  return command(
    'activity',
    summaries.activity.does,
    'carillon activity --campaign march\ncarillon activity --who reporting --since 2026-03-01T00:00:00Z --json',
  )
    .option('--who <name>', 'only changes by this token; `cli` is the command line')
    .addOption(
      oneOf(
        '--verb <verb>',
        'only this verb, such as campaign.pause; a first word, such as campaign, means all of its verbs',
        [...new Set(activityVerbs.flatMap((verb) => [verb.split('.')[0]!, verb]))],
      ),
    )
    .option('--subject <id>', 'only changes of the thing with this id')
    .option('--campaign <name>', 'only changes of this campaign, by name or id')
    .option('--since <time>', 'only from this time on')
    .option('--until <time>', 'only before this time')
    .option('--limit <n>', 'only the newest n (default: all)')
    .option('--json', 'print one JSON document')
    .action(({ json, limit, ...flags }: Flags) =>
      cli.withLedger(async ({ ledger }) => {
        const filter = given(flags);
        if (limit !== undefined) {
          const { items } = await listActivity(ledger, { ...filter, limit });
          if (json) return cli.json({ items, next: null });
          if (items.length === 0) return cli.out(nothing);
          return printLines(cli, items.map(lineOf));
        }
        const read = (page: object) => listActivity(ledger, { ...filter, ...page });
        if (json) return printItems(cli, read);
        let found = 0;
        for await (const items of eachPage(read)) {
          found += items.length;
          await printLines(cli, items.map(lineOf));
        }
        if (found === 0) cli.out(nothing);
      }),
    );
}

const nothing = 'No activity matches.';

function lineOf({ at, who, person, address, verb, campaign, subject, before, after }: ShownActivity): string {
  const places = [person === null ? null : who, address].filter(Boolean).join(', ');
  const by = `${person ?? who}${places && ` (${places})`}`;
  const what = [campaign, subject === null || campaign !== null ? null : subject];
  // Spaces allow a line break between its values.
  const json = (each: object) => JSON.stringify(each, null, 1).replace(/\n */g, ' ');
  const change = [before, after].map((each) => (each === null ? '' : json(each)));
  const told = change[0] && change[1] ? `${change[0]} -> ${change[1]}` : `${change[0]}${change[1]}`;
  return [timeText(at), verb.padEnd(18), by, ...what, told].filter((part) => part).join('  ');
}
