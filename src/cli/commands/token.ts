import type { Command } from 'commander';
import { roles } from '../../base/actor.ts';
import { createToken, listTokens, revokeToken, type ShownToken } from '../../control/tokens/manage.ts';
import { oneOf } from '../closed-lists.ts';
import { type Cli, command, given, required } from '../command-io.ts';
import { summaries } from '../command-summaries.ts';
import { group } from '../group.ts';
import { eachPage, printItems, printLines } from '../output/list.ts';
import { tableLines, timeText } from '../terminal/table.ts';

/** `carillon token`: who may use the API, and for what. */
export function tokenCommand(cli: Cli): Command {
  return group('token', summaries.token.does, 'carillon token create --name reporting --role read', [
    createCommand(cli),
    listCommand(cli),
    revokeCommand(cli),
  ]);
}

type Flags = { name?: string; person?: string; role?: string; ends?: string; json?: true };

function createCommand(cli: Cli): Command {
  return command(
    'create',
    'Make a token for the API. It is shown once.',
    'carillon token create --name reporting --role read --ends 90d',
  )
    .option('--name <name>', 'the name by which it is listed and revoked (required)')
    .option('--person <name>', 'its owner, as the activity shows it (default: the token’s name)')
    .addOption(oneOf('--role <role>', 'what it may do', roles))
    .option('--ends <time>', 'when it stops working: a time, a date, or a span such as 90d (default: never)')
    .option('--json', 'print one JSON document')
    .action(({ json, ...flags }: Flags) => {
      const { name, person, role, ends } = given(flags);
      const body = { name: required(name, '--name'), person, role: required(role, '--role'), ends };
      return cli.withLedger(async (opened) => {
        const { answer: made } = await createToken(opened, body);
        if (json) return cli.json(made);
        cli.out(made.token);
        cli.note(`${made.name} may ${mays[made.role]}${endOf(made)}. The token is not shown again.`);
      });
    });
}

/** What each role may do, in a few words. */
const mays: Record<ShownToken['role'], string> = {
  read: 'read campaigns, keys and reports, but no people',
  read_people: 'read campaigns, people and results',
  operate: 'read people and results, call people and change what is called',
  admin: 'do everything, and make tokens',
};

function endOf({ ends_at }: ShownToken): string {
  return ends_at === null ? '' : ` until ${timeText(ends_at)}`;
}

function listCommand(cli: Cli): Command {
  return command('list', 'List the tokens, with their roles and last use.', 'carillon token list')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const read = (page: object) => listTokens(ledger, page);
        if (json) return printItems(cli, read);
        const all: ShownToken[] = [];
        for await (const items of eachPage(read)) all.push(...items);
        if (all.length === 0) return cli.out('There are no tokens. Make one with `carillon token create`.');
        const time = (at: Date | null, otherwise: string) => (at === null ? otherwise : timeText(at));
        const rows = all.map((each) => [
          each.name,
          each.person ?? '',
          each.role,
          time(each.ends_at, 'never'),
          time(each.used_at, 'never'),
          `${timeText(each.made_at)} by ${each.made_by}`,
        ]);
        await printLines(
          cli,
          tableLines(['NAME', 'PERSON', 'ROLE', 'ENDS', 'LAST USED', 'MADE'], rows, cli.width()),
        );
      }),
    );
}

function revokeCommand(cli: Cli): Command {
  return command(
    'revoke',
    'Revoke a token: it stops working in every process within seconds.',
    'carillon token revoke reporting',
  )
    .argument('<name>', 'the token’s name, or its id')
    .option('--json', 'print one JSON document')
    .action((name: string, { json }: { json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const gone = await revokeToken(ledger, name);
        if (json) return cli.json(gone);
        cli.out(`The token ${gone.name} is revoked.`);
      }),
    );
}
