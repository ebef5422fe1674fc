import { run, sole, value } from '../answers.ts';
import type { Database } from '../database.ts';
import type { CampaignTry } from '../reports/reports.ts';
import { type Cut, createSaid, type Unsaid } from '../reports/said.ts';

/** Events: what happened, numbered in one order, read after a number, and delivered with bodies built at delivery. */
export const eventTypes = [
  'attempt.placed',
  'attempt.done',
  'attempt.unknown',
  'attempt.updated',
  'recipient.done',
  'recipient.skipped',
  'recipient.rejected',
  'recipient.opted_out',
  'campaign.started',
  'campaign.paused',
  'campaign.resumed',
  'campaign.canceled',
  'campaign.done',
  'key.open',
  'key.failing',
  'key.out_of_credit',
  'key.denied',
  'number.resting',
  'number.returned',
  'import.done',
  'bulk.done',
  'alert.raised',
  'alert.cleared',
] as const;
export type EventType = (typeof eventTypes)[number];

export type LedgerEvent = {
  /** Its place among all events, without gaps: a reader continues after it. */
  number: number;
  /** `evt_...`, the same at each delivery. */
  id: string;
  type: EventType;
  at: Date;
  /** Null if it is not about one campaign. */
  campaignId: string | null;
  /** Set for events about people and attempts; the events of one recipient are in order. */
  recipientId: number | null;
  attemptId: string | null;
  /** The subject of another event, such as a lane's id; and facts that are kept nowhere else. */
  subject: string | null;
  data: object | null;
};

/** Which events a reader wants; null is any. */
export type EventFilter = { types: readonly EventType[] | null; campaignId: string | null };

export const everyEvent: EventFilter = { types: null, campaignId: null };

/** `upto`: the reader has seen everything that it wants up to this number, and continues after it. */
type EventPage = { events: LedgerEvent[]; upto: number };

/** An event about something that is neither an attempt nor a person. */
type EventNews = {
  type: EventType;
  campaignId?: string | null;
  /** The id of its subject, by which the body is built at delivery. */
  subject?: string | null;
  /** Only what is kept nowhere else, and never about a person. */
  data?: object | null;
};

/** An attempt with its person, as the body of an event shows it. */
type ToldTry = CampaignTry & { campaign: string };

export type Events = ReturnType<typeof createEvents>;

/** Rows that are numbered at once. */
const batch = 2_000;
/** Numbers that one reading looks at: a reader who wants few of them advances in such steps. */
const span = 20_000;
/** Rows that are removed at once. */
const mostForgotten = 5_000;
/** A row has at most this many events. */
const rowSize = 1_000;

export function createEvents(db: Database) {
  const said = createSaid(db);
  const number = async (): Promise<number> => {
    for (;;) {
      const [row] = await db.query('events/number', { batch });
      if (!row!.more) return row!.reached!;
    }
  };
  const forget = (keepSeconds: number, most: number): Promise<number> =>
    value(db, 'events/forget', { keepSeconds, most });

  return {
    /** Numbers what is committed, and returns the highest number; readers call it before they read. */
    number,

    /** Whether something of these types is not numbered yet, and the highest number. */
    pending: (types: readonly EventType[]): Promise<{ waits: boolean; last: number }> =>
      sole(db, 'events/pending', { types }),

    /** Events after a number that a reader wants, at most about `limit` of them, in order. */
    async read(after: number, limit: number, filter: EventFilter = everyEvent): Promise<EventPage> {
      const { types, campaignId } = filter;
      const look = types || campaignId ? span : limit + rowSize;
      const rows: EventRow[] = await db.query('events/read', { after, limit, types, campaignId, look });
      const events = rows.flatMap((row) => (row.first === null ? [] : spread(row)));
      return { events: events.filter((event) => event.number > after), upto: rows[0]?.upto ?? after };
    },

    /**
     * The first of these attempts, by their recipients and ids: see reports/said.ts. Attempts of deleted campaigns are
     * left out.
     */
    async firstAttempts(recipients: number[], ids: string[]): Promise<Cut<ToldTry>> {
      const lines: Unsaid<ToldTry>[] = await db.query('events/attempts', { recipients, ids });
      return said.first<ToldTry>(lines);
    },

    /** The number of an event by its id; null if it is no longer kept, undefined if the text is not an id. */
    async place(id: string): Promise<number | null | undefined> {
      const read = readEventId(id);
      if (!read) return undefined;
      const [row] = await db.query('events/place', { number: read.number, numberedAt: read.numberedAt });
      return row?.kept ? read.number : null;
    },

    /** The id of the newest event, by its number; 0 is the place before the first. */
    async idAt(number: number): Promise<string> {
      const [row] = await db.query('events/numberedAt', { number });
      return eventId({ number, numberedAt: row?.numberedAt ?? never });
    },

    /** Emits an event in a transaction of its own; statements that move things write the outbox themselves. */
    emit: ({ type, campaignId = null, subject = null, data = null }: EventNews): Promise<void> =>
      run(db, 'events/emit', { type, campaignId, subject, data: data && JSON.stringify(data) }),

    /** Removes events numbered longer ago, some at a time; returns how many rows. */
    forget,

    /**
     * For ledgers whose events nobody reads: empties the outbox, and removes old events. Returns whether more are left.
     */
    async tidy(keepSeconds: number): Promise<boolean> {
      await number();
      return (await forget(keepSeconds, mostForgotten)) >= mostForgotten;
    },
  };
}

/** The events that one statement wrote; `first` is null if nothing fits. */
type EventRow = {
  upto: number | null;
  first: number | null;
  last: number;
  numberedAt: Date;
  at: Date;
  type: EventType;
  campaignId: string | null;
  recipients: string[] | null;
  attempts: string[] | null;
  subject: string | null;
  data: object | null;
};

function spread(row: EventRow): LedgerEvent[] {
  const { at, type, campaignId, recipients, attempts, subject, data } = row;
  return Array.from({ length: row.last - row.first! + 1 }, (_, nth) => ({
    number: row.first! + nth,
    id: eventId({ number: row.first! + nth, numberedAt: row.numberedAt }),
    type,
    at,
    campaignId,
    recipientId: recipients ? Number(recipients[nth]) : null,
    attemptId: attempts?.[nth] ?? null,
    subject,
    data,
  }));
}

/** An event's id: when it was numbered, and its number. Ids sort as the events do, and no two ledgers give the same. */
type EventPlace = { number: number; numberedAt: Date };

/** The newest event is always kept: only the place before the first has no time of its own. */
const never = new Date(0);
const digits = 12;
const form = /^evt_([0-9a-f]{12})([0-9a-f]{12})$/;

function eventId({ number, numberedAt }: EventPlace): string {
  return `evt_${hex(numberedAt.getTime())}${hex(number)}`;
}

/** Null when the text is not an id. */
export function readEventId(id: string): EventPlace | null {
  const found = form.exec(id);
  if (!found) return null;
  return { number: Number.parseInt(found[2]!, 16), numberedAt: new Date(Number.parseInt(found[1]!, 16)) };
}

function hex(value: number): string {
  return value.toString(16).padStart(digits, '0');
}
