import { clamp, isUnsure } from './pace-curve.ts';

/** What refusals show of a window: a service that counts by the minute or hour refuses for long, then opens. */
export type WindowMarks = {
  /** The believed limit, null until the first 429, and how sure it is, from 0 to 1. */
  limit: number | null;
  sure: number;
  /** The last 429 that showed something new: requests sent before it show nothing more. */
  cutAt: number;
  /** The lane is stalled: only single probes are sent, `gapMs` apart. `limit` is the one believed before. */
  stall: { since: number; gapMs: number; until: number; limit: number | null } | null;
  /** When it last opened after a long stall, and how many requests were accepted since. */
  openAt: number;
  openCount: number;
  /** How long after the last refused probe it opened. */
  shutMs: number | null;
  /** The current window, as far as it is known: its start, and how many requests it accepted. */
  edgeAt: number;
  edgeCount: number;
  lastCount: number;
  /** The most requests that a whole window held without a refusal. */
  fullest: number;
  /** How long the service's window seems to be; 0 when it shows none. */
  period: number;
  /** How often a stall has ended when the window predicted it. */
  turns: number;
  /** How many requests such a window seems to hold. */
  held: number;
};

/** A refusal this early in a window belongs to the end of the last one: two clocks never agree exactly. */
const spilled = 0.1;
const minuteMs = 60_000;
/** Services choose windows of round lengths. */
const roundSpans = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600].map((s) => s * 1_000);

export function judgeWindow(
  pace: WindowMarks,
  sentAt: number,
): Pick<WindowMarks, 'limit' | 'period' | 'turns' | 'sure' | 'held'> {
  const { openAt, cutAt, openCount: count } = pace;
  // The window opened between the last probe that was refused and the first that was not; so did the one before.
  const least = cutAt - openAt;
  const most = sentAt - openAt + (pace.shutMs ?? 0);
  const { period } = pace;
  if (pace.turns > 0) {
    const phase = phaseOf(pace, pace.stall!.since);
    const due = phase < spilled ? pace.edgeAt : pace.edgeAt + period;
    // It opened when it was expected to, so what it accepted is all that it holds.
    if (cutAt < due + 0.15 * period && sentAt > due - 0.15 * period && sentAt < due + 0.5 * period) {
      const held =
        phase < spilled
          ? pace.fullest
          : phase > 0.8
            ? Math.max(pace.edgeCount, pace.fullest)
            : pace.edgeCount;
      if (held >= 8) {
        // So few in so short a time show a change, but not yet how large it is.
        const limit = clamp(Math.max((held * 1_000) / period, pace.limit! * 0.5));
        return { limit, period, turns: pace.turns + 1, sure: Math.min(1, pace.sure + 0.35), held };
      }
    }
    if (!isLong(pace, sentAt)) return pace;
  }
  if (pace.shutMs === null && !isUnsure(pace)) {
    // The lane was well known until now: what it accepted since its start says nothing about this stall.
    const shut = cutAt - pace.stall!.since;
    const span = roundSpans.find((ms) => ms >= shut) ?? shut;
    return { limit: pace.limit, period: Math.max(pace.period, span), turns: 0, sure: 0.25, held: 0 };
  }
  if (pace.shutMs === null) {
    const limit = clamp(Math.min(pace.limit!, (count * 1_000) / (least * 0.7 + (sentAt - openAt) * 0.3)));
    return {
      limit,
      period: roundSpans.find((ms) => ms >= 0.97 * least) ?? least,
      turns: 0,
      sure: 0.2,
      held: count,
    };
  }
  // Refused again after a moment: this was not a whole window.
  if (count < 5) return { ...pace, turns: 0 };
  const windows = pace.held > 0 ? Math.max(1, Math.round(count / pace.held)) : 1;
  const round = roundSpans.find((ms) => ms * windows >= least * 0.99 && ms * windows <= most * 1.01);
  const span = round ?? (least * 0.7 + most * 0.3) / windows;
  const limit = clamp(Math.max((count * 1_000) / (span * windows), pace.limit! * 0.3));
  return { limit, period: span, turns: round ? 1 : 0, sure: round ? 0.6 : 0.25, held: count / windows };
}

/** When the current window began: a stall that ended near the expected opening shows it more exactly. */
export function edgeAfter(pace: WindowMarks, sentAt: number, count: number): Partial<WindowMarks> {
  const { period, cutAt, edgeAt, edgeCount } = pace;
  const due = pace.turns > 0 && phaseOf(pace, pace.stall!.since) < spilled ? edgeAt : edgeAt + period;
  if (pace.turns > 0) {
    const opening = Math.min(sentAt, Math.max(due, cutAt));
    if (Math.abs(opening - due) < 0.15 * period)
      return { edgeAt: opening, edgeCount: count, lastCount: edgeCount, fullest: 0 };
    // Accepted again long before the window's end: the window was not the cause.
    if (sentAt < due) return { edgeCount: edgeCount + count };
  } else if (period > 0 && !isLong(pace, sentAt)) return { edgeCount: edgeCount + count };
  return { edgeAt: (cutAt + sentAt) / 2, edgeCount: count, lastCount: edgeCount, fullest: 0 };
}

/** The share of the current window that has passed; only when one is known. */
function phaseOf({ edgeAt, period }: WindowMarks, at: number): number {
  return (at - edgeAt) / period;
}

export function isLong(pace: WindowMarks, sentAt: number): boolean {
  return sentAt - pace.stall!.since > Math.max(2_000, 4_000 / pace.limit!);
}

/** Requests a second accepted within the last period, with the share of the window before that is still in it. */
export function lastWindow(pace: WindowMarks, now: number): number {
  const phase = Math.min(1, Math.max(0, phaseOf(pace, now)));
  return ((pace.edgeCount + pace.lastCount * (1 - phase)) * 1_000) / pace.period;
}

/**
 * The first probe comes soon; later ones skip the time that a known window would refuse. While none is known, they try
 * the times at which windows often open: a full minute of the clock, and a full minute since the lane opened.
 */
export function nextProbe(pace: WindowMarks, now: number, gap: number): number {
  const { period, stall, edgeAt, turns } = pace;
  const spill = phaseOf(pace, stall?.since ?? now) < spilled;
  if (turns > 0 && !spill && now - edgeAt < period && (stall || (turns > 1 && phaseOf(pace, now) > 0.8))) {
    return edgeAt + period + Math.min(250, 0.004 * period) - now;
  }
  if (gap < 3_000) return gap;
  const likely = [now % minuteMs, (now - pace.openAt) % minuteMs].flatMap((gone) =>
    [250, 1_500].map((late) => minuteMs - gone + late).concat(gone < 250 ? 1_500 - gone : []),
  );
  return Math.min(gap, ...likely);
}
