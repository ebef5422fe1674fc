import type { Clock } from '../src/base/clock.ts';
import type { Stoppable } from '../src/base/lifecycle.ts';
import type { Log } from '../src/base/log.ts';
import { startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Reporter } from '../src/control/processes/report.ts';

/** The reporter: tells the ledger every ten seconds that this process lives, and at its end that it stops. */
export function startReporter(
  { report, leave }: Reporter,
  deps: { clock: Clock; log: Log; rounds?: Rounds },
): Stoppable {
  const loop = startLoop({ ...deps, name: 'reporter', everyMs: 10_000, work: report });
  return {
    name: 'reporter',
    quiet: () => loop.quiet?.(),
    async close() {
      await loop.close();
      // Others see by its silence that it is gone.
      await leave().catch(() => undefined);
    },
  };
}
