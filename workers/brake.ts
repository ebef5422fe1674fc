import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Stations } from '../src/dispatch/stations.ts';

/** The brake: pauses campaigns that stop by themselves. Any process may do it; the ledger lets one of them. */
export function startBrake(stations: Stations, deps: { clock: Clock; log: Log; rounds?: Rounds }): Loop {
  return startLoop({ ...deps, name: 'brake', everyMs: 1_000, work: stations.brake });
}
