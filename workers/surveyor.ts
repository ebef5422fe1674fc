import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Stations } from '../src/dispatch/stations.ts';

/** With no work in progress, changes may be noticed later. */
const idleMs = 2_000;

/** The surveyor: picks up what other processes change on the lanes. Every process that uses a key has one. */
export function startSurveyor(stations: Stations, deps: { clock: Clock; log: Log; rounds?: Rounds }): Loop {
  return startLoop({
    ...deps,
    name: 'surveyor',
    everyMs: 1_000,
    work: async () => ((await stations.survey()) ? undefined : idleMs),
  });
}
