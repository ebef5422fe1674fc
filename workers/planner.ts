import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Stations } from '../src/dispatch/stations.ts';

/** Who has found nobody to plan looks again a little later; whatever changes here wakes it at once. */
const idleMs = 2_000;
const everyMs = 1_000;

/** The planner: asks on lanes that rest, and keeps a few seconds of work in their queues. */
export function startPlanner(stations: Stations, deps: { clock: Clock; log: Log; rounds?: Rounds }): Loop {
  const loop = startLoop({
    ...deps,
    name: 'planner',
    everyMs,
    restMs: 50,
    async work() {
      const probeMs = await stations.probe();
      const planned = await stations.plan();
      // Whoever waits for credit or for a sick service is not to wait for the beat as well.
      const restMs = planned === 0 && !stations.someoneWaits() ? idleMs : everyMs;
      return Math.min(restMs, probeMs ?? idleMs);
    },
  });
  stations.onNudge(() => loop.nudge());
  return loop;
}
