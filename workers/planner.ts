import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Stations } from '../src/dispatch/stations.ts';

/** The wait after a round that planned nobody. A change in this process wakes the planner at once. */
const idleMs = 2_000;
const everyMs = 1_000;

/** The planner: probes closed lanes, and keeps a few seconds of work in the queues. */
export function startPlanner(stations: Stations, deps: { clock: Clock; log: Log; rounds?: Rounds }): Loop {
  const loop = startLoop({
    ...deps,
    name: 'planner',
    everyMs,
    restMs: 50,
    async work() {
      const probeMs = await stations.probe();
      const planned = await stations.plan();
      // Work that waits for credit or for a failing service must not wait for the longer interval too.
      const restMs = planned === 0 && !stations.someoneWaits() ? idleMs : everyMs;
      return Math.min(restMs, probeMs ?? idleMs);
    },
  });
  stations.onNudge(() => loop.nudge());
  return loop;
}
