import type { Random } from '../../base/clock.ts';
import { clamp, isUnsure, riseTo, spanOf } from './pace-curve.ts';
import { edgeAfter, isLong, judgeWindow, lastWindow, nextProbe, type WindowMarks } from './pace-window.ts';

/**
 * The governor's rule: finds the pace of a lane with an unpublished limit, only from its answers. Pure, over a small
 * state that any number of processes share.
 */
export type Pace = WindowMarks & {
  /** Requests a second that the lane may send while it is not stalled. */
  rate: number;
  /** Since when the believed limit has been about this. */
  since: number;
  /** Growing fast, because nothing shows where the limit is. */
  seeking: boolean;
  grownAt: number;
  /** When the cycle began, at the last event of 429s. */
  fromAt: number;
  /** Requests accepted in the cycle, and how long the lane was fully used, or was not. */
  count: number;
  usedMs: number;
  idleMs: number;
  heardAt: number;
  /** How long a short stall lasted. */
  restMs: number;
  /** The limit before it fell, or the current one; 0 until one has been stable. */
  usual: number;
  /** Since when the limit has been far below the usual, and how often its return was looked for in vain. */
  fallenAt: number;
  looks: number | null;
};

export type Busy = {
  now: number;
  /** When the refused request left. */
  sentAt: number;
  retryAfterMs: number | null;
  random: Random;
};

export type Clean = {
  now: number;
  /** When the latest of the answered requests left. */
  sentAt: number;
  count: number;
  /** Others were waiting for a token: the lane is fully used. */
  eager: boolean;
};

/** A lane that was unused for this long must find its limit again. */
const longIdleMs = 600_000;
const seekEveryMs = 2_000;
/** The longest that a lane goes without a probe when the service names no time. */
const mostGapMs = 120_000;
/** A limit below this share of the usual one has fallen; after `mostFallMs` it is the usual one. */
const fallen = 0.75;
const mostFallMs = 300_000;
const leastStandMs = 10_000;
const mostAskedMs = 6 * 3_600_000;

export function newPace(now: number, rate = 2): Pace {
  return {
    rate,
    limit: null,
    sure: 0,
    since: now,
    seeking: true,
    grownAt: now,
    cutAt: 0,
    stall: null,
    fromAt: now,
    count: 0,
    usedMs: 0,
    idleMs: 0,
    heardAt: now,
    openAt: now,
    openCount: 0,
    shutMs: null,
    restMs: 0,
    usual: 0,
    fallenAt: 0,
    looks: null,
    edgeAt: now,
    edgeCount: 0,
    lastCount: 0,
    fullest: 0,
    period: 0,
    turns: 0,
    held: 0,
  };
}

/** A 429: the lane stalls, and the believed limit is corrected once per event, however many 429s it brings. */
export function afterBusy(pace: Pace, { now, sentAt, retryAfterMs, random }: Busy): Pace {
  // A service that says "at once" has just shown that it does not mean it.
  const askedMs = retryAfterMs ? Math.min(retryAfterMs, mostAskedMs) : 0;
  const roundTripMs = Math.max(0, now - sentAt);
  if (sentAt <= pace.cutAt) {
    if (!pace.stall || now + askedMs <= pace.stall.until) return pace;
    return { ...pace, stall: { ...pace.stall, until: now + askedMs } };
  }
  const limit = pace.stall ? pace.limit! : judgeEvent(pace, now);
  const gapMs = pace.stall
    ? Math.min(mostGapMs, pace.stall.gapMs * (pace.stall.gapMs < 4_000 ? 2 : 1.4))
    : Math.max(roundTripMs, (isUnsure(pace) ? 1_200 : 400) / riseTo(limit, 0, pace));
  const since = pace.stall?.since ?? now;
  const wait = askedMs > 0 ? askedMs + random() * 20 : nextProbe(pace, now, gapMs * (1 + 0.2 * random()));
  return {
    ...settle(pace, limit, now, pace.stall ? pace.sure : sureAfter(pace)),
    seeking: false,
    cutAt: now,
    stall: { since, gapMs, until: now + wait, limit: pace.stall ? pace.stall.limit : pace.limit },
  };
}

