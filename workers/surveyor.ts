import type { Clock } from '../src/clock.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import type { Log } from '../src/log.ts';
import { type Loop, startLoop } from '../src/loop.ts';
import type { Rounds } from '../src/rounds.ts';

/** Where nothing is under way there is little to keep up with. */
const idleMs = 2_000;

/** The surveyor: keeps up with what other processes do to the lanes. Every process that uses a key has one. */
export function startSurveyor(stations: Stations, deps: { clock: Clock; log: Log; rounds?: Rounds }): Loop {
  return startLoop({
    ...deps,
    name: 'surveyor',
    everyMs: 1_000,
    work: async () => ((await stations.survey()) ? undefined : idleMs),
  });
}
