import type { Clock } from '../base/clock.ts';
import type { Bucket } from '../engine/bucket.ts';
import { afterClean } from '../rules/limit/pace.ts';
import { runAt } from '../rules/limit/pace-curve.ts';
import { newPace, type Pace } from '../rules/limit/pace-state.ts';

/** The pace of several lanes that share one limit: one belief, in memory that every process of the service shares. */
export type SharedBudget = {
  /** Its name in the engine. */
  readonly name: string;
  readonly since: number;
  pace(): Pace;
  /** Notes an answer on any of its lanes; true when it is time to learn from what was noted. */
  note(eager: boolean, sentAt: number): boolean;
  /** Learns from what was noted, and changes the pace by compare-and-set. */
  change(change: (pace: Pace) => Pace): Promise<void>;
  refresh(): Promise<void>;
  /** Waits until the lanes that came first have a token; call the function to let the next one go. */
  turn(): Promise<() => void>;
};

export type SharedBudgetDeps = {
  bucket: Bucket;
  name: string;
  /** When it was found, and the limit that its lanes had together. */
  since: number;
  start: number;
  clock: Clock;
};

const learnEvery = 1_000;
const nothing = { count: 0, eager: 0, sentAt: 0 };

export function createSharedBudget({ bucket, name, since, start, clock }: SharedBudgetDeps): SharedBudget {
  let pace = runAt(newPace(since), start, since);
  let heard = { ...nothing };
  let learnedAt = Number.NEGATIVE_INFINITY;
  let line: Promise<unknown> = Promise.resolve();

  /** What was learned before the lanes were found to share a limit, for the last time, is of another budget. */
  const paceIn = (value: unknown): Pace | null => {
    const found = (value as { pace?: Pace } | null)?.pace;
    return found && Number.isFinite(found.rate) && found.heardAt >= since ? found : null;
  };

  const takeHeard = (now: number) => {
    const taken = heard;
    heard = { ...nothing };
    learnedAt = now;
    return taken;
  };

  return {
    name,
    since,
    pace: () => pace,
    note(eager, sentAt) {
      heard.count += 1;
      if (eager) heard.eager += 1;
      heard.sentAt = Math.max(heard.sentAt, sentAt);
      const reopens = pace.stall !== null && heard.sentAt > pace.cutAt;
      return reopens || clock.now() - learnedAt >= learnEvery;
    },
    async change(change) {
      const now = clock.now();
      const { count, eager, sentAt } = takeHeard(now);
      for (let tries = 0; tries < 8; tries++) {
        const { version, value } = await bucket.readState(name);
        const before = paceIn(value) ?? pace;
        const digested =
          count > 0 ? afterClean(before, { now, sentAt, count, eager: eager * 2 >= count }) : before;
        pace = change(digested);
        if (pace === paceIn(value) || (await bucket.writeState(name, version, { pace }))) return;
      }
    },
    async refresh() {
      const { value } = await bucket.readState(name);
      pace = paceIn(value) ?? pace;
    },
    turn() {
      let release: () => void = () => undefined;
      const mine = line;
      line = new Promise<void>((resolve) => {
        release = resolve;
      });
      return mine.then(() => release);
    },
  };
}
