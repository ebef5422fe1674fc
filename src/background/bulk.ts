import type { Clock } from '../base/clock.ts';
import type { Rounds } from '../base/stuck-loops.ts';
import type { BulkDoer } from '../control/bulk/do.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** The loop that does bulk acts, a piece of each in turn. */
export type BulkWorker = {
  /** Works for a moment; returns how long to rest, or null when there is nothing to do here. */
  round(): Promise<number | null>;
};

/** It rests as long as it worked, to leave the ledger to calls. */
const stretchMs = 1_000;
const forgetMs = 3_600_000;

export function createBulkWorker(
  { step }: Pick<BulkDoer, 'step'>,
  {
    ledger,
    clock,
    rounds,
  }: { ledger: Pick<Ledger, 'bulk'>; clock: Pick<Clock, 'monotonic'>; rounds: Pick<Rounds, 'asides'> },
): BulkWorker {
  let forgotAt = Number.NEGATIVE_INFINITY;
  return {
    async round() {
      const began = clock.monotonic();
      const took = () => clock.monotonic() - began;
      if (began - forgotAt > forgetMs) {
        forgotAt = began;
        await ledger.bulk.forget();
      }
      for (let worked = false; ; worked = true) {
        let stepped = false;
        for (const id of await ledger.bulk.running())
          stepped = (await rounds.asides.guard('bulk', id, () => step(id))) || stepped;
        if (!stepped) return worked ? took() : null;
        if (took() > stretchMs) return took();
      }
    },
  };
}
