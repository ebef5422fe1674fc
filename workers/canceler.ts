import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Stations } from '../src/dispatch/stations.ts';

/** The canceler: hangs up calls in progress that a person wants to end. */
export function startCanceler(stations: Stations, deps: { clock: Clock; log: Log; rounds?: Rounds }): Loop {
  return startLoop({
    ...deps,
    name: 'canceler',
    everyMs: 1_000,
    work: async () => {
      while (await stations.hangUp());
    },
  });
}
