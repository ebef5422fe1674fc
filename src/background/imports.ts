import { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { CarillonError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { checkAdding } from '../control/imports/add.ts';
import { createTurns, type ImportWatch, importList } from '../control/lists/batches.ts';
import { openSent, sentOptions } from '../control/lists/body.ts';
import { read } from '../control/requests/input.ts';
import type { WaitingImport } from '../ledger/background/background.ts';
import { isLedgerAway } from '../ledger/database.ts';
import type { Ledger } from '../ledger/ledger.ts';

/**
 * Does the imports that wait in the ledger. An import is one transaction: if its process dies nothing of it is stored,
 * and any other process begins it again.
 */
export type Importer = {
  /** Begins what waits, and returns without awaiting its end. */
  round(): Promise<void>;
  /** Leaves unfinished imports to other processes. */
  close(): Promise<void>;
};
type ImporterDeps = { ledger: Ledger; clock: Pick<Clock, 'now' | 'monotonic'>; log: Log };

/** More than take turns, because other processes may have some. */
const mostSeen = 20;
const progressMs = 500;
const forgetMs = 3_600_000;

/** Another process has it, which is not an error. */
class Taken extends Error {}
class Stopped extends Error {}

export function createImporter({ ledger, clock, log }: ImporterDeps): Importer {
  const turns = createTurns();
  const inHand = new Map<string, Promise<void>>();
  let stopped = false;
  let forgotAt = Number.NEGATIVE_INFINITY;

  const work = async (job: WaitingImport) => {
    if (stopped || !(await ledger.imports.isFree(job.id))) return;
    const campaign = await ledger.campaigns.get(job.campaignId);
    checkAdding(campaign);
    const stream = Readable.from(ledger.imports.body(job.id));
    const wanted = read(sentOptions, job.options);
    const sent = { source: { stream }, format: job.format };
    const list = await openSent({ ledger, clock }, campaign, sent, wanted);
    const progress = createProgress(job.id, list.bytesRead);
    try {
      const watch: ImportWatch = {
        async begin(tx) {
          if (!(await ledger.imports.take(tx, job.id))) throw new Taken();
        },
        onRead: progress.onRead,
        async end(tx, sums, rejects) {
          await progress.ended();
          await ledger.imports.done(tx, job.id, sums, rejects);
        },
      };
      const { on_known: onKnown } = wanted;
      await importList(ledger, campaign.id, list, { onKnown, watch });
    } finally {
      await list.close();
      await progress.ended().catch(() => undefined);
    }
  };

  /** Reports how far an import is, at intervals, while the reading continues. */
  function createProgress(id: string, bytesRead: () => number) {
    let toldAt = Number.NEGATIVE_INFINITY;
    let told: Promise<void> = Promise.resolve();
    return {
      async onRead(sums: { rows: number; accepted: number; rejected: number }) {
        if (stopped) throw new Stopped();
        if (clock.monotonic() - toldAt < progressMs) return;
        await told;
        toldAt = clock.monotonic();
        told = ledger.imports.progress(id, bytesRead(), { ...sums });
        // It is awaited before the next one, and before the end.
        told.catch(() => undefined);
      },
      ended: () => told,
    };
  }

  const one = async (job: WaitingImport) => {
    try {
      await turns.take(job.campaignId, () => work(job));
    } catch (error) {
      if (error instanceof Taken || error instanceof Stopped) return;
      // It is tried again in a later round, here or elsewhere.
      if (isLedgerAway(error)) return;
      const known = error instanceof CarillonError ? error : new CarillonError('unexpected');
      if (known !== error) log.warn({ import: job.id, err: (error as Error).message }, 'an import failed');
      await ledger.imports.end(job.id, 'failed', known.code, known.message);
    }
  };

  return {
    async round() {
      if (clock.monotonic() - forgotAt > forgetMs) {
        forgotAt = clock.monotonic();
        await ledger.imports.forget();
        await ledger.idempotency.forget();
      }
      for (const job of await ledger.imports.next(mostSeen)) {
        if (stopped || inHand.has(job.id)) continue;
        const ended = one(job)
          .catch((error: Error) => log.debug({ import: job.id, err: error.message }, 'an import waits'))
          .finally(() => inHand.delete(job.id));
        inHand.set(job.id, ended);
      }
    },
    async close() {
      stopped = true;
      await Promise.all(inHand.values());
    },
  };
}
