import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import { refuseOwn, restoreLedger } from '../../control/ledger/backup.ts';
import { type Cli, topCommand } from '../command-io.ts';
import { agrees } from '../confirm.ts';
import { timeText } from '../terminal/table.ts';

/** `carillon restore`: restores a backup in place of the embedded ledger. */
export function restoreCommand(cli: Cli): Command {
  return topCommand('restore', 'carillon restore ~/.carillon/backups/carillon-20261122T180000Z')
    .argument('<backup>', 'the folder that `carillon backup` made, or the manifest in it')
    .option('--yes', 'do not ask (required in scripts)')
    .option('--json', 'print one JSON document')
    .action(async (path: string, { yes, json }: { yes?: true; json?: true }) => {
      const config = cli.config();
      refuseOwn(config);
      const question = `Replace the ledger in ${config.home} with ${path}? The old ledger is kept under another name.`;
      if (!yes && !(await agrees(cli, question)))
        throw new CarillonError('interrupted', 'Nothing was changed', {
          remedy: 'Run it again when you are sure.',
        });
      const { backup, kept, manifest } = await restoreLedger({ config, clock: systemClock }, path);
      if (json) return cli.json({ backup, made_at: manifest.made_at, kept });
      cli.out(`Restored the ledger of ${timeText(manifest.made_at)}.`);
      if (kept) cli.out(`The ledger that was here is kept in ${kept}.`);
      cli.out(
        'It does not know who was called since then, so nobody is called until you confirm it: `carillon ledger show` says how.',
      );
    });
}
