import type { Stoppable } from '../src/base/lifecycle.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import { type CrewDeps, startCrew } from './crew.ts';

/** The dialer: takes planned attempts from every lane's dial queue and places them. */
export function startDialer(stations: Stations, deps: CrewDeps): Stoppable {
  return startCrew('dial', stations.dial, stations, {
    ...deps,
    prefetchOf: (lane) => lane.prefetch.hold(lane.governor.limit().rate, deps.concurrency),
    // A process that must not dial leaves the jobs to the others.
    whenFit: stations.onFit,
  });
}
