import type { Command } from 'commander';
import { quoteWord } from '../../../base/terminal-safe.ts';
import { changeCampaign } from '../../../control/campaigns/change.ts';
import { cloneCampaign } from '../../../control/campaigns/clone.ts';
import { deleteCampaign } from '../../../control/campaigns/delete.ts';
import { showCampaign } from '../../../control/campaigns/show.ts';
import { type Cli, command } from '../../command-io.ts';
import { agrees } from '../../confirm.ts';
import { counted } from '../../output/summary.ts';

/** `carillon campaign clone`, `rename` and `delete`. */
export function cloneCommand(cli: Cli): Command {
  return command(
    'clone',
    'Make a new draft with a campaign’s order, and with its people if you want.',
    'carillon campaign clone march april --people',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .argument('<new>', 'the name of the new campaign')
    .option('--people', 'also copy the people, as not called; people who were taken off the list stay off')
    .option('--json', 'print one JSON document')
    .action((name: string, made: string, options: { people?: true; json?: true }) =>
      cli.withLedger(async ({ ledger, config }) => {
        const service = { ledger, baseUrl: config.voice.baseUrl ?? '' };
        const { answer: clone } = await cloneCampaign(service, name, {
          name: made,
          people: options.people ?? false,
        });
        if (options.json) return cli.json(clone);
        cli.out(`${clone.name} is a draft with ${counted(clone.balance.rows, 'row')}.`);
        cli.out(`Start it with \`carillon campaign start ${quoteWord(clone.name)}\`.`);
      }),
    );
}

export function renameCommand(cli: Cli): Command {
  return command('rename', 'Give a campaign another name.', 'carillon campaign rename march march-2026')
    .argument('<name>', 'the campaign’s name, or its id')
    .argument('<new>', 'the new name')
    .option('--json', 'print one JSON document')
    .action((name: string, wanted: string, options: { json?: true }) =>
      cli.withLedger(async ({ ledger, config }) => {
        const before = await ledger.campaigns.get(name);
        const service = { ledger, baseUrl: config.voice.baseUrl ?? '' };
        const after = await changeCampaign(service, before.id, { name: wanted });
        if (options.json) return cli.json(after);
        cli.out(`${before.name} is now ${after.name}.`);
        if (before.driver === 'run')
          cli.out(
            `From now on, give \`carillon run\` --name ${after.name}: with the old name, it would call the whole list again.`,
          );
      }),
    );
}

export function deleteCommand(cli: Cli): Command {
  return command(
    'delete',
    'Delete a campaign with its people, attempts and results. Export them first.',
    'carillon campaign delete march --yes',
  )
    .argument('<name>', 'the campaign’s name, or its id')
    .option('--yes', 'do not ask; a script needs it')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { yes?: true; json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const { id, name: named, balance } = await showCampaign(ledger, name);
        const what = `${counted(balance.rows, 'row')} and ${counted(balance.attempts, 'attempt')}`;
        if (!options.yes && !(await agrees(cli, `Delete ${named} with ${what}?`))) {
          cli.note('Nothing was changed.');
          return;
        }
        const gone = await deleteCampaign(ledger, id, { whole: true });
        if (options.json) cli.json(gone);
        else cli.out(`${named} is deleted, with ${what}.`);
      }),
    );
}
