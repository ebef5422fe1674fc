import { bins, fromKept, type KeptCounts, middleOf, widthOf } from '../polls/ages.ts';
import type { Dice } from './dice.ts';

/** How calls end, how long they take and what they cost: as seen so far, and near the usual if little was seen. */
export const callEnds = [
  'answered',
  'voicemail',
  'no-answer',
  'busy',
  'failed',
  'canceled',
  'dropped',
] as const;
type CallEnd = (typeof callEnds)[number];

/** Ended calls with one attempt number and one outcome, as the reports count them. */
export type SeenCalls = {
  attempt: number;
  outcome: string;
  calls: number;
  cost: number;
  costed: number;
  /** Seconds from create to settlement, summed, and the number of calls they are from. */
  busy: number;
  followed: number;
};

/** The usual odds: the share of each outcome, and how many seconds such a call takes. */
const usual: Record<CallEnd, { share: number; seconds: number }> = {
  answered: { share: 0.3, seconds: 90 },
  voicemail: { share: 0.22, seconds: 32 },
  'no-answer': { share: 0.34, seconds: 30 },
  busy: { share: 0.07, seconds: 6 },
  failed: { share: 0.06, seconds: 5 },
  canceled: { share: 0.01, seconds: 5 },
  dropped: { share: 0, seconds: 20 },
};
/** The usual odds count as `shareTrust` seen calls; for one attempt number, those of all attempts as `numberTrust`. */
const shareTrust = 12;
const numberTrust = 25;
const lengthTrust = 3;
/** How far lengths may lie from what was expected: from the usual, and from those of an agent whose calls are known. */
const lengthSpread = 0.6;
const agentSpread = 0.15;
/**
 * How far both may drift from what was seen: lengths by this share, outcomes as if at most this many calls were seen.
 */
const lengthDrift = 0.06;
const mostTrusted = 150;

/** A service whose calls of every outcome take less than this share of the usual time is a simulator with fast time. */
const fasterThanTime = 0.25;
/** How many calls of an outcome show its pace, and how many outcomes show the service's. */
const enoughPaced = 2;

export type Odds = {
  /** Calls by outcome: over all attempts, and by attempt number; attempts after the last number share its counts. */
  all: number[];
  byNumber: number[][];
  seconds: number[];
  /** How sure the lengths are, in calls of each outcome. */
  followed: number[];
  known: boolean;
  /** Null if the service has reported none. */
  cost: (number | null)[];
};

/**
 * `meanSeconds` is how long an agent's calls take, if that is known from earlier campaigns. `calling` is how many calls
 * are in progress: short calls end first, so the outcomes of long ones are seen too seldom while many are. `speed` is
 * what a simulator says about itself.
 */
export function oddsOf(
  seen: readonly SeenCalls[],
  most: number,
  meanSeconds: number | null,
  calling = 0,
  speed = 1,
): Odds {
  const of = (outcome: CallEnd) => endedAs(seen, outcome);
  const usualMean = callEnds.reduce((mean, each) => mean + usual[each].share * usual[each].seconds, 0);
  const scale = meanSeconds === null ? Math.min(1 / speed, paceOf(seen)) : meanSeconds / usualMean;
  const seconds = callEnds.map((outcome) => {
    const own = of(outcome);
    const weight = sum(own, (each) => each.followed) + lengthTrust;
    return (sum(own, (each) => each.busy) + lengthTrust * usual[outcome].seconds * scale) / weight;
  });
  const ended = callEnds.map(
    (outcome) => sum(of(outcome), (each) => each.calls) + shareTrust * usual[outcome].share,
  );
  const all = withLive(ended, seconds, calling);
  const byNumber = Array.from({ length: Math.max(1, most) }, (_, i) =>
    callEnds.map((outcome, o) => {
      const own = of(outcome).filter((each) => each.attempt === i + 1);
      // Calls in progress are counted with the first attempt.
      const live = i === 0 ? all[o]! - ended[o]! : 0;
      return sum(own, (each) => each.calls) + live;
    }),
  );
  const told = sum(seen, (each) => each.costed);
  const mean = told > 0 ? sum(seen, (each) => each.cost) / told : null;
  const cost = callEnds.map((outcome) => {
    const own = sum(of(outcome), (each) => each.costed);
    return own > 0 ? sum(of(outcome), (each) => each.cost) / own : mean;
  });
  const followed = callEnds.map((outcome) => sum(of(outcome), (each) => each.followed));
  return { all, byNumber, seconds, followed, known: meanSeconds !== null, cost };
}

