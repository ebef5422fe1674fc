import type { Caller } from '../../rules/order.ts';
import { value } from '../answers.ts';
import type { CampaignState, Driver } from '../campaigns/campaigns.ts';
import type { Database } from '../database.ts';
import type { ShownRecord } from '../kept-record.ts';
import type { AttemptState, RecipientState } from '../states.ts';
import { type Counted, type Spent, type Sums, sumsOf } from '../tallies/tallies.ts';
import { createSaid, type Unsaid } from './said.ts';
import { createWaiting, type Waiting } from './waiting.ts';

/** Reports for people: the balance of a campaign, its results, and whether the ledger's own sums hold. */
export type Standing = Sums & {
  id: string;
  campaign: string;
  state: string;
  reason: string | null;
  /** Of its costs; null where the service tells none, or several. */
  currency: string | null;
  /** How often in a row the order was refused. */
  faults: number;
  driver: string;
  /** Unknown attempts whose people the owner's rule will redial. */
  redials: number;
  /** Unknown attempts whose calls were placed: only their end is missing. */
  unknownPlaced: number;
  dialing: number;
  placed: number;
};

export type ResultLine = {
  id: number;
  row: number;
  phone: string;
  phones: { phone: string; passed: string | null }[] | null;
  name: string | null;
  state: RecipientState;
  outcome: string | null;
  attempts: number;
  error: string | null;
  input: Record<string, unknown>;
  callId: string | null;
  status: string | null;
  startedAt: Date | null;
  endedAt: Date | null;
  /** The agent of the result's attempt. */
  agent: string | null;
  callKey: string | null;
  callFrom: Caller | null;
  /** When the person asked to be called back; null once they were. */
  callbackAt: Date | null;
  /** When it was erased; null while it says who the person is. */
  erasedAt: Date | null;
} & ShownRecord &
  Waiting;

export type TryLine = {
  id: string;
  number: number;
  state: AttemptState;
  outcome: string | null;
  agent: string | null;
  key: string;
  caller: Caller | null;
  phone: string;
  callId: string | null;
  status: string | null;
  plannedAt: Date;
  dialedAt: Date | null;
  startedAt: Date | null;
  endedAt: Date | null;
  error: string | null;
} & ShownRecord;

/** The attempt with its person, in a list of a whole campaign. */
export type CampaignTry = TryLine & {
  recipientId: number;
  row: number;
  name: string | null;
  input: Record<string, unknown>;
};

/** A place in the list of a campaign's attempts. */
type TryPlace = { recipientId: number; id: string };

/** A row that an import refused, or the service; in that case its person is on the list. */
export type RejectLine = {
  id: number;
  row: number;
  reason: string;
  input: Record<string, unknown>;
  onList: boolean;
};

/** One attempt as people see it. */
export type AttemptReport = {
  id: string;
  state: AttemptState;
  reason: string | null;
  detail: string | null;
  /** How many creates left for it. */
  requests: number;
  caller: Caller | null;
  laneId: number;
  key: string;
  dialingAt: Date | null;
  /** When an unknown attempt's request can certainly no longer arrive. */
  freeFrom: Date | null;
  placedAt: Date | null;
  nextPollAt: Date | null;
  endedAt: Date | null;
  callId: string | null;
  status: string | null;
  outcome: string | null;
  duration: number | null;
  cost: number | null;
  transcript: string | null;
  recording_url: string | null;
  structured_data: unknown;
  recipientId: number;
  row: number;
  phone: string;
  name: string | null;
  place: string;
  /** How often the person asked to be called back. */
  callbacks: number;
  recipientState: RecipientState;
  recipientReason: string | null;
  campaignId: string;
  campaign: string;
  campaignState: CampaignState;
  driver: Driver;
  baseUrl: string;
  agentId: string;
};

/** Both sides of a campaign's balance, counted separately: rows one by one, and the tallies. */
export type Balance = Counted & {
  id: string;
  name: string;
  baseUrl: string;
  superseded: boolean;
  refused: number;
  people: number;
  states: Record<string, number>;
  outcomes: Record<string, number>;
};

/** Ended calls of a campaign with one value of a part and one outcome; both are empty if they are not known. */
export type ReportSums = {
  value: string;
  outcome: string;
  calls: number;
  cost: number;
  /** How many calls have a known cost, and how many a known duration, in seconds. */
  costed: number;
  seconds: number;
  timed: number;
  /** Seconds from create to settlement of the calls that were followed to their end, and how many these are. */
  busy: number;
  followed: number;
};

