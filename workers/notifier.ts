import type { Clock } from '../src/base/clock.ts';
import type { Stoppable } from '../src/base/lifecycle.ts';
import type { Log } from '../src/base/log.ts';
import { startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import { beatMs, type Notify } from '../src/control/webhooks/notify.ts';

/**
 * The notifier: delivers events to webhooks. Any number of processes may do it: they share the addresses. `settleMs`: at
 * its end it delivers what happened until then, for at most so long; otherwise other processes, or the next one, do.
 */
export function startNotifier(
  notify: Notify,
  deps: { clock: Clock; log: Log; rounds?: Rounds },
  settleMs = 0,
): Stoppable {
  const loop = startLoop({ ...deps, name: 'notifier', everyMs: beatMs, work: notify.round });
  return {
    name: 'notifier',
    async close() {
      await loop.close();
      try {
        if (settleMs > 0) await notify.settle(settleMs);
        await notify.close();
      } catch (error) {
        deps.log.warn(
          { err: (error as Error).message },
          'the last events for webhooks are left to another process',
        );
      }
    },
  };
}
