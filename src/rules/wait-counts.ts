import { isTurn, type Wait, type WaitingRow, type WaitReason } from './wait-reason.ts';

/** How many rows of a campaign wait for each reason, and when the first of them stops waiting. */
export type CountedWait = {
  reason: WaitReason;
  n: number;
  /** Null when an event ends the wait, not a time. */
  until: Date | null;
  /** The place of the people who wait until then. */
  place: string;
};

/** People who wait, counted by what decides until when. `due` is the start of a time step, or null without a time. */
type WaitingCount = { place: string; due: Date | null; n: number; held?: WaitingRow['held'] | '' };

/** The length of a step. */
export const dueStepMs = 300_000;

export type WaitingNow = {
  groups: readonly WaitingCount[];
  /** Due rows of a place whose phone is in use by another attempt. */
  phones: readonly { place: string; n: number }[];
  /** Rows that wait for credit. */
  parked: number;
  /** Rows that are planned on a key, and what they wait for. */
  queued: { n: number; reason: WaitReason };
  /** The earliest time of a next attempt that is still to come. */
  soonest: Date | null;
  now: number;
};

/** `wait` is the rule for one row; the reason with most rows comes first. */
export function countWaits(wait: (row: WaitingRow) => Wait | null, given: WaitingNow): CountedWait[] {
  const counted = new Map<WaitReason, CountedWait>();
  const add = (each: CountedWait) => {
    if (each.n <= 0) return;
    const known = counted.get(each.reason);
    if (!known) counted.set(each.reason, { ...each });
    else {
      known.n += each.n;
      if (each.until && (!known.until || each.until < known.until)) {
        known.until = each.until;
        known.place = each.place;
      }
    }
  };
  const inUse = new Map(given.phones.map(({ place, n }) => [place, n]));
  for (const group of given.groups) {
    const found = wait({
      ...row,
      place: group.place,
      nextAt: timeOf(group, given),
      held: group.held || null,
    });
    if (!found) continue;
    const { place } = group;
    const taken = isTurn(found.reason) ? Math.min(group.n, inUse.get(place) ?? 0) : 0;
    inUse.set(place, (inUse.get(place) ?? 0) - taken);
    add({ reason: 'phone-in-use', n: taken, until: null, place });
    add({ ...found, n: group.n - taken, place });
  }
  add({ reason: 'no-credit', n: given.parked, until: null, place: '' });
  add({ ...given.queued, until: null, place: '' });
  return [...counted.values()].sort((a, b) => b.n - a.n);
}

const row: WaitingRow = {
  state: 'waiting',
  place: '',
  nextAt: null,
  inUse: false,
  phoneUntil: null,
  held: null,
};

/** When a group is due, as exactly as its step tells. In the current step, the earliest time still to come decides. */
function timeOf({ due }: WaitingCount, { soonest, now }: WaitingNow): Date | null {
  if (due === null) return null;
  const end = due.getTime() + dueStepMs;
  if (end <= now) return due;
  const exact = soonest?.getTime() ?? now;
  if (exact < end && exact >= due.getTime()) return new Date(exact);
  return due.getTime() > now ? due : new Date(now);
}
