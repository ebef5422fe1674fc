import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { inHalves } from './asides.ts';
import { withDeadline } from './deadline.ts';

/**
 * Gathers the single requests of concurrent jobs into one round trip. A lone one waits for others only as long as its
 * caller has patience, and goes with one that has none. dataloader does not fit: it sends what one tick gathered even
 * while a batch is in flight, and it caches answers, which a write must not do.
 */
export type Batch<In, Out> = (item: In, patienceMs?: number) => Promise<Out>;

const mostPatienceMs = 250;

/** How long work that was planned this long ahead may wait for company: too short to be noticed. */
export function patienceFor(aheadMs: number): number {
  return Math.max(0, Math.min(mostPatienceMs, Math.round(aheadMs / 10)));
}

type BatchOptions = {
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
 * order of its items, each answer a value or a promise of its own. When it fails, each of its callers fails; but where
 * one item is the cause, only that one's.
 */
export function createBatch<In, Out>(
  flush: (items: In[]) => Promise<(Out | Promise<Out>)[]>,
  { most = 500, momentMs = 4 }: BatchOptions = {},
): Batch<In, Out> {
  type Waiting = { item: In; resolve: (out: Out | Promise<Out>) => void; reject: (error: unknown) => void };
  const waiting: Waiting[] = [];
  let running = false;
  let alarm: NodeJS.Timeout | undefined;
  let dueAt = 0;

  const run = async () => {
    let last = 0;
    while (waiting.length > 0) {
      if (momentMs > 0 && last >= many && waiting.length < enough) await sleep(momentMs);
      const group = waiting.splice(0, most);
      last = group.length;
      const send = async (part: readonly Waiting[]) => {
        const answers = await withDeadline(flush(part.map((entry) => entry.item)), limitMs, giveUp);
        for (const [index, entry] of part.entries()) entry.resolve(answers[index] as Out | Promise<Out>);
      };
      try {
        await inHalves(group, send, (entry, error) => entry.reject(error));
      } catch (error) {
        for (const entry of group) entry.reject(error);
      }
    }
    running = false;
  };

  const start = () => {
    clearTimeout(alarm);
    alarm = undefined;
    running = true;
    setImmediate(run);
  };

  return (item, patienceMs = 0) =>
    new Promise<Out>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // One flush at a time: each costs the database a fixed share, so fewer and larger ones carry more.
      if (running) return;
      if (patienceMs < 1 || waiting.length >= many) return start();
      const at = performance.now() + patienceMs;
      if (alarm && at >= dueAt) return;
      clearTimeout(alarm);
      dueAt = at;
      alarm = setTimeout(start, patienceMs);
    });
}

function giveUp(): never {
  throw Object.assign(new Error(`no answer within ${limitMs / 1_000} s`), { code: 'ETIMEDOUT' });
}
