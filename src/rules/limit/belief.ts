import { type Creates, newCreates, noteBusy, noteClean, noteFull, notePollBusy } from './creates.ts';
import type { Inbound } from './inbound.ts';
import { afterBusy, afterClean } from './pace.ts';
import { firstPace } from './pace-curve.ts';
import type { Busy, Clean, Pace } from './pace-state.ts';

/** All that the processes on a lane have learned together: its pace, and what holds for creates only. Pure. */
export type Belief = {
  pace: Pace;
  creates: Creates;
  /** The pace before the first refused create that may turn out to have met a limit of creates only. */
  before: Pace | null;
  /** The calls that came in, as the service last told; missing where nobody asked. */
  inbound?: Inbound;
};

type LimitRefusal = Busy & {
  kind: 'create' | 'poll';
  inFlight: number;
};
/** `inFlight` is the lane's calls in progress, if it was asked for. */
export type Answered = Clean & {
  creates: number;
  inFlight: number | null;
  /** When the latest of the answered creates left. */
  createdAt?: number;
};

/** Limits that a service has published: a lane begins with them, and believes its own answers more. */
export type Published = Readonly<{ calls: number | null; rate: number | null }>;

export function newBelief(now: number, { calls, rate }: Published = { calls: null, rate: null }): Belief {
  const creates = newCreates(now);
  return {
    pace: firstPace(now, rate),
    creates: calls === null ? creates : { ...creates, kind: 'cap', most: calls },
    before: null,
  };
}

/** Checks a value from the store, which another version may have written. */
export function isBelief(value: unknown): value is Belief {
  const { pace, creates } = (value ?? {}) as Partial<Belief>;
  return (
    Number.isFinite(pace?.rate) &&
    Number.isFinite(pace?.proven) &&
    Number.isFinite(pace?.ceil) &&
    Array.isArray(pace?.seconds) &&
    Array.isArray(creates?.outcomes) &&
    Number.isFinite(creates?.cutAt)
  );
}

/** A 429. `own` says that it met a limit of creates only: the lane's pace does not change. */
export function hearBusy(belief: Belief, refusal: LimitRefusal): { belief: Belief; own: boolean } {
  const { pace, before } = belief;
  const isNews = refusal.sentAt > Math.max(pace.cutAt, belief.creates.cutAt);
  if (refusal.kind === 'poll') {
    const creates = notePollBusy(belief.creates, { now: refusal.now, isNews });
    return { belief: { ...belief, pace: afterBusy(pace, refusal), creates, before: null }, own: false };
  }
  const { creates, own } = noteBusy(belief.creates, { ...refusal, isNews });
  if (!own) {
    const kept = before ?? (pace.stall ? null : pace);
    return { belief: { ...belief, pace: afterBusy(pace, refusal), creates, before: kept }, own };
  }
  // Only polls show the lane's own limit from here on, so these refusals must not hide the polls'.
  if (belief.creates.kind !== 'none') return { belief: { ...belief, creates, before: null }, own };
  // The rate was not the cause, so it gets back what these refusals took from it.
  const restored = before ? { ...before, heardAt: refusal.now } : pace;
  const rested = { ...restored, stall: null, cutAt: refusal.now };
  return { belief: { ...belief, pace: rested, creates, before: null }, own };
}

/** The service itself said that it had no room for another call. */
export function hearFull(belief: Belief, refusal: { now: number; sentAt: number; inFlight: number }): Belief {
  return { ...belief, creates: noteFull(belief.creates, refusal), before: null };
}

export function hearClean(belief: Belief, heard: Answered): Belief {
  const creates = noteClean(belief.creates, heard);
  const before = creates.madeRefused < 0.3 ? null : belief.before;
  return { ...belief, pace: afterClean(belief.pace, heard), creates, before };
}
