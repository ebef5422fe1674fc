import type { Command } from 'commander';
import { createEngine } from '../../engine/engine.ts';
import { migrate } from '../../ledger/migrate.ts';
import { type Cli, topCommand } from '../command-io.ts';
import { withLedgerUrl } from '../ledger-address.ts';

/** `carillon migrate`: brings ledger and queue up to date by hand, before a deployment starts its processes. */
export function migrateCommand(cli: Cli): Command {
  return topCommand('migrate', 'DATABASE_URL=postgres://carillon@db/carillon carillon migrate')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: true }) => {
      const config = cli.config();
      const log = cli.log('error');
      await withLedgerUrl(config, log, async (url, fresh) => {
        if (fresh) cli.note(`A new, empty ledger was made in ${config.home}.`);
        const applied = await migrate(url, log);
        const engine = await createEngine({ redisUrl: config.redisUrl, databaseUrl: url, log });
        try {
          await engine.ping();
        } finally {
          await engine.close();
        }
        if (options.json) return cli.json({ applied, engine: engine.kind });
        for (const name of applied) cli.out(`applied ${name}`);
        const queue =
          engine.kind === 'redis' ? 'the queue in Redis needs no migration' : 'so is the queue in Postgres';
        cli.out(`The ledger is up to date${applied.length > 0 ? ' now' : ''}; ${queue}.`);
      });
    });
}