const page = 1_000;
const start = { row: -1, id: -1 };
const firstId = '00000000-0000-0000-0000-000000000000';
/** An attempt's id is a uuid; for any other text Postgres would report a broken statement. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** All rows of a list, a page at a time. */
async function* walk<Row>(read: (last: Row | null) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let last: Row | null = null; ; ) {
    const rows: Row[] = await read(last);
    if (rows.length > 0) yield rows;
    if (rows.length < page) return;
    last = rows.at(-1)!;
  }
}

export function createReports(db: Database) {
  const rejectsPage = (
    campaignId: string,
    after: { row: number; id: number },
    most: number,
  ): Promise<RejectLine[]> => db.query('reports/rejects', { campaignId, row: after.row, id: after.id, most });

  const said = createSaid(db);
  const resultsAfter = (
    campaignId: string,
    { row, id }: { row: number; id: number },
    most = page,
  ): Promise<Unsaid<ResultLine>[]> => db.query('reports/results', { campaignId, row, id, most });

  /** One page of a campaign's attempts; null starts at the first. */
  const attemptsAfter = (
    campaignId: string,
    after: TryPlace | null,
    most: number,
  ): Promise<Unsaid<CampaignTry>[]> => {
    const { recipientId, id } = after ?? { recipientId: -1, id: firstId };
    return db.query('reports/attempts', { campaignId, recipientId, id, most });
  };

  return {
    /** Attempts that are not over, by campaign and state. */
    live: (baseUrl: string): Promise<{ campaign: string; state: AttemptState; count: number }[]> =>
      db.query('reports/live', { baseUrl }),

    async standing(campaignId: string): Promise<Standing> {
      type Kept = Omit<Standing, keyof Sums | 'dialing' | 'placed'>;
      const [raw]: (Kept & Spent)[] = await db.query('campaigns/standing', { campaignId });
      if (!raw) throw new Error(`no campaign ${campaignId}`);
      const { tally, live, ...rest } = raw;
      return { ...rest, ...sumsOf(raw), dialing: live.dialing ?? 0, placed: live.placed ?? 0 };
    },

    async *results(campaignId: string): AsyncGenerator<ResultLine[]> {
      const pages = walk<Unsaid<ResultLine>>((last) => resultsAfter(campaignId, last ?? start));
      for await (const lines of pages) yield* said.parts<ResultLine>(lines);
    },

    /** A page of attempts, which may be shorter than asked for: see said.ts. */
    attemptsPage: async (campaignId: string, after: TryPlace | null, most: number) =>
      said.first<CampaignTry>(await attemptsAfter(campaignId, after, most)),

    /** All of a campaign's attempts, by person. */
    async *attempts(campaignId: string): AsyncGenerator<CampaignTry[]> {
      const pages = walk<Unsaid<CampaignTry>>((last) => attemptsAfter(campaignId, last, page));
      for await (const lines of pages) yield* said.parts<CampaignTry>(lines);
    },

    /** The attempts of one person, in order. */
    attemptsOf: (recipientId: number): Promise<TryLine[]> => db.query('reports/attempts_of', { recipientId }),

    /** One page of the results, after a row and id; it may be shorter than asked for: see said.ts. */
    page: async (campaignId: string, after: { row: number; id: number }, most: number) =>
      said.first<ResultLine>(await resultsAfter(campaignId, after, most)),

    rejects: (campaignId: string): AsyncGenerator<RejectLine[]> =>
      walk<RejectLine>((last) => rejectsPage(campaignId, last ?? start, page)),

    rejectsPage,

    /** Null when no attempt has this id. */
    async attempt(id: string): Promise<AttemptReport | null> {
      if (!uuid.test(id)) return null;
      const [row]: AttemptReport[] = await db.query('reports/attempt', { attemptId: id });
      return row ?? null;
    },

    attemptOf: (baseUrl: string, callId: string): Promise<string | null> =>
      value(db, 'reports/attempt_of_call', { baseUrl, callId }),

    /** A campaign's ended calls by one of their parts, and by outcome. */
    report: (
      campaignId: string,
      part: 'hour' | 'day' | 'caller' | 'agent' | 'attempt',
    ): Promise<ReportSums[]> => db.query('reports/report', { campaignId, part }),

    ...createWaiting(db),

    balance: (): Promise<Balance[]> => db.query('reports/balance'),

    /** Every rule with how often it is broken; all zero in a sound ledger. */
    audit: (): Promise<{ rule: string; broken: number }[]> => db.query('reports/audit'),
  };
}
