import type { Belief } from '../rules/limit/belief.ts';
import { isShut, paceRate } from '../rules/limit/pace.ts';

/** Translates a belief for a lane's bucket: how fast its tokens come, and how late each may be used. */
export type Kind = 'create' | 'poll';
export type LanePace = {
  rate: number;
  burst: number;
  /** The lane is stalled, and only single probes are sent. */
  probing: boolean;
  slackMs: number;
};

/** A rate and a burst that the operator fixed. */
type Fixed = { rate: number; burst: number };

/** A little less than the limit: two clocks never run at exactly the same speed. */
const margin = 0.985;
/**
 * A service whose bucket holds one second of its rate tolerates tokens that are used much later. A service that counts
 * each second sees a tenth too many in it when several processes are late at once.
 */
const mostSlackMs = 120;
const learnedSlackMs = 200;
/** Above this a lane is practically unlimited, and a late request need not take another token. */
const unlimitedRate = 2_000;

export function lanePaceOf({ pace }: Belief, fixed: Fixed | null): LanePace {
  if (isShut(pace.stall)) {
    return { rate: paceRate(pace), burst: 1, probing: true, slackMs: learnedSlackMs };
  }
  if (!fixed) return { rate: pace.rate, burst: 1, probing: false, slackMs: learnedSlackMs };
  return { rate: fixed.rate * margin, burst: fixed.burst, probing: false, slackMs: slackOf(fixed.rate) };
}

/** The pace of the creates, if they have one of their own. */
export function createPaceOf({ creates: { pace } }: Belief): LanePace | null {
  return pace && { rate: paceRate(pace), burst: 1, probing: isShut(pace.stall), slackMs: learnedSlackMs };
}

/** Whether the bucket must be told of the new pace. */
export function differs(a: LanePace, b: LanePace): boolean {
  return Math.abs(a.rate / b.rate - 1) >= 0.001;
}

/**
 * Tokens are evenly spaced over all processes. If each is used within this time, a service whose bucket holds one
 * second of its rate never runs out, however the requests bunch.
 */
function slackOf(rate: number): number {
  if (rate > unlimitedRate) return Number.POSITIVE_INFINITY;
  const slackMs = Math.max(0, 1 - 1 / rate) * 800;
  return Math.min(mostSlackMs, Math.max(slackMs, ((1 - margin) * 1_000) / rate));
}
