import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Stations } from '../src/dispatch/stations.ts';

const everyMs = 10_000;

/** The sampler: writes what this process saw of its keys to their series, just after each tenth second. */
export function startSampler(
  stations: Stations,
  { clock, ...deps }: { clock: Clock; log: Log; rounds?: Rounds },
): Loop {
  return startLoop({
    ...deps,
    clock,
    name: 'sampler',
    everyMs,
    async work() {
      await stations.sample();
      return everyMs - (clock.now() % everyMs) + 100;
    },
  });
}
