import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from './deadline.ts';

/**
 * Gathers the single requests of concurrent jobs into one round trip; a lone one never waits for others. dataloader
 * does not fit: it sends what one tick gathered even while a batch is in flight, and it caches answers, which a write
 * must not do.
 */
export type Batch<In, Out> = (item: In) => Promise<Out>;

export type BatchOptions = {
  most?: number;
  /** How long to gather after a large flush; 0 if somebody waits for each answer. */
  momentMs?: number;
};

/**
 * Each flush costs a fixed share of the database's time and of ours. A short wait after a large one gathers many more
 * items; there is no wait when enough have already gathered.
 */
const many = 8;
const enough = 50;
/** A flush that never ends must not hold up the ones after it. Longer than any statement may take. */
const limitMs = 30_000;

/**
 * Items that arrive during a flush wait for the next one, so the batch grows with the load. `flush` answers in the
 * order of its items, each answer a value or a promise of its own. When it fails, each of its callers fails.
 */
export function createBatch<In, Out>(
  flush: (items: In[]) => Promise<(Out | Promise<Out>)[]>,
  { most = 500, momentMs = 4 }: BatchOptions = {},
): Batch<In, Out> {
  type Waiting = { item: In; resolve: (out: Out | Promise<Out>) => void; reject: (error: unknown) => void };
  const waiting: Waiting[] = [];
  let running = false;

  const run = async () => {
    let last = 0;
    while (waiting.length > 0) {
      if (momentMs > 0 && last >= many && waiting.length < enough) await sleep(momentMs);
      const group = waiting.splice(0, most);
      last = group.length;
      try {
        const answers = await withDeadline(flush(group.map((entry) => entry.item)), limitMs, giveUp);
        for (const [index, entry] of group.entries()) entry.resolve(answers[index] as Out | Promise<Out>);
      } catch (error) {
        for (const entry of group) entry.reject(error);
      }
    }
    running = false;
  };

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // One flush at a time: each costs the database a fixed share, so fewer and larger ones carry more.
      if (running) return;
      running = true;
      setImmediate(run);
    });
}

function giveUp(): never {
  throw Object.assign(new Error(`no answer within ${limitMs / 1_000} s`), { code: 'ETIMEDOUT' });
}
