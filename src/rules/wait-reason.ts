import { type Calendar, judge, nextOpening } from './calendar/calendar.ts';

/** Why a row waits, in one word, and until when. */
export const waitReasons = [
  'draft',
  'paused',
  'canceled',
  'no-run',
  'retry',
  'callback',
  'start',
  'window',
  'date',
  'legal-hours',
  'cap',
  'gap',
  'conversation',
  'phone-in-use',
  'no-credit',
  'rate',
  'calls',
  'number',
  'refused',
  'budget',
] as const;
export type WaitReason = (typeof waitReasons)[number];

/** The wait of a due row that nothing else holds: a token, the end of a call, a caller number, the service, credit, or a budget. */
export type TurnReason = Extract<
  WaitReason,
  'rate' | 'calls' | 'number' | 'refused' | 'no-credit' | 'budget'
>;

const turnReasons: ReadonlySet<string> = new Set<TurnReason>([
  'rate',
  'calls',
  'number',
  'refused',
  'no-credit',
  'budget',
]);

/** True for a row that waits only for its turn; another attempt may still have its phone. */
export function isTurn(reason: WaitReason): reason is TurnReason {
  return turnReasons.has(reason);
}

/** `until` is null when an event ends the wait, not a time. */
export type Wait = { reason: WaitReason; until: Date | null };

export type WaitingRow = {
  state: string;
  place: string;
  /** The time of the next attempt; null when it has none. */
  nextAt: Date | null;
  /** Another attempt has the phone; `phoneUntil` is its latest end when that attempt is unknown. */
  inUse: boolean;
  phoneUntil: Date | null;
  /** The contact rule that holds it until then, or the person's own wish. */
  held: 'cap' | 'gap' | 'conversation' | 'callback' | null;
};

const mostKept = 1_000;

export type WaitingFor = {
  state: string;
  driver: string;
  runLives: boolean;
  calendar: Calendar | null;
  /** The wait for a turn on the keys that dial the campaign, or for money. `until` is when it ends, if a time ends it. */
  turn: TurnReason;
  turnUntil?: Date | null;
};

/** Returns null for a row that does not wait. There are many rows but few places, so each place is computed once. */
export function createWaits(campaign: WaitingFor, now: number): (row: WaitingRow) => Wait | null {
  const openings = new Map<string, number | null>();
  const openingNow = (place: string): number | null => {
    const known = openings.get(place);
    if (known !== undefined) return known;
    const found = openingFrom(place, now);
    openings.set(place, found);
    return found;
  };
  const openingFrom = (place: string, from: number) => nextOpening(campaign.calendar, place, from);
  const words = new Map<string, WaitReason>();
  const closedBy = (place: string, at: number): WaitReason => {
    const key = at === now ? place : `${place} ${at}`;
    const known = words.get(key);
    if (known) return known;
    const found = judge(campaign.calendar, place, at);
    // A row whose time has passed is about to be skipped.
    const word = found.open || found.rule === 'ended' ? 'window' : found.rule;
    if (words.size < mostKept) words.set(key, word);
    return word;
  };
  const stopped = whyNoneIsDialled(campaign);

  return (row) => {
    if (row.state === 'parked') return { reason: 'no-credit', until: null };
    // A queued row was due when it was planned, and no rule held it.
    const queued = row.state === 'queued';
    if (row.state !== 'waiting' && !queued) return null;
    if (stopped) return { reason: stopped, until: null };
    const due = queued || row.nextAt === null ? now : Math.max(now, row.nextAt.getTime());
    const opens = due > now ? openingFrom(row.place, due) : openingNow(row.place);
    if (opens === null || opens > due) {
      const until = opens === null ? null : new Date(opens);
      return { reason: closedBy(row.place, due), until };
    }
    if (due > now) return { reason: row.held ?? 'retry', until: new Date(due) };
    if (row.inUse) return { reason: 'phone-in-use', until: row.phoneUntil };
    if (queued) return { reason: queuedTurn(campaign.turn), until: null };
    return { reason: campaign.turn, until: campaign.turnUntil ?? null };
  };
}

/** An attempt that is planned on a key already has its place among the calls at once, so it waits for a token. */
export function queuedTurn(turn: TurnReason): TurnReason {
  return turn === 'calls' || turn === 'number' ? 'rate' : turn;
}

/** The reason that holds all rows of a campaign that does not dial. */
export function whyNoneIsDialled({
  state,
  driver,
  runLives,
}: Omit<WaitingFor, 'calendar' | 'turn' | 'turnUntil'>): WaitReason | null {
  if (state === 'draft' || state === 'paused' || state === 'canceled') return state;
  return state === 'running' && driver === 'run' && !runLives ? 'no-run' : null;
}

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
      ...dueRow,
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

const dueRow: WaitingRow = {
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
