import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { isLedgerAway } from '../../ledger/database.ts';
import type { Service } from '../service.ts';
import { doPiece } from './piece.ts';
import { type ShownBulk, showBulk } from './show.ts';

/** Does the acts that are under way, a piece of each in turn. Any number of processes may: each piece is done by one. */
export type BulkWorker = {
  /** Works for a moment; answers how long to rest, and null when there is nothing to do here. */
  round(): Promise<number | null>;
  /** One piece of an act; false when another process has it in hand, or it is over. */
  step(id: string): Promise<boolean>;
  /** Works on an act until it is over, or the signal fires. Other processes may do pieces of it meanwhile. */
  finish(id: string, signal?: AbortSignal, tell?: (shown: ShownBulk) => void): Promise<ShownBulk>;
};

/** It rests as long as it worked, to leave the ledger to calls. */
const stretchMs = 1_000;
const forgetMs = 3_600_000;
/** Between two looks at what another process does. */
const lookMs = 300;

export function createBulkWorker(
  service: Service,
  { clock, log }: { clock: Pick<Clock, 'monotonic'>; log: Log },
): BulkWorker {
  const { ledger } = service;
  let forgotAt = Number.NEGATIVE_INFINITY;

  const step = async (id: string): Promise<boolean> => {
    try {
      return await ledger.db.transaction(async (tx) => {
        const piece = await ledger.bulk.take(tx, id);
        if (!piece) return false;
        await tx.steadily(async () => {
          await ledger.bulk.advance(tx, id, await doPiece(service, tx, piece));
        });
        return true;
      });
    } catch (error) {
      if (isLedgerAway(error)) throw error;
      const known = error instanceof CarillonError ? error : new CarillonError('unexpected');
      if (known !== error) log.warn({ bulk: id, err: (error as Error).message }, 'an act on many failed');
      await ledger.bulk.end(id, 'failed', known.code, known.message);
      return false;
    }
  };

  return {
    step,

    async finish(id, signal, tell) {
      for (;;) {
        const shown = await showBulk(ledger, id);
        if (shown.state !== 'running') return shown;
        tell?.(shown);
        if (signal?.aborted) return shown;
        if (!(await step(id))) await service.clock.sleep(lookMs, signal);
      }
    },

    async round() {
      const began = clock.monotonic();
      const took = () => clock.monotonic() - began;
      if (began - forgotAt > forgetMs) {
        forgotAt = began;
        await ledger.bulk.forget();
      }
      for (let worked = false; ; worked = true) {
        let stepped = false;
        for (const id of await ledger.bulk.running()) stepped = (await step(id)) || stepped;
        if (!stepped) return worked ? took() : null;
        if (took() > stretchMs) return took();
      }
    },
  };
}
