import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Stations } from '../src/dispatch/stations.ts';

/** How long it sweeps before it rests. */
const stretchMs = 1_000;

/** The sweeper: skips the waiting rows of canceled campaigns. It rests half of the time, to leave the ledger to calls. */
export function startSweeper(stations: Stations, deps: { clock: Clock; log: Log; rounds?: Rounds }): Loop {
  return startLoop({
    ...deps,
    name: 'sweeper',
    everyMs: 5_000,
    async work() {
      const began = deps.clock.monotonic();
      const took = () => deps.clock.monotonic() - began;
      while (await stations.sweep()) if (took() > stretchMs) return took();
      return undefined;
    },
  });
}
