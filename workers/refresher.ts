import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Stations } from '../src/dispatch/stations.ts';

/** The refresher: asks again for what a service adds to a call's record after its end. */
export function startRefresher(stations: Stations, deps: { clock: Clock; log: Log; rounds?: Rounds }): Loop {
  return startLoop({
    ...deps,
    name: 'refresher',
    everyMs: 2_000,
    work: async () => (await stations.refresh()) ?? undefined,
  });
}
