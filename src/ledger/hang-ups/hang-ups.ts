import type { Caller } from '../../rules/order.ts';
import { column, run } from '../answers.ts';
import type { Database } from '../database.ts';

/** Calls that are to be hung up, and the results: the work survives the process that was asked for it. */
const hangUpOutcomes = ['hung-up', 'ended', 'refused', 'no-call'] as const;
/**
 * `hung-up`: the service did it. `ended`: the call had ended before. `refused`: the service did not do it. `no-call`:
 * no call was made after all.
 */
type HangUpOutcome = (typeof hangUpOutcomes)[number];

export type HangUp = {
  /** The attempt. */
  id: string;
  /** Tries, including this one. */
  tries: number;
  laneId: number;
  callId: string;
  phone: string;
  caller: Caller | null;
  agentId: string | null;
  /** The address at which it can be ended, if its create returned one. */
  handle: string | null;
};

export type HangUpTold = { id: string; outcome: HangUpOutcome | null; detail: string | null };

export function createHangUps(db: Database) {
  const ask = (campaigns: string[] | null, attempt: string | null): Promise<string[]> =>
    column(db, 'hang-ups/ask', { campaigns, attempt });

  return {
    /** Requests it for all live calls of these campaigns (null: of all); returns their attempts. */
    ofCampaigns: (ids: string[] | null) => ask(ids, null),
    /** Empty when it has no live call. */
    ofAttempt: (id: string) => ask(null, id),

    claim: (lanes: number[], most: number, seconds: number): Promise<HangUp[]> =>
      db.query('hang-ups/claim', { lanes, most, seconds }),

    done: (id: string, outcome: HangUpOutcome, detail: string | null = null): Promise<void> =>
      run(db, 'hang-ups/tell', { attemptId: id, outcome, detail, seconds: null }),

    again: (id: string, inMs: number, why: string | null = null): Promise<void> =>
      run(db, 'hang-ups/tell', { attemptId: id, outcome: null, detail: why, seconds: inMs / 1_000 }),

    outcomes: (ids: string[]): Promise<HangUpTold[]> => db.query('hang-ups/outcomes', { ids }),
  };
}
