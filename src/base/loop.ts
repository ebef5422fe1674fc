import { isOfOneRow } from './asides.ts';
import type { Rest } from './at-rest.ts';
import type { Clock } from './clock.ts';
import type { Stoppable } from './lifecycle.ts';
import type { Log } from './log.ts';
import type { Rounds } from './stuck-loops.ts';

/** Work that is repeated: on its beat, or at once when it is nudged. Never two rounds at a time. */
export type Loop = Stoppable & {
  nudge(): void;
  /** Ends the loop once the round in hand is finished. */
  close(): Promise<void>;
};

export type LoopOptions = {
  name: string;
  /** The longest rest between two rounds: a loop that is half a minute later than this is reported as stuck. */
  everyMs: number;
  /** The shortest rest between two rounds, however often it is nudged. */
  restMs?: number;
  clock: Clock;
  log: Log;
  /** Records each round, so that a stuck loop is noticed. */
  rounds?: Rounds | undefined;
  /** The loop looks no more often than this while the process is at rest: see at-rest.ts. */
  rest?: Rest | undefined;
  restingMs?: number;
  /** May return how long to rest instead of the beat. */
  work(): Promise<unknown>;
  /** Called once at the start, with the function that nudges the loop. */
  wakes?(nudge: () => void): void;
  /** Called after the last round, when the loop is closed. */
  end?(): Promise<unknown>;
};

export function startLoop(options: LoopOptions): Loop {
  const { name, clock, log } = options;
  const stop = new AbortController();
  let alarm = new AbortController();
  let nudged = false;
  const round = options.rounds?.join(name, options.everyMs);

  /** How much rest the rounds so far call for. */
  let owedMs = 0;
  let endedAt = clock.monotonic();

  const run = async () => {
    while (!stop.signal.aborted) {
      let rest = options.everyMs;
      const began = clock.monotonic();
      owedMs = Math.max(0, owedMs - (began - endedAt));
      try {
        const asked = await options.work();
        if (typeof asked === 'number') rest = asked;
        if (options.rest?.isAtRest()) rest = Math.max(rest, options.restingMs ?? options.rest.restMs());
        round?.ended();
        options.rounds?.asides.done(name, 'a round');
      } catch (error) {
        // A restart would not help, and the alert says it: the loop is not stuck.
        if (options.rounds && isOfOneRow(error)) {
          options.rounds.asides.fail(name, 'a round', error);
          round?.ended();
        }
        log.warn({ err: (error as Error).message }, `${name}: a round failed and will be tried again`);
      }
      endedAt = clock.monotonic();
      // However often it is nudged, it works a tenth of the time. Up to a beat's rest may be owed: a loop that has just
      // started answers its first nudge at once, although its first round is its slowest.
      owedMs = Math.min(2 * options.everyMs, owedMs + (endedAt - began) * 9);
      const least = options.restMs === undefined ? 0 : Math.max(options.restMs, owedMs - options.everyMs);
      await clock.sleep(Math.min(options.everyMs, least), stop.signal);
      if (!nudged && !stop.signal.aborted) await clock.sleep(Math.max(1, rest), alarm.signal);
      nudged = false;
      alarm = new AbortController();
    }
    round?.leave();
  };
  const ended = run();

  const nudge = () => {
    if (nudged) return;
    nudged = true;
    alarm.abort();
  };
  options.wakes?.(nudge);
  options.rest?.onStir(nudge);

  return {
    name,
    nudge,
    quiet() {
      stop.abort();
      alarm.abort();
    },
    async close() {
      stop.abort();
      alarm.abort();
      await ended;
      try {
        await options.end?.();
      } catch (error) {
        log.warn({ err: (error as Error).message }, `${name}: the end of its work failed`);
      }
    },
  };
}
