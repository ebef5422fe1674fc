import type { Clock } from '../src/clock.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import type { Log } from '../src/log.ts';
import { type Loop, startLoop } from '../src/loop.ts';

/** Who has found nobody to plan looks again a little later; whatever changes here wakes it at once. */
const idleMs = 2_000;

/** The planner: asks on lanes that rest, and keeps a few seconds of work in their queues. */
export function startPlanner(stations: Stations, deps: { clock: Clock; log: Log }): Loop {
  const loop = startLoop({
    ...deps,
    name: 'planner',
    everyMs: 1_000,
    restMs: 50,
    async work() {
      await stations.probe();
      const planned = await stations.plan();
      return planned === 0 ? idleMs : undefined;
    },
  });
  stations.onNudge(() => loop.nudge());
  return loop;
}