/** Requests were answered: a stalled lane opens, an open one grows along its curve while it is fully used. */
export function afterClean(pace: Pace, heard: Clean): Pace {
  if (pace.stall) return heard.sentAt > pace.cutAt ? reopen(pace, heard) : pace;
  const { now, eager } = heard;
  const passed = Math.max(0, now - pace.heardAt);
  const next: Pace = { ...pace, count: pace.count + heard.count, heardAt: Math.max(now, pace.heardAt) };
  next.edgeCount += heard.count;
  next.openCount += heard.count;
  if (pace.period > 0 && now >= pace.edgeAt + pace.period) {
    next.lastCount = now < pace.edgeAt + 2 * pace.period ? pace.edgeCount : 0;
    next.fullest = Math.max(pace.fullest, pace.edgeCount);
    next.edgeAt += Math.floor((now - pace.edgeAt) / pace.period) * pace.period;
    next.edgeCount = Math.round(Math.min(heard.count, ((now - next.edgeAt) / 1_000) * pace.rate));
  }
  if (passed > longIdleMs) return afterIdle(next, now);
  const used = eager ? Math.min(passed, Math.max(seekEveryMs, 3_000 / pace.rate)) : 0;
  next.usedMs += used;
  next.idleMs += passed - used;
  if (!eager) return next;
  return next.seeking ? seek(next, now) : climb(next, now);
}

/** Estimates the limit that was just met: the requests accepted since it was last met, over the time between. */
function judgeEvent(pace: Pace, now: number): number {
  const { limit, rate, count } = pace;
  // The last step raised the rate by half: the limit is up to a third below.
  if (limit === null) return clamp(rate * 0.7);
  const ms = pace.usedMs;
  const low = Math.min(limit, rate);
  const window = pace.period > 0 ? lastWindow(pace, now) : Number.POSITIVE_INFINITY;
  // The last step raised the rate by a fifth, and what was accepted before it belongs to another limit.
  if (hasLeapt(pace)) return clamp(Math.min(rate * 0.8, Math.max(window, limit * 0.5)));
  if (idled(pace, now)) return clamp(low * 0.97);
  if (count < 8 && window < low) return clamp(Math.max(window, low * 0.5));
  if (count < 8 || ms <= 0) return clamp(low * (pace.sure > 0.5 ? 0.97 : pace.sure > 0.25 ? 0.93 : 0.85));
  const measured = (count * 1_000) / ms;
  if (pace.usedMs < spanOf(limit, pace)) return clamp(Math.min(rate, Math.max(measured, rate * 0.6)));
  // A service that saves unused tokens accepts its limit on average, and refuses only far above it; one that saves
  // nothing refuses right at it. The limit is between the two, nearer to the average.
  const between = measured + (Math.max(rate, measured) - measured) * 0.3;
  const weight = Math.min(1, count / 40);
  return clamp(between * weight + low * (1 - weight));
}

/** Overshot the believed limit by a step or more; a slow climb does not count. */
function hasLeapt({ seeking, limit, rate }: Pace): boolean {
  return seeking && limit !== null && rate > limit * 1.3;
}

function sureAfter(pace: Pace): number {
  if (pace.limit === null) return 0.2;
  if (hasLeapt(pace)) return pace.turns > 0 ? pace.sure : 0.2;
  if (pace.count < 8) return pace.sure / 2;
  return Math.min(1, pace.sure + (pace.count < 40 ? 0.1 : 0.35));
}

/** A probe was accepted. A long stall shows a window: then whole windows are counted, from opening to opening. */
function reopen(pace: Pace, { now, count, sentAt }: Clean): Pace {
  const stall = pace.stall!;
  const stalled = sentAt - stall.since;
  const long = isLong(pace, sentAt);
  const seen = (long || pace.turns > 0) && !idled(pace, now) ? judgeWindow(pace, sentAt) : pace;
  const back: Pace = {
    ...settle(pace, seen.limit, now, seen.sure),
    period: seen.period,
    turns: seen.turns,
    held: seen.held,
    stall: null,
    ...fallAfter(pace, seen.limit!, now),
  };
  return {
    ...back,
    rate: riseTo(seen.limit!, 0, back),
    fromAt: stall.since,
    ...(long
      ? { openAt: sentAt, openCount: count, shutMs: sentAt - pace.cutAt }
      : { openCount: pace.openCount + count }),
    restMs: long ? 0 : stalled,
    ...edgeAfter(pace, sentAt, count),
    count,
    usedMs: 0,
    idleMs: 0,
    heardAt: now,
    grownAt: now,
  };
}

