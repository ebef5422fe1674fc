import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { BulkWorker } from '../src/control/bulk/work.ts';

const idleMs = 1_000;

/** The bulk worker: does acts on many people, a piece at a time. Any process may do the next piece. */
export function startBulk(worker: BulkWorker, deps: { clock: Clock; log: Log; rounds?: Rounds }): Loop {
  return startLoop({
    ...deps,
    name: 'bulk',
    everyMs: idleMs,
    work: async () => (await worker.round()) ?? idleMs,
  });
}
