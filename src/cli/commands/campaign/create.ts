import type { Command } from 'commander';
import { quoteWord } from '../../../base/terminal-safe.ts';
import { createCampaign } from '../../../control/campaigns/create.ts';
import { withoutKeys } from '../../../ledger-only.ts';
import { requireService } from '../../../voice/clients.ts';
import { type Cli, command, required } from '../../command-io.ts';
import { addOrderFlags, orderOf } from '../../order-flags.ts';

/** `carillon campaign create`: an order without people, for the background workers. */
type Flags = { agent?: string[]; json?: true };

export function createCommand(cli: Cli): Command {
  const create = command(
    'create',
    'Make a campaign without people, for the background workers. Add people to it, then start it.',
    'carillon campaign create march --agent agent_123 --from +14155550100 --country US --window 09:00-20:00\n' +
      'carillon campaign add march people.csv\n' +
      'carillon campaign start march',
  ).argument('<name>', 'the name of the new campaign');
  return addOrderFlags(create)
    .option('--json', 'print one JSON document')
    .action((name: string, flags: Flags) => {
      const body = { ...orderOf(flags), name, agent: required(flags.agent, '--agent <id>') };
      return cli.withLedger(async (opened) => {
        requireService(opened.config);
        const { answer: made } = await createCampaign(withoutKeys(opened, { note: cli.note }), body);
        if (flags.json) return cli.json(made);
        const word = quoteWord(made.name);
        cli.out(`${made.name} is a draft without people.`);
        cli.out(`Add people with \`carillon campaign add ${word} people.csv\`.`);
        cli.out(`Then start it with \`carillon campaign start ${word}\`.`);
      });
    });
}
