import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Stations } from '../src/dispatch/stations.ts';

/** The reconciler: at start and every quarter of a minute, makes queue and lanes agree with the ledger. */
export function startReconciler(
  stations: Stations,
  deps: { clock: Clock; log: Log; rounds?: Rounds; everyMs?: number },
): Loop {
  let started = false;
  let gone = false;
  const loop = startLoop({
    ...deps,
    name: 'reconciler',
    everyMs: deps.everyMs ?? 15_000,
    // The jobs of a dead worker are found one by one: the rest lets a round take back many.
    restMs: 500,
    async work() {
      const known = gone;
      gone = false;
      if (started) return stations.reconcile.round(known);
      await stations.reconcile.start();
      started = true;
    },
  });
  stations.onAdrift(() => {
    gone = true;
    loop.nudge();
  });
  return loop;
}
