import { roles } from '../../base/actor.ts';
import { createToken, listTokens, revokeToken, type ShownToken } from '../../control/tokens/manage.ts';
import { oneOf } from '../closed-lists.ts';
import { type Cli, type Command, command, given, required } from '../command-io.ts';
import { group } from '../group.ts';
import { listing, onLedger } from '../reporting.ts';
import { timeCell, timeText } from '../terminal/table.ts';

/** `carillon token`: who may use the API, and for what. */
export function tokenCommand(cli: Cli): Command {
  return group('token', 'carillon token create --name reporting --role read', [
    createCommand(cli),
    listCommand(cli),
    revokeCommand(cli),
  ]);
}

type Flags = { name?: string; person?: string; role?: string; ends?: string };

function createCommand(cli: Cli): Command {
  const made = command(
    'create',
    'Make a token for the API. It is shown once.',
    'carillon token create --name reporting --role read --ends 90d',
  )
    .option('--name <name>', 'the name by which it is listed and revoked (required)')
    .option('--person <name>', 'its owner, as the activity shows it (default: the token’s name)')
    .addOption(oneOf('--role <role>', 'what it may do', roles))
    .option('--ends <time>', 'when it stops working: a time, a date, or a span such as 90d (default: never)');
  return onLedger(cli, made, {
    find: async (opened, flags: Flags) => (await createToken(opened, bodyOf(flags))).answer,
    check: ([flags]) => bodyOf(flags),
    tell({ token, name, role, ends_at: end }) {
      cli.out(token);
      const until = end === null ? '' : ` until ${timeText(end)}`;
      cli.note(`${name} may ${mays[role]}${until}. The token is not shown again.`);
    },
  });
}

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

function listCommand(cli: Cli): Command {
  const made = command('list', 'List the tokens, with their roles and last use.', 'carillon token list');
  return listing(cli, made, {
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
  });
}

function revokeCommand(cli: Cli): Command {
  const made = command(
    'revoke',
    'Revoke a token: it stops working in every process within seconds.',
    'carillon token revoke reporting',
  ).argument('<name>', 'the token’s name, or its id');
  return onLedger(cli, made, {
    find: ({ ledger }, name: string) => revokeToken(ledger, name),
    tell: ({ name }) => `The token ${name} is revoked.`,
  });
}
