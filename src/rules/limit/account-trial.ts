import type { LaneNews, LaneSeen, Trial } from './account-state.ts';
import { oddsOfTwo } from './odds.ts';

/**
 * A trial: one lane gives way, and another asks for as much more. With a limit of its own the second is refused at once.
 * With one that both share it is not, until the first one comes back. Pure.
 */
/** The part of its pace that the giver leaves, and how much of that is asked for: the rest is for what nobody knows. */
const mostGiven = 0.8;
const leastGiven = 0.2;
const asked = 0.75;
const leastGain = 0.1;
const mostGain = 3;
/** A trial begins after every process has read that it does. */
export const aheadMs = 1_500;
/** The giver begins a little before the taker: tokens that it has already are still used. */
const firstMs = 700;
const mostTrialMs = 120_000;
/** What a long window holds shows only at its end, and giving way for so long costs too much. */
const mostSpanMs = 5_000;
/** A lane must use what it may, or a trial shows nothing. */
const leastUse = 0.7;
/** More than the limit that a service may let pass: some requests, and a part of what was sent. */
const fewExtra = 10;
const partExtra = 0.05;
const mostSaved = 30;
const leastMs = 3_000;
/** A refusal or two may come by chance. */
const byChance = 2;
const mostRefused = 4;
/** The second part is a little longer than the first, and ends when it has shown enough. */
const backShare = 1.4;
const enough = 4;
const leastRefused = 3;
const refusedOdds = -1.5;

type Unit = LaneSeen & { name: string };

/** Null when the two cannot be compared now. */
export function newTrial(giver: Unit, taker: Unit, now: number): Trial | null {
  if (![giver, taker].every((each) => isSteady(each))) return null;
  const base = Math.max(taker.rate, taker.limit!);
  const gain = Math.min(giver.rate * mostGiven * asked, base * mostGain);
  const saved = Math.max(0, (base * (now - taker.refusedAt)) / 1_000 - taker.count);
  if (gain < base * leastGain || saved > mostSaved + base) return null;
  const gives = Math.max(leastGiven, gain / asked / giver.rate);
  const spanMs = Math.max(giver.spanMs, taker.spanMs);
  const pair = { giver: giver.name, taker: taker.name, base, gain, gives, saved, spanMs };
  const part = { part: 'give', from: now + aheadMs, accepted: 0, sentAt: 0, refused: 0 } as const;
  const trial: Trial = { ...pair, ...part, given: null };
  return spanMs > mostSpanMs || partMs(trial) > mostTrialMs ? null : trial;
}

function isSteady({ isReady, limit, rate, used }: Unit): boolean {
  return isReady && limit !== null && used >= rate * leastUse;
}

export function trialShare(trial: Trial, name: string, now: number): number {
  // Perhaps nobody has work any more who could end it.
  if (isOverdue(trial, now)) return 1;
  if (name === trial.giver) return trial.part === 'give' && now >= trial.from - firstMs ? 1 - trial.gives : 1;
  return name === trial.taker && now >= trial.from ? 1 + trial.gain / trial.base : 1;
}

/** `odds`: the logarithm of how much better one limit explains it than two; null while the trial continues. */
export function hearTrial(
  before: Trial,
  news: readonly LaneNews[],
  now: number,
): { trial: Trial; odds: number | null } {
  const trial = { ...before };
  for (const each of news.filter(({ name }) => name === trial.taker)) {
    trial.accepted += each.inTrial;
    if (each.inTrial > 0) trial.sentAt = Math.max(trial.sentAt, each.sentAt);
    trial.refused += each.refused.filter((at) => at >= trial.from).length;
  }
  const isOver = isOverdue(trial, now);
  return trial.given ? hearBack(trial, trial.given, isOver) : hearGive(trial, now, isOver);
}

function isOverdue(trial: Trial, now: number): boolean {
  return now - trial.from > partMs(trial) * 2.5 + 5_000;
}

function hearGive(trial: Trial, now: number, isOver: boolean): { trial: Trial; odds: number | null } {
  const { accepted, refused, spanMs } = trial;
  const ranMs = Math.max(0, trial.sentAt - trial.from);
  const sent = (trial.base * ranMs) / 1_000;
  const extra = accepted - 1 - sent;
  const needed = fewExtra + trial.saved + partExtra * sent;
  if (extra >= needed && ranMs >= Math.max(leastMs, spanMs * 1.1)) {
    const part = { part: 'back', from: now + aheadMs, accepted: 0, sentAt: 0, refused: 0 } as const;
    return { trial: { ...trial, ...part, given: { accepted, refused } }, odds: null };
  }
  if (refused >= mostRefused || (refused >= byChance && extra < needed / 2))
    return { trial, odds: refusedOdds };
  return { trial, odds: isOver ? 0 : null };
}

/** The same pace as before, and the other one is back: it is compared how often each was refused. */
function hearBack(
  trial: Trial,
  given: NonNullable<Trial['given']>,
  isOver: boolean,
): { trial: Trial; odds: number | null } {
  const sent = trial.accepted + trial.refused;
  const before = given.accepted + given.refused;
  const isMore = sent > 0 && trial.refused / sent > given.refused / before;
  const odds = isMore ? Math.min(enough, oddsOfTwo(given.refused, before, trial.refused, sent)) : 0;
  const isDone = isOver || (odds >= enough && trial.refused >= leastRefused) || sent >= before * backShare;
  return { trial, odds: isDone ? odds : null };
}

/** How long the first part takes if nothing is refused. */
function partMs({ base, gain, spanMs, saved }: Trial): number {
  const extra = ((fewExtra + saved) * 1_000) / Math.max(gain - partExtra * base, gain * 0.2);
  return Math.max(leastMs, spanMs * 1.1, extra);
}
