import type { Random } from '../../../src/base/clock.ts';
import { afterBusy, afterClean, newPace, type Pace } from '../../../src/rules/limit/pace.ts';

/** A lane with an endless backlog against a service with a limit, in virtual time with a round trip of 150 ms. */
export type Work = {
  kind: 'bucket' | 'fixed' | 'sliding';
  rate: number;
  windowMs: number;
  minutes: number;
  random: Random;
  scale?: (at: number) => number;
  /** Applied to the pace after each answer, as a store does. */
  through?: (pace: Pace) => Pace;
};

export type Sent = { at: number; ok: boolean; rate: number };

const epoch = 1_700_000_000_000;
const wayMs = 75;

export function work({ kind, rate, windowMs, minutes, random, scale = () => 1, through = (p) => p }: Work): {
  sent: Sent[];
  pace: Pace;
} {
  const admits = limiters[kind](rate, windowMs, scale);
  const sent: Sent[] = [];
  const answers: { at: number; sent: Sent }[] = [];
  let pace = newPace(epoch);
  let next = 0;
  let last = 0;
  let count = 0;
  let heardAt = 0;
  while (next < minutes * 60_000) {
    if (answers.length === 0 || answers[0]!.at > next) {
      const each = { at: next, ok: admits(next + wayMs), rate: pace.rate };
      sent.push(each);
      answers.push({ at: next + 2 * wayMs, sent: each });
      last = next;
      next += pace.stall ? pace.stall.gapMs * 1.6 : 1_000 / pace.rate;
      continue;
    }
    const { at, sent: each } = answers.shift()!;
    const heard = { now: epoch + at, sentAt: epoch + each.at };
    if (each.ok) {
      count += 1;
      if (!pace.stall && at - heardAt < 1_000) continue;
      heardAt = at;
      const shut = pace.stall !== null;
      pace = through(afterClean(pace, { ...heard, count, eager: true }));
      if (!pace.stall) count = 0;
      if (shut && !pace.stall) next = Math.max(at, last + 1_000 / pace.rate);
    } else {
      pace = through(afterBusy(pace, { ...heard, retryAfterMs: null, random }));
      if (pace.stall) next = Math.max(pace.stall.until - epoch, at);
    }
  }
  return { sent, pace };
}

type Admits = (at: number) => boolean;
type Make = (rate: number, windowMs: number, scale: (at: number) => number) => Admits;

const limiters: Record<Work['kind'], Make> = {
  bucket(rate, windowMs, scale) {
    const most = (rate * windowMs) / 1_000;
    let tokens = most;
    let last = 0;
    return (at) => {
      tokens = Math.min(most * scale(at), tokens + ((at - last) / 1_000) * rate * scale(at));
      last = at;
      if (tokens < 1 - 1e-9) return false;
      tokens -= 1;
      return true;
    };
  },
  fixed(rate, windowMs, scale) {
    let window = -1;
    let used = 0;
    return (at) => {
      const current = Math.floor(at / windowMs);
      if (current !== window) used = 0;
      window = current;
      if (used >= Math.floor(((rate * windowMs) / 1_000) * scale(at))) return false;
      used += 1;
      return true;
    };
  },
  sliding(rate, windowMs, scale) {
    const taken: number[] = [];
    return (at) => {
      while (taken.length > 0 && taken[0]! <= at - windowMs) taken.shift();
      if (taken.length >= Math.floor(((rate * windowMs) / 1_000) * scale(at))) return false;
      taken.push(at);
      return true;
    };
  },
};
