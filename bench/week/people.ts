import type { AcceptedRow } from '../../src/intake/recipients.ts';
import { callEnds, type SeenCalls } from '../../src/rules/forecast/odds.ts';
import type { PhoneCall } from '../../src/rules/policy/history.ts';
import type { Try } from '../../src/rules/retry.ts';
import type { WaitReason } from '../../src/rules/wait-reason.ts';

/** The people of the simulated campaign, and what is counted of them. */
export type WeekPerson = Pick<AcceptedRow, 'row' | 'phone' | 'name' | 'place'> & {
  state: 'waiting' | 'calling' | 'done' | 'skipped';
  tries: Try[];
  /** When the next attempt may be made, and the contact rule that says so. */
  due: number | null;
  held: 'cap' | 'gap' | 'conversation' | null;
  calls: PhoneCall[];
  /** The wait reasons of rules that held the person. */
  waitedFor: Set<WaitReason>;
  optedOut: boolean;
};

/** What happened in an hour in which somebody was called. */
export type Hour = {
  at: number;
  calls: number;
  ends: Record<string, number>;
  /** People who wait at its end, by reason. */
  waiting: Map<WaitReason, number>;
};

export function personOf({ row, phone, name, place }: AcceptedRow): WeekPerson {
  const fresh = { state: 'waiting' as const, tries: [], due: null, held: null, calls: [], optedOut: false };
  return { row, phone, name, place, ...fresh, waitedFor: new Set() };
}

export type EndedCall = { attempt: number; outcome: string; seconds: number; cost: number };

/** Counts calls as the reports do, for the forecast to learn from. */
export function seenOf(ended: readonly EndedCall[]): SeenCalls[] {
  const seen = new Map<string, SeenCalls>();
  for (const { attempt, outcome, seconds, cost } of ended) {
    const key = `${attempt} ${outcome}`;
    const known = seen.get(key) ?? { attempt, outcome, calls: 0, cost: 0, costed: 0, busy: 0, followed: 0 };
    known.calls += 1;
    known.cost += cost;
    known.costed += 1;
    known.busy += seconds;
    known.followed += 1;
    seen.set(key, known);
  }
  return [...seen.values()];
}

/** Waiting people by place, time and attempts, as the ledger counts them. */
export function groupsOf(people: readonly WeekPerson[]) {
  const groups = new Map<
    string,
    { place: string; due: number | null; attempts: number; held: boolean; n: number }
  >();
  for (const { state, place, due, tries, held } of people) {
    if (state !== 'waiting') continue;
    const key = `${place} ${due} ${tries.length} ${held}`;
    const group = groups.get(key) ?? { place, due, attempts: tries.length, held: held !== null, n: 0 };
    group.n += 1;
    groups.set(key, group);
  }
  return [...groups.values()];
}

export const noEnds = (): Record<string, number> => Object.fromEntries(callEnds.map((end) => [end, 0]));
