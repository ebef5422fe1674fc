import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { CarillonError, errorLine } from '../../base/errors.ts';
import {
  type BackedUp,
  backUpLedger,
  backupsOf,
  refuseOwn,
  restoreLedger,
} from '../../control/ledger/backup.ts';
import { readSpan } from '../../control/order/terms/retry-text.ts';
import { type Cli, given, topCommand } from '../command-io.ts';
import { agrees } from '../confirm.ts';
import { counted } from '../output/summary.ts';
import { watchSignals } from '../terminal/signals.ts';
import { timeText } from '../terminal/table.ts';

/** `carillon backup` copies the embedded ledger while it works; `carillon restore` puts a copy in its place. */
type BackupFlags = { every?: string; keep?: string; json?: true };

export function backupCommand(cli: Cli): Command {
  return topCommand('backup', 'carillon backup\ncarillon backup /mnt/backups --every 1h --keep 48')
    .argument('[folder]', 'the folder to write to (default: backups in CARILLON_HOME)')
    .option('--every <time>', 'keep running, and back up this often, such as 1h')
    .option('--keep <n>', 'remove all but the newest n in the folder (default: 48)')
    .option('--json', 'print one JSON document for each')
    .action(async (folder: string | undefined, flags: BackupFlags) => {
      const config = cli.config();
      refuseOwn(config);
      const { every, keep = '48', json } = given(flags);
      const seconds = every === undefined ? null : readSpan(every);
      if (every !== undefined && (seconds === null || seconds < 60))
        throw wrong(`--every: not a time of 1m or more: ${every}`, 'Write it like 30m, 1h or 1d.');
      if (!/^[1-9]\d{0,5}$/.test(keep)) throw wrong(`--keep: not a number of 1 or more: ${keep}`);
      const deps = { config, clock: systemClock, log: cli.log('error') };
      const signals = watchSignals();
      const { signal } = signals;
      const to = { folder: folder || backupsOf(config), keep: Number(keep), signal };
      const make = async () => {
        const began = performance.now();
        const made = await backUpLedger(deps, to);
        report(cli, made, (performance.now() - began) / 1_000, json);
      };
      try {
        await (seconds === null ? make() : repeat(cli, seconds * 1_000, signal, make));
      } finally {
        signals.stop();
      }
    });
}

/** A failed backup is reported, and the next one is still made: a full disk may have room later. */
async function repeat(
  cli: Cli,
  everyMs: number,
  signal: AbortSignal,
  make: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const began = systemClock.monotonic();
    await make().catch((error: unknown) => cli.note(`carillon: ${errorLine(error)}`));
    await systemClock.sleep(Math.max(1_000, everyMs - (systemClock.monotonic() - began)), signal);
  }
}

function report(cli: Cli, made: BackedUp, seconds: number, json: true | undefined): void {
  const { path, bytes, files, removed, madeAt } = made;
  if (json) {
    cli.json({ path, made_at: madeAt, files, bytes, removed, seconds });
    return;
  }
  const old = removed > 0 ? `; ${counted(removed, 'older one')} removed` : '';
  cli.out(`Backed up to ${path}: ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s${old}.`);
}

function wrong(why: string, remedy?: string): CarillonError {
  return new CarillonError('usage-invalid', why, remedy === undefined ? {} : { remedy });
}

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
