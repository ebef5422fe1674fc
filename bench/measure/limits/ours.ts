import { afterBusy, afterClean, paceRate } from '../../../src/rules/limit/pace.ts';
import { newPace } from '../../../src/rules/limit/pace-state.ts';
import type { SystemMaker } from './play.ts';

/** Carillon's rule, as its governor and bucket use it: evenly spaced requests, single probes while shut. */
const epoch = 1_700_000_000_000;
const learnEveryMs = 1_000;

export const carillon: SystemMaker = (random) => {
  let pace = newPace(epoch);
  let free = 0;
  let last = 0;
  let count = 0;
  let learnedAt = 0;
  return {
    nextAt: () => free,
    sent(at) {
      last = at;
      free = at + 1_000 / paceRate(pace);
    },
    answered({ now, sentAt, ok, retryAfterMs }) {
      const heard = { now: epoch + now, sentAt: epoch + sentAt };
      if (!ok) {
        if (count > 0 && !pace.stall) {
          pace = afterClean(pace, { ...heard, count, eager: true });
          count = 0;
        }
        pace = afterBusy(pace, { ...heard, retryAfterMs, random });
        if (pace.stall) free = Math.max(now, pace.stall.until - epoch);
        return;
      }
      count += 1;
      if (!pace.stall && now - learnedAt < learnEveryMs) return;
      learnedAt = now;
      const shut = pace.stall !== null;
      pace = afterClean(pace, { ...heard, count, eager: true });
      if (pace.stall) return;
      count = 0;
      if (shut) free = Math.max(now, last + 1_000 / paceRate(pace));
    },
  };
};
