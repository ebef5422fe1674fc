import { spreadFrom } from './part-of-day.ts';

/** The verdict on an outcome: when the person is tried again, or never. */
export const retryTimes = ['same', 'spread'] as const;
export type RetryWhen = (typeof retryTimes)[number];

export type RetryRule = {
  maxAttempts: number;
  /** Seconds to wait, by outcome: the nth for the nth end of this kind, the last for all after it. */
  retry: Readonly<Record<string, readonly number[]>>;
  /** Seconds to wait before the person's next number, by outcome. */
  nextNumber?: Readonly<Record<string, number>> | undefined;
  retryWhen: RetryWhen;
};

/** An attempt that has ended: how, and when it was made. */
export type Try = { id?: string; outcome: string; at: number };

export type Tried = {
  /** Attempts that may have reached the phone, the last one included. */
  attempts: number;
  /** The least attempts allowed, whatever the rule says: a person asked for one more. */
  granted: number;
  /** Whether another number of the person was not tried in this round. */
  hasNextPhone?: boolean | undefined;
  /** How many of them the person asked for: these do not count. */
  callbacks: number;
  /** The attempts with an outcome, in order. */
  tries: readonly Try[];
};

/** Seconds from the end of the last try to the next; null when it was the last. An outcome without a rule is final. */
export function nextAttemptIn(tried: Tried, rule: RetryRule): number | null {
  const { attempts, granted, callbacks, tries } = tried;
  const outcome = tries.at(-1)?.outcome;
  if (outcome === undefined || attempts - callbacks >= Math.max(rule.maxAttempts, granted)) return null;
  const other = otherNumberIn(tried, rule);
  if (other !== null) return other;
  const delays = Object.hasOwn(rule.retry, outcome) ? rule.retry[outcome]! : [];
  const times = tries.filter((each) => each.outcome === outcome).length;
  return delays[Math.min(times, delays.length) - 1] ?? null;
}

/** Seconds until the person's next number is tried; null where none is left in this round, or it waits for the next attempt. */
function otherNumberIn({ tries, hasNextPhone }: Tried, { nextNumber = {} }: RetryRule): number | null {
  const outcome = tries.at(-1)?.outcome ?? '';
  return hasNextPhone && Object.hasOwn(nextNumber, outcome) ? nextNumber[outcome]! : null;
}

/** What limits a person's next attempt: the zone of the person's day, and when calls are allowed. */
export type Where = { zone: string | undefined; opens(from: number): number | null };

/** When the person is tried again after a try that ended at `ended`; null when it was the last. */
export function nextAttemptAt(tried: Tried, rule: RetryRule, ended: number, where: Where): number | null {
  const delay = nextAttemptIn(tried, rule);
  if (delay === null) return null;
  const due = ended + delay * 1_000;
  // Another number at once is no second try at the same hour.
  if (rule.retryWhen === 'same' || where.zone === undefined || otherNumberIn(tried, rule) !== null)
    return due;
  const times = tried.tries.map(({ at }) => at);
  return spreadFrom(due, where.zone, times, where.opens);
}
