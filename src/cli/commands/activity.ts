import { listActivity, type ShownActivity } from '../../control/activity/list.ts';
import { activityVerbs } from '../../ledger/activity/activity.ts';
import { oneOf } from '../closed-lists.ts';
import { type Cli, type Command, given, topCommand } from '../command-io.ts';
import { listing } from '../reporting.ts';
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
};

export function activityCommand(cli: Cli): Command {
  const made = topCommand(
    'activity',
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
    .option('--limit <n>', 'only the newest n (default: all)');
  return listing(cli, made, {
    async read({ ledger }, page, { who, verb, subject, campaign, since, until, limit }: Flags) {
      const filter = given({ who, verb, subject, campaign, since, until });
      if (limit === undefined) return listActivity(ledger, { ...filter, ...page });
      const { items } = await listActivity(ledger, { ...filter, limit });
      return { items, next: null };
    },
    none: 'No activity matches.',
    draw: lineOf,
  });
}

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
