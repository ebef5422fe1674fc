import { type Asides, createAsides } from './asides.ts';
import type { Clock } from './clock.ts';
import type { Stoppable } from './lifecycle.ts';
import type { Log } from './log.ts';

/** Records when each loop of this process last completed a round, and logs when one is stuck. */
export type Rounds = Stoppable & {
  /** Adds a loop whose rounds should be at most this far apart. */
  join(name: string, everyMs: number): Round;
  ages(): Age[];
  /** The rows that this process set aside. */
  asides: Asides;
};

export type Round = {
  ended(): void;
  leave(): void;
};

/** How long ago the last round ended, or the loop started if none has ended. */
export type Age = { name: string; ageMs: number; stuck: boolean };

/** The time that a round may take on a busy machine, including statements that wait for their limits. */
const graceMs = 30_000;
const lookMs = 5_000;

export function createRounds({ clock, log }: { clock: Clock; log: Log }): Rounds {
  const members = new Set<{ name: string; everyMs: number; at: number; reported: boolean }>();
  const stop = new AbortController();

  const ages = () =>
    [...members].map((member) => {
      const ageMs = clock.monotonic() - member.at;
      return { member, name: member.name, ageMs, stuck: ageMs > member.everyMs + graceMs };
    });

  const watch = async () => {
    while (!stop.signal.aborted) {
      await clock.sleep(lookMs, stop.signal);
      for (const { member, ageMs, stuck } of ages()) {
        if (stuck === member.reported) continue;
        member.reported = stuck;
        const loop = { loop: member.name, ageMs: Math.round(ageMs) };
        if (stuck) log.error(loop, 'a loop is stuck: none of its rounds has ended for a while');
        else log.info(loop, 'a loop that was stuck is running again');
      }
    }
  };
  // Does not reject: it only sleeps, compares times and logs.
  void watch();

  return {
    name: 'rounds',
    join(name, everyMs) {
      const member = { name, everyMs, at: clock.monotonic(), reported: false };
      members.add(member);
      return {
        ended() {
          member.at = clock.monotonic();
        },
        leave: () => void members.delete(member),
      };
    },
    asides: createAsides({ clock, log }),
    ages: () => ages().map(({ name, ageMs, stuck }) => ({ name, ageMs, stuck })),
    close: () => stop.abort(),
  };
}
