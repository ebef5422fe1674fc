import type { Clock } from '../base/clock.ts';
import type { Bucket } from '../engine/bucket.ts';
import { afterClean } from '../rules/limit/pace.ts';
import { firstPace } from '../rules/limit/pace-curve.ts';
import type { Pace } from '../rules/limit/pace-state.ts';

/**
 * The pace of an account's lanes, which share one limit: one belief, in memory that all processes of the service share.
 */
export type SharedBudget = {
  /** Its name in the engine. */
  readonly name: string;
  pace(): Pace;
  /** The place of one key in the account. */
  seat(key: string): Seat;
  /** Notes an answer on any of its lanes; returns true when it is time to learn from what was noted. */
  note(eager: boolean, sentAt: number): boolean;
  /** Learns from what was noted, and changes the pace by compare-and-set. */
  change(change: (pace: Pace) => Pace): Promise<void>;
  refresh(): Promise<void>;
  /** Waits until the lanes that came first have a token; call the function to let the next one go. */
  turn(): Promise<() => void>;
};

export type Seat = {
  readonly budget: SharedBudget;
  /** The other keys of the account. */
  readonly others: readonly string[];
  /** Registers how this process makes the lane's requests wait. */
  attach(rest: (ms: number) => void): void;
  /** Makes the requests that this process is about to send wait, on all lanes of the account. */
  rest(ms: number): void;
  /** The lane has work. */
  works(): void;
  /** Its part of the budget, which is equal for all lanes that have work. */
  share(): number;
};

type SharedBudgetDeps = {
  bucket: Bucket;
  name: string;
  keys: readonly string[];
  /** Requests a second, as the service has published them. */
  published?: number | null;
  clock: Clock;
};

const learnEvery = 1_000;
const worksMs = 10_000;
const nothing = { count: 0, eager: 0, sentAt: 0 };

export function createSharedBudget(deps: SharedBudgetDeps): SharedBudget {
  const { bucket, name, keys, clock } = deps;
  let pace = firstPace(clock.now(), deps.published ?? null);
  let heard = { ...nothing };
  let learnedAt = Number.NEGATIVE_INFINITY;
  let line: Promise<unknown> = Promise.resolve();
  const rests = new Map<string, (ms: number) => void>();
  const workedAt = new Map<string, number>();

  const paceIn = (value: unknown): Pace | null => {
    const found = (value as { pace?: Pace } | null)?.pace;
    return found && Number.isFinite(found.rate) ? found : null;
  };

  const takeHeard = (now: number) => {
    const taken = heard;
    heard = { ...nothing };
    learnedAt = now;
    return taken;
  };

  const budget: SharedBudget = {
    name,
    pace: () => pace,
    seat(key) {
      const others = keys.filter((each) => each !== key);
      const works = (other: string) => clock.now() - (workedAt.get(other) ?? 0) < worksMs;
      return {
        budget,
        others,
        attach: (rest) => void rests.set(key, rest),
        rest(ms) {
          for (const rest of rests.values()) rest(ms);
        },
        works: () => void workedAt.set(key, clock.now()),
        share: () => 1 / (others.filter(works).length + 1),
      };
    },
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
  return budget;
}
