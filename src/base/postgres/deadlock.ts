import type { Log } from '../log.ts';

/**
 * Two statements that want the same rows in a different order wait for each other, until Postgres rolls one of them
 * back. The loser did nothing, so it is run again.
 */
export type Deadlocks = {
  /** Runs work again that lost a deadlock; `undo` is called before each further try. */
  again<T>(work: () => Promise<T>, undo?: () => Promise<unknown>): Promise<T>;
  /** How many were lost since the start. */
  count(): number;
};

/** Work that lost one deadlock may lose the next one too; after this many, something else is wrong. */
const mostTries = 5;
/** Many deadlocks in a short time are logged once. */
const quietMs = 60_000;

export function createDeadlocks(store: 'ledger' | 'queue', log?: Log): Deadlocks {
  let lost = 0;
  let told = Number.NEGATIVE_INFINITY;
  const note = () => {
    lost += 1;
    if (performance.now() - told < quietMs) return;
    told = performance.now();
    log?.warn({ store, sinceStart: lost }, 'a statement lost a deadlock in Postgres and runs again');
  };
  return {
    async again(work, undo) {
      for (let tries = 1; ; tries++) {
        try {
          return await work();
        } catch (error) {
          if (!isDeadlock(error)) throw error;
          note();
          if (tries >= mostTries) throw error;
          await undo?.();
        }
      }
    },
    count: () => lost,
  };
}

export function isDeadlock(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === '40P01';
}
