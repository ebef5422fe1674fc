import { createBatch } from '../../base/batch.ts';
import type { Times } from '../../rules/calendar/calendar.ts';
import type { Caller } from '../../rules/order.ts';
import { one, some, value } from '../answers.ts';
import type { CampaignState, Driver } from '../campaigns/campaigns.ts';
import type { Database } from '../database.ts';
import type { CampaignTry, ResultLine } from '../reports/reports.ts';
import type { AttemptState } from '../states.ts';
import { createAdd } from './add.ts';

/** Single calls: ordered for the background workers or planned at once, and found again. */
export type CallRow = ResultLine & {
  campaignId: string;
  campaign: string;
  campaignState: CampaignState;
  campaignKind: 'list' | 'calls';
  driver: Driver;
  runLives: boolean;
  times: Times | null;
  baseUrl: string;
  /** The latest attempt, if any, with its call and its key. */
  attempt: string | null;
  attemptState: AttemptState | null;
  latestCallId: string | null;
  laneId: number | null;
  caller: Caller | null;
  key: string | null;
  /** The fields of the result's call record that have no column. */
  record: Record<string, unknown> | null;
};

/** A call in progress, or one whose create is under way. */
export type LiveCall = {
  id: string;
  state: 'dialing' | 'placed';
  /** The service's words, as last reported. */
  status: string | null;
  dialedAt: Date;
  placedAt: Date | null;
  agent: string | null;
  caller: Caller | null;
  number: number;
  key: string;
  callId: string | null;
  campaignId: string;
  campaign: string;
  recipientId: number;
  row: number;
  phone: string;
  name: string | null;
};
type LiveWanted = { campaign: string | null; key: string | null };
type LiveCount = Pick<LiveCall, 'state'> & { status: string; n: number };

/** The attempt that an id names, with its recipient and its call. */
export type Located = { recipient: number; callId: string | null; laneId: number };
export type CallEvent = { at: Date; kind: string; detail: string | null; attempt: string | null };

/** One attempt with its person, and what is known of its way. */
export type AttemptCourse = CampaignTry & {
  campaign: string;
  record: Record<string, unknown> | null;
  requests: number;
  polls: number;
  nextPollAt: Date | null;
  placedAt: Date | null;
  /** When it was over for us; `endedAt` is the service's time, if it reports one. */
  overAt: Date | null;
  /** How the attempt before it ended, and when. */
  lastState: AttemptState | null;
  lastOutcome: string | null;
  lastReason: string | null;
  lastAt: Date | null;
};
/** One delivery of one of its events to a webhook. */
export type CourseDelivery = {
  at: Date;
  type: string;
  url: string;
  try: number;
  delivered: boolean;
  status: number | null;
  ms: number;
  error: string | null;
};
export type CourseMove = { at: Date; kind: string; detail: string | null };

export type WholeCourse = { line: AttemptCourse; moves: CourseMove[]; deliveries: CourseDelivery[] };

/** Keeps the statement short. */
const mostTogether = 100;

export type Calls = ReturnType<typeof createCalls>;

export function createCalls(db: Database) {
  return {
    /** The service's id of a recent call of a key. */
    latestCallId: (laneId: number): Promise<string | null> => value(db, 'calls/latest_call_id', { laneId }),

    add: createAdd(db),

    /** Many at once are read together. */
    find: createBatch<number, CallRow | null>(
      async (ids) => {
        const rows: CallRow[] = await db.query('calls/find', { ids: [...new Set(ids)] });
        const found = new Map(rows.map((row) => [row.id, row]));
        return ids.map((id) => found.get(id) ?? null);
      },
      { most: mostTogether, momentMs: 0 },
    ),

    /** Finds by an attempt's id, or by the service's id of a call. */
    locate: (baseUrl: string, ref: string): Promise<Located | null> =>
      one(db, 'calls/locate', { baseUrl, ref }),

    /** Takes back a single call that was not dialled and waits again; false when it no longer waits. */
    withdraw: (id: number, why: string): Promise<boolean> =>
      some(db, 'calls/withdraw', { recipientId: id, why }),

    /** The link to the recording of an attempt's call, from its record. */
    recording: (id: string): Promise<string | null> => value(db, 'calls/recording', { attemptId: id }),

    /** An attempt, its moves, and what webhooks were told of it; null when no attempt has this id. */
    async course(id: string): Promise<WholeCourse | null> {
      const [line]: AttemptCourse[] = await db.query('calls/course', { attemptId: id });
      if (!line) return null;
      const moves: CourseMove[] = await db.query('calls/course_moves', { attemptId: id });
      const deliveries: CourseDelivery[] = await db.query('calls/course_deliveries', {
        attemptId: id,
        recipientId: line.recipientId,
        since: line.plannedAt,
      });
      return { line, moves, deliveries };
    },

    live: (baseUrl: string, { campaign, key }: LiveWanted, most: number): Promise<LiveCall[]> =>
      db.query('calls/live', { baseUrl, campaign, key, most }),

    liveCounts: (baseUrl: string, { campaign, key }: LiveWanted): Promise<LiveCount[]> =>
      db.query('calls/live_counts', { baseUrl, campaign, key }),

    history: (id: number, most: number): Promise<CallEvent[]> =>
      db.query('calls/history', { recipientId: id, most }),
  };
}
