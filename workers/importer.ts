import type { Clock } from '../src/base/clock.ts';
import type { Stoppable } from '../src/base/lifecycle.ts';
import type { Log } from '../src/base/log.ts';
import { startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { Importer } from '../src/control/imports/work.ts';

/** The importer: stores the people of lists that were sent to be added later. Any process may do it. */
export function startImporter(
  importer: Importer,
  deps: { clock: Clock; log: Log; rounds?: Rounds },
): Stoppable {
  const loop = startLoop({ ...deps, name: 'importer', everyMs: 1_000, work: importer.round });
  return {
    name: 'importer',
    async close() {
      await loop.close();
      await importer.close();
    },
  };
}
