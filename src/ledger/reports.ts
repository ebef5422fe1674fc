import type { AttemptState } from './attempts.ts';
import type { Caller, CampaignState, Driver } from './campaigns.ts';
import type { Database } from './database.ts';

/** What people read: the balance of a campaign, its results, and whether the ledger's own sums hold. */
export const recipientStates = [
  'waiting',
  'queued',
  'calling',
  'done',
  'parked',
  'unknown',
  'rejected',
  'skipped',
] as const;
export type RecipientState = (typeof recipientStates)[number];

export type Standing = {
  id: string;
  campaign: string;
  state: string;
  reason: string | null;
  /** Refusals of the order in a row. */
  faults: number;
  driver: string;
  /** rows = rejected + skipped + waiting + queued + calling + done + parked + unknown */
  rows: number;
  counts: Record<RecipientState, number>;
  outcomes: Record<string, number>;
  /** Unknown attempts whose people the owner's rule will have called again. */
  redials: number;
  attempts: number;
  requests: number;
  polls: number;
  cost: number | null;
  dialing: number;
  placed: number;
};

export type ResultLine = {
  id: number;
  row: number;
  phone: string;
  name: string | null;
  state: RecipientState;
  outcome: string | null;
  attempts: number;
  error: string | null;
  input: Record<string, string>;
  callId: string | null;
  status: string | null;
  duration: number | null;
  cost: number | null;
  transcript: string | null;
  recordingUrl: string | null;
  structuredData: unknown;
  startedAt: Date | null;
  endedAt: Date | null;
};

/** One attempt as a person looks at it. */
export type AttemptReport = {
  id: string;
  state: AttemptState;
  reason: string | null;
  detail: string | null;
  /** Creates that left for it. */
  requests: number;
  caller: Caller | null;
  laneId: number;
  key: string;
  dialingAt: Date | null;
  /** When it is unknown: from when on the request can surely no longer arrive. */
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
  recordingUrl: string | null;
  structuredData: unknown;
  row: number;
  phone: string;
  name: string | null;
  recipientState: RecipientState;
  recipientReason: string | null;
  campaignId: string;
  campaign: string;
  campaignState: CampaignState;
  driver: Driver;
  baseUrl: string;
  agentId: string;
};

/** Both sides of a campaign's balance, counted apart. */
export type Balance = {
  id: string;
  name: string;
  baseUrl: string;
  superseded: boolean;
  refused: number;
  people: number;
  states: Partial<Record<RecipientState, number>>;
  live: Partial<Record<AttemptState, number>>;
};

export type Reports = ReturnType<typeof createReports>;

const page = 1_000;
/** What is no uuid is no attempt's id; Postgres would call it a broken statement. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createReports(db: Database) {
  return {
    /** Attempts that are not over, by campaign and state. */
    live: (baseUrl: string) =>
      db.query<{ campaign: string; state: AttemptState; count: number }>('live_attempts', [baseUrl]),
    campaignStates: (baseUrl: string) =>
      db.query<{ state: CampaignState; count: number }>('campaign_states', [baseUrl]),

    async standing(campaignId: string): Promise<Standing> {
      type Raw = Omit<Standing, 'rows' | 'counts'> & {
        refused: number;
        states: Partial<Record<RecipientState, number>>;
      };
      const [raw] = await db.query<Raw>('summary', [campaignId]);
      if (!raw) throw new Error(`no campaign ${campaignId}`);
      const { refused, states, ...rest } = raw;
      const counts = countsOf(states, refused);
      return { ...rest, rows: Object.values(counts).reduce((a, b) => a + b, 0), counts };
    },

    async *results(campaignId: string): AsyncGenerator<ResultLine[]> {
      let last = { row: -1, id: -1 };
      for (;;) {
        const lines = await db.query<ResultLine>('results', [campaignId, last.row, last.id, page]);
        if (lines.length > 0) yield lines;
        if (lines.length < page) return;
        last = lines.at(-1)!;
      }
    },

    /** One page of the results, after a row and id. */
    page: (campaignId: string, after: { row: number; id: number }, most: number) =>
      db.query<ResultLine>('results', [campaignId, after.row, after.id, most]),

    async *rejects(
      campaignId: string,
    ): AsyncGenerator<{ row: number; reason: string; input: Record<string, string> }[]> {
      let last = { row: -1, id: -1 };
      for (;;) {
        const lines = await db.query<{
          id: number;
          row: number;
          reason: string;
          input: Record<string, string>;
        }>('rejects', [campaignId, last.row, last.id, page]);
        if (lines.length > 0) yield lines;
        if (lines.length < page) return;
        last = lines.at(-1)!;
      }
    },

    /** Null when there is none of this id. */
    async attempt(id: string): Promise<AttemptReport | null> {
      if (!uuid.test(id)) return null;
      const [row] = await db.query<AttemptReport>('attempt', [id]);
      return row ?? null;
    },

    async attemptOf(baseUrl: string, callId: string): Promise<string | null> {
      const [row] = await db.query<{ id: string }>('attempt_of_call', [baseUrl, callId]);
      return row?.id ?? null;
    },

    balance: () => db.query<Balance>('balance'),

    /** Every rule with how often it is broken; all zero in a sound ledger. */
    audit: () => db.query<{ rule: string; broken: number }>('audit'),
  };
}

/** Rows refused at import and people whom the service refused are both rejected rows. */
export function countsOf(
  states: Partial<Record<RecipientState, number>>,
  refused: number,
): Record<RecipientState, number> {
  const counts = Object.fromEntries(recipientStates.map((s) => [s, states[s] ?? 0])) as Record<
    RecipientState,
    number
  >;
  counts.rejected += refused;
  return counts;
}