function endedAs(seen: readonly SeenCalls[], outcome: CallEnd): SeenCalls[] {
  return seen.filter((each) => each.outcome === outcome);
}

function sum(list: readonly SeenCalls[], pick: (each: SeenCalls) => number): number {
  return list.reduce((all, each) => all + pick(each), 0);
}

/** How long calls take relative to the usual: 1, unless all of them run faster than time. */
function paceOf(seen: readonly SeenCalls[]): number {
  const paces = callEnds.flatMap((outcome) => {
    const own = endedAs(seen, outcome);
    const followed = sum(own, (each) => each.followed);
    return followed < enoughPaced ? [] : [sum(own, (each) => each.busy) / followed / usual[outcome].seconds];
  });
  const slowest = Math.max(...paces);
  return paces.length >= enoughPaced && slowest < fasterThanTime ? slowest : 1;
}

/** Adds the calls in progress by probable outcome: the longer calls of an outcome last, the more are in progress. */
function withLive(ended: readonly number[], seconds: readonly number[], calling: number): number[] {
  let all = [...ended];
  for (let round = 0; round < 4 && calling > 0; round++) {
    const weights = all.map((count, o) => count * seconds[o]!);
    const total = weights.reduce((a, b) => a + b, 0);
    all = ended.map((count, o) => count + (calling * weights[o]!) / total);
  }
  return all;
}

/** The shares and lengths of one simulated run. */
export type DrawnOdds = {
  byNumber: number[][];
  seconds: number[];
  /** The mean over all outcomes of a first attempt. */
  mean: number;
  /** How much lengths of one outcome differ, as the deviation of their logarithm. */
  sigma: number;
};

export function drawOdds(odds: Odds, dice: Dice): DrawnOdds {
  const general = drawShares(odds.all, dice);
  const byNumber = odds.byNumber.map((own) =>
    drawShares(
      own.map((n, o) => n + numberTrust * general[o]!),
      dice,
    ),
  );
  const seconds = odds.seconds.map((each, o) => {
    const spread =
      (odds.known ? agentSpread : lengthSpread) / Math.sqrt(1 + odds.followed[o]! / 4) + lengthDrift;
    return each * Math.exp(spread * dice.normal());
  });
  const mean = byNumber[0]!.reduce((all, share, o) => all + share * seconds[o]!, 0);
  // Some services end all calls at about the same age; others do not.
  const sigma = 0.3 + 0.6 * dice.uniform();
  return { byNumber, seconds, mean, sigma };
}

/** Shares that may have led to these counts. */
function drawShares(counts: readonly number[], dice: Dice): number[] {
  const seen = counts.reduce((a, b) => a + b, 0);
  const trusted = Math.min(1, mostTrusted / seen);
  const drawn = counts.map((count) => dice.gamma(Math.max(0.01, count * trusted)));
  const total = drawn.reduce((a, b) => a + b, 0);
  return drawn.map((each) => each / total);
}

/** Fewer endings than this show no length. */
const enoughEndings = 10;

/** How long an agent's calls take, in seconds, from what the polls of all campaigns saw; null where that is too little. */
export function meanLengthOf(kept: readonly KeptCounts[]): number | null {
  const watched = new Float64Array(bins);
  const ended = new Float64Array(bins);
  for (const ages of fromKept(kept).values()) {
    for (let bin = 0; bin < bins; bin++) {
      watched[bin]! += ages.watched[bin]!;
      ended[bin]! += ages.ended[bin]!;
    }
  }
  if (ended.reduce((a, b) => a + b, 0) < enoughEndings) return null;
  let alive = 1;
  let mean = 0;
  for (let bin = 0; bin < bins && alive > 1e-4; bin++) {
    if (watched[bin]! <= 0) continue;
    const stays = Math.exp((-ended[bin]! / watched[bin]!) * widthOf(bin));
    mean += alive * (1 - stays) * middleOf(bin);
    alive *= stays;
  }
  return mean;
}
