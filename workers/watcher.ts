import type { Clock } from '../src/base/clock.ts';
import type { Log } from '../src/base/log.ts';
import { type Loop, startLoop } from '../src/base/loop.ts';
import type { Rounds } from '../src/base/rounds.ts';

/** The watcher: looks for what needs a person. Every process that serves has one, as each sees its own loops and clock. */
export function startWatcher(
  watch: () => Promise<void>,
  deps: { clock: Clock; log: Log; rounds?: Rounds },
): Loop {
  return startLoop({ ...deps, name: 'watcher', everyMs: 10_000, work: watch });
}