/** A limit that falls suddenly, as when a service is short of resources, often returns as suddenly. */
function fallAfter(pace: Pace, limit: number, now: number): Pick<Pace, 'usual' | 'fallenAt' | 'looks'> {
  const { looks, usedMs, sure } = pace;
  const isRecent = now - pace.fallenAt < mostFallMs;
  // It seemed to be back and fell again: then the old usual limit no longer holds.
  const usual = looks === null && isRecent ? Math.sqrt(pace.usual * limit) : pace.usual;
  const fallenAt = looks === null && !isRecent ? now : pace.fallenAt;
  // Refused below the believed limit, it is still falling; refused above it, it has looked in vain.
  const looked = looks !== null && usedMs >= spanOf(pace.stall!.limit!, pace) ? 1 : 0;
  if (!isUnsure(pace) && limit < fallen * usual && now - fallenAt < mostFallMs) {
    return { usual, fallenAt, looks: (looks ?? 0) + looked };
  }
  // Several refusals in a row may each lower it a little: only a limit that held for a while is the usual one.
  const wasStable = sure >= 0.5 && now - pace.fromAt > leastStandMs;
  return { usual: wasStable ? limit : usual, fallenAt: pace.fallenAt, looks: null };
}

function seek(pace: Pace, now: number): Pace {
  const every = Math.max(seekEveryMs, pace.period / 15, 2_000 / pace.rate);
  if (now - pace.grownAt < every) return pace;
  // Up to the usual limit the rate rises fast, and from there along the normal curve.
  if (pace.looks !== null && pace.rate * 1.5 > pace.usual) return comeBack(pace, now);
  const rate = clamp(pace.rate * (pace.limit === null || pace.looks !== null ? 1.5 : 1.2));
  const limit = pace.limit === null ? null : Math.max(pace.limit, rate / 1.5);
  return { ...settle(pace, limit, now, pace.sure), rate, grownAt: now };
}

function comeBack(pace: Pace, now: number): Pace {
  const back: Pace = {
    ...settle(pace, pace.usual, now, pace.sure),
    seeking: false,
    looks: null,
    fromAt: now,
    count: 0,
    usedMs: 0,
    idleMs: 0,
  };
  return { ...back, rate: riseTo(pace.usual, 0, back) };
}

function climb(pace: Pace, now: number): Pace {
  const limit = pace.limit!;
  const rate = riseTo(limit, pace.usedMs, pace);
  const most = (limit * pace.period) / 1_000;
  // The service accepts more than it did last time: its limit is higher.
  const isHigher = pace.turns > 0 ? pace.edgeCount > most + Math.max(2, 0.02 * most) : rate > limit * 1.12;
  if (!isHigher) return { ...pace, rate: clamp(rate) };
  return { ...pace, rate: clamp(rate), seeking: true, grownAt: now };
}

/** After a long idle time the limit may have changed: it is approached from below. */
function afterIdle(pace: Pace, now: number): Pace {
  const sure = pace.sure / 2;
  const fresh = {
    ...pace,
    count: 0,
    idleMs: 0,
    fromAt: now,
    openAt: now,
    openCount: 0,
    shutMs: null,
    grownAt: now,
  };
  if (pace.limit === null) return { ...fresh, rate: Math.min(pace.rate, 2), seeking: true };
  const usedMs = -spanOf(pace.limit, pace);
  return { ...fresh, sure, seeking: false, usedMs, rate: riseTo(pace.limit, usedMs, pace) };
}

function settle(pace: Pace, limit: number | null, now: number, sure: number): Pace {
  const moved = limit !== pace.limit && Math.abs((limit ?? 0) - (pace.limit ?? 0)) > 0.1 * (pace.limit ?? 0);
  return { ...pace, limit, sure, since: moved ? now : pace.since };
}

function idled(pace: Pace, now: number): boolean {
  return pace.idleMs > 0.2 * (now - pace.fromAt);
}
