import type { Times } from '../../rules/calendar/calendar.ts';
import type { LateField } from '../../rules/late-fields.ts';
import type { Caller, Order } from '../../rules/order.ts';
import { createBatchedMoves, run, value } from '../answers.ts';
import type { Settlement, ToldCallback } from '../attempts/attempts.ts';
import type { Database } from '../database.ts';
import type { ToldRecord } from '../kept-record.ts';

/** Ended calls whose records were not complete: when each is asked for again, and the result. */
export type Refresh = {
  /** The attempt. */
  id: string;
  laneId: number;
  /** How often it was asked for, and what for. */
  tries: number;
  fields: LateField[];
  /** Null when the attempt is gone. */
  callId: string | null;
  phone: string | null;
  caller: Caller | null;
  agentId: string | null;
  outcome: string | null;
  /** The opt-out rules of its campaign's order. */
  optOut: Order['optOut'];
  campaignId: string | null;
  /** What a wish to be called back is read by; null if the order looks for none. */
  callback: {
    path: string;
    timezone: string | null;
    times: Times | null;
    place: string;
    callbacks: number;
  } | null;
};

/** The fields that a record adds to an attempt; null adds nothing. */
export type Refreshed = Partial<ToldRecord> & {
  id: string;
  /** A different outcome from the settled one; null keeps that. */
  outcome?: string | null;
  /** Requests that left for it. */
  asked: number;
  /** Seconds until it is asked for again; null keeps the planned time. */
  next: number | null;
  tries?: number;
  fields?: readonly LateField[];
  /** It is not asked for again. */
  over: boolean;
  /** Whether the record says that the person wants no more calls; null if there was nothing to read. */
  optOut?: Settlement['optOut'];
} & Partial<ToldCallback>;

/** How often a field came late on a lane, and how often it never came. */
export type LateCount = { outcome: string; field: LateField; late: number; vain: number };

/** People of one campaign that one statement looks at. */
const page = 2_000;

export function createRefreshes(db: Database, baseUrl: string) {
  return {
    claim: (lanes: readonly { id: number; most: number }[], seconds: number): Promise<Refresh[]> =>
      db.query('refreshes/claim', {
        lanes: lanes.map(({ id }) => id),
        mosts: lanes.map(({ most }) => most),
        seconds,
      }),

    keep: createBatchedMoves(db).mover<Refreshed>('refreshes/keep'),

    /** Whether the first request for something that comes late is still to be made. */
    coming: (campaignId: string): Promise<boolean> => value(db, 'refreshes/coming', { campaignId }),

    known: (): Promise<(LateCount & { laneId: number })[]> => db.query('refreshes/known', { baseUrl }),

    learn: (laneId: number, counts: readonly LateCount[]): Promise<void> =>
      run(db, 'refreshes/learn', {
        laneId,
        outcomes: counts.map((each) => each.outcome),
        fields: counts.map((each) => each.field),
        late: counts.map((each) => each.late),
        vain: counts.map((each) => each.vain),
      }),

    /** Schedules all of a campaign's ended calls with incomplete records; returns how many. */
    async schedule(
      campaignId: string,
      complete: Readonly<Record<string, readonly LateField[]>>,
      tries: number,
    ): Promise<number> {
      let scheduled = 0;
      for (let last = { row: -1, id: -1 }; ; ) {
        const [done]: { scheduled: number; row: number; id: number }[] = await db.query(
          'refreshes/schedule',
          {
            campaignId,
            wanted: JSON.stringify(complete),
            made: tries,
            afterRow: last.row,
            afterId: last.id,
            most: page,
          },
        );
        if (!done) return scheduled;
        scheduled += done.scheduled;
        last = done;
      }
    },
  };
}
