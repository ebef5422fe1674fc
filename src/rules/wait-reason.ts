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
