import type { Clock } from '../src/base/clock.ts';
import type { Stoppable } from '../src/base/lifecycle.ts';
import { startLoop } from '../src/base/loop.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import { type CrewDeps, startCrew } from './crew.ts';

/** How often what was learned of calls is written: a killed process loses this much of it. */
const keepMs = 30_000;

/** The tracker: follows every placed call to its end and settles it, and keeps what it learns of how long calls last. */
export function startTracker(stations: Stations, deps: CrewDeps & { clock: Clock }): Stoppable {
  const crew = startCrew('track', (lane, attemptId) => stations.track(lane, attemptId), stations, deps);
  const keeper = startLoop({
    clock: deps.clock,
    log: deps.log,
    name: 'poll times',
    everyMs: keepMs,
    work: () => stations.keepPollTimes(),
  });
  return {
    ...crew,
    async close() {
      await crew.close();
      await keeper.close();
      await stations.keepPollTimes().catch((error: Error) => {
        deps.log.debug({ err: error.message }, 'what was learned of the last calls could not be kept');
      });
    },
  };
}
