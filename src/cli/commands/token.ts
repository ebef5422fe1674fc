import { roles } from '../../base/actor.ts';
import { listActivity, type ShownActivity } from '../../control/activity/list.ts';
import { createToken, listTokens, revokeToken, type ShownToken } from '../../control/tokens/manage.ts';
import { activityVerbs } from '../../ledger/activity/activity.ts';
import { oneOf } from '../closed-lists.ts';
import { type Cli, type Command, given, group, required } from '../command-io.ts';
import { listing, onLedger } from '../reporting.ts';
import { timeCell, timeText } from '../terminal/table.ts';

/** `carillon token`: who may use the API, and for what. */
export function tokenCommand(cli: Cli): Command {
  return group('token', 'carillon token create --name reporting --role read', [
    onLedger(cli, {
      name: 'create',
      does: 'Make a token for the API. It is shown once.',
      example: 'carillon token create --name reporting --role read --ends 90d',
      takes: [
        ['--name <name>', 'the name by which it is listed and revoked (required)'],
        ['--person <name>', 'its owner, as the activity shows it (default: the token’s name)'],
        oneOf('--role <role>', 'what it may do', roles),
        ['--ends <time>', 'when it stops working: a time, a date, or a span such as 90d (default: never)'],
      ],
      find: async (opened, flags: Flags) => (await createToken(opened, bodyOf(flags))).answer,
      check: ([flags]) => bodyOf(flags),
      tell({ token, name, role, ends_at: end }) {
        cli.out(token);
        const until = end === null ? '' : ` until ${timeText(end)}`;
        cli.note(`${name} may ${mays[role]}${until}. The token is not shown again.`);
      },
    }),
    listing(cli, {
      name: 'list',
      does: 'List the tokens, with their roles and last use.',
      example: 'carillon token list',
      read: ({ ledger }, page) => listTokens(ledger, page),
      none: 'There are no tokens. Make one with `carillon token create`.',
      columns: {
        NAME: ({ name }) => name,
        PERSON: ({ person }) => person,
        ROLE: ({ role }) => role,
        ENDS: ({ ends_at: end }) => timeCell(end, 'never'),
        'LAST USED': ({ used_at: used }) => timeCell(used, 'never'),
        MADE: ({ made_at: at, made_by: by }) => `${timeText(at)} by ${by}`,
      },
    }),
    onLedger(cli, {
      name: 'revoke',
      does: 'Revoke a token: it stops working in every process within seconds.',
      example: 'carillon token revoke reporting',
      takes: [['<name>', 'the token’s name, or its id']],
      find: ({ ledger }, name: string) => revokeToken(ledger, name),
      tell: ({ name }) => `The token ${name} is revoked.`,
    }),
  ]);
}

type Flags = { name?: string; person?: string; role?: string; ends?: string };

function bodyOf(flags: Flags) {
  const { name, person, role, ends } = given(flags);
  return { name: required(name, '--name'), person, role: required(role, '--role'), ends };
}

/** What each role may do, in a few words. */
const mays: Record<ShownToken['role'], string> = {
  read: 'read campaigns, keys and reports, but no people',
  read_people: 'read campaigns, people and results',
  operate: 'read people and results, call people and change what is called',
  admin: 'do everything, and make tokens',
};

/** `carillon activity`: who changed what, from where and when. */
type ActivityFlags = {
  who?: string;
  verb?: string;
  subject?: string;
  campaign?: string;
  since?: string;
  until?: string;
  limit?: string;
};

export function activityCommand(cli: Cli): Command {
  return listing(cli, {
    name: 'activity',
    example:
      'carillon activity --campaign march\ncarillon activity --who reporting --since 2026-03-01T00:00:00Z --json',
    takes: [
      ['--who <name>', 'only changes by this token; `cli` is the command line'],
      oneOf(
        '--verb <verb>',
        'only this verb, such as campaign.pause; a first word, such as campaign, means all of its verbs',
        [...new Set(activityVerbs.flatMap((verb) => [verb.split('.')[0]!, verb]))],
      ),
      ['--subject <id>', 'only changes of the thing with this id'],
      ['--campaign <name>', 'only changes of this campaign, by name or id'],
      ['--since <time>', 'only from this time on'],
      ['--until <time>', 'only before this time'],
      ['--limit <n>', 'only the newest n (default: all)'],
    ],
    async read({ ledger }, page, { who, verb, subject, campaign, since, until, limit }: ActivityFlags) {
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
