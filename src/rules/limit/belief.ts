import { type Cap, capAfterBusy, capAfterClean, newCap } from './cap.ts';
import { afterBusy, afterClean, type Busy, type Clean, newPace, type Pace } from './pace.ts';

/** All that the processes on a lane have learned together: its pace, and how many calls it may have at once. Pure. */
export type Belief = {
  pace: Pace;
  cap: Cap;
  /** The pace before the first refusal that may turn out to mean too many calls at once. */
  before: Pace | null;
};

export type LimitRefusal = Busy & { kind: 'create' | 'poll'; inFlight: number };
export type Answered = Clean & { creates: number };

export function newBelief(now: number): Belief {
  return { pace: newPace(now), cap: newCap(now), before: null };
}

/** Checks a value from the store, which another version may have written. */
export function isBelief(value: unknown): value is Belief {
  const { pace, cap } = (value ?? {}) as Partial<Belief>;
  return Number.isFinite(pace?.rate) && Number.isFinite(pace?.usual) && Number.isFinite(cap?.tryAt);
}

export function hearBusy(belief: Belief, refusal: LimitRefusal): { belief: Belief; isCap: boolean } {
  const judged = capAfterBusy(belief.cap, refusal);
  if (judged.isCap) {
    // The rate was not the cause: what these refusals took from it is given back.
    const pace = belief.before ? { ...belief.before, heardAt: refusal.now } : belief.pace;
    return { belief: { pace: { ...pace, cutAt: refusal.now }, cap: judged.cap, before: null }, isCap: true };
  }
  const before = judged.cap.refused > 0 ? (belief.before ?? belief.pace) : null;
  return { belief: { pace: afterBusy(belief.pace, refusal), cap: judged.cap, before }, isCap: false };
}

export function hearClean(belief: Belief, heard: Answered): Belief {
  const cap = capAfterClean(belief.cap, { ...heard, polls: heard.count - heard.creates });
  const pace = afterClean(belief.pace, heard);
  return { pace, cap, before: cap.refused > 0 ? belief.before : null };
}
