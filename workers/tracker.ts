import type { Stoppable } from '../src/base/lifecycle.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import { type CrewDeps, startCrew } from './crew.ts';

/** The tracker: follows every placed call to its end and settles it. */
export function startTracker(stations: Stations, deps: CrewDeps): Stoppable {
  return startCrew('track', (lane, attemptId) => stations.track(lane, attemptId), stations, deps);
}
