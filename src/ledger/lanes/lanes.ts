import type { Times } from '../../rules/calendar/calendar.ts';
import type { TurnReason } from '../../rules/wait-reason.ts';
import { column, one, run, some, value } from '../answers.ts';
import type { Driver } from '../campaigns/campaigns.ts';
import type { Database } from '../database.ts';

/** A lane: one key of the service, and whether it may create calls. */
export const laneStates = ['open', 'failing', 'out_of_credit', 'denied'] as const;
export type LaneState = (typeof laneStates)[number];
export type LaneRow = {
  id: number;
  name: string;
  state: LaneState;
  reason: string | null;
  since: Date;
  /** Recent creates that got no answer, or that of a failing service, minus those that were answered well. */
  losses: number;
  probeAt: Date | null;
  probeAttempt: string | null;
};
/** Why a campaign's due rows wait, and until when, if a time ends it. */
export type DueWait = { turn: TurnReason; turnUntil: Date | null };
export type LaneLine = LaneRow & {
  planned: number;
  parked: number;
  calling: number;
  /** Since when every create is refused as too many, and since when although fewer calls were in progress. */
  refusedSince: Date | null;
  spareSince: Date | null;
  /** Calls at once, as its planner knows it. */
  maxCalls: number | null;
  /** What its calls have cost since it last had credit again, and in the whole period before that. */
  creditSpent: number | null;
  creditLasted: number | null;
};

export type LaneLoad = {
  laneId: number;
  campaignId: string;
  driver: Driver;
  planned: number;
  /** Of the planned, those of the last minute; `trying` are dialled by the asking process if it is a run, and not overdue. */
  fresh: number;
  dialing: number;
  trying: number;
  placed: number;
};

export type Plannable = {
  id: string;
  name: string;
  kind: 'list' | 'calls';
  times: Times | null;
  maxCalls: number | null;
  proved: boolean;
  /** The distinct places of its recipients. */
  places: string[] | null;
  /** How many rows are due, counted up to the requested number. */
  due: number;
  /** How many more calls the budgets and the run's limit allow, up to that number; null allows any number. */
  allowed: number | null;
};

/** A campaign that dials; `places` are its recipients'. */
export type ProbeWindow = Pick<Plannable, 'id' | 'times' | 'places'>;

/** A lane after a create on it was lost; null when that is nothing new. */
type Failing = { state: LaneState; trips: boolean };

export function createLanes(db: Database, baseUrl: string) {
  return {
    /** The lanes of these keys, created when first seen. `callCost`: what a call costs at most, if the service says so. */
    join: (names: string[], callCost: number | null = null): Promise<LaneRow[]> =>
      db.query('lanes/join', { baseUrl, names, callCost }),
    list: (): Promise<LaneLine[]> => db.query('lanes/list', { baseUrl }),

    deny: (id: number, words: string): Promise<boolean> => some(db, 'lanes/deny', { laneId: id, words }),

    /** Returns what a scope has to dial now; null is the background. */
    open: (id: number, campaignId: string | null = null): Promise<string[]> =>
      column(db, 'lanes/open', { laneId: id, campaignId }),

    /** A 402 that crossed with the opening of its lane left its attempt parked there: it is planned again. */
    unpark: (only: readonly string[] | null = null): Promise<string[]> =>
      column(db, 'lanes/unpark', { baseUrl, only: only && [...only] }),

    /** Attempts planned as the lane's credit ended, or given back unsent, are parked with the rest. */
    async parkCrossed(id: number): Promise<number> {
      return (await db.query('lanes/park_crossed', { laneId: id })).length;
    },

    /**
     * A create was lost, or got the answer of a failing service; enough of these, minus the good answers, close the
     * lane.
     */
    fail: (id: number, attemptId: string, words: string, most: number): Promise<Failing | null> =>
      one(db, 'lanes/fail', { laneId: id, attemptId, words, most }),

    well: (id: number): Promise<void> => run(db, 'lanes/well', { laneId: id }),

    /** A create was refused as too many. Returns the lane's state; null if the refusal says nothing about it. */
    refuse: (id: number, attemptId: string, words: string): Promise<LaneState | null> =>
      value(db, 'lanes/refuse', { laneId: id, attemptId, words }),

    /** True when the lane stops, because every create is refused. */
    stopRefused: (id: number, seconds: number, spareSeconds: number): Promise<boolean> =>
      some(db, 'lanes/stop_refused', { laneId: id, seconds, spareSeconds }),

    /** How many calls at once its planner allows; null without a cap. */
    limit: (id: number, maxCalls: number | null): Promise<void> =>
      run(db, 'lanes/limit', { laneId: id, maxCalls }),

    async turns(campaigns: readonly string[]): Promise<Map<string, DueWait>> {
      const rows: { id: string; reason: TurnReason; until: Date | null }[] = await db.query('lanes/turns', {
        campaigns,
      });
      return new Map(rows.map(({ id, reason, until }) => [id, { turn: reason, turnUntil: until }]));
    },

    /** Whether this attempt is the probe of a lane that creates no calls. */
    probing: (id: number, attemptId: string): Promise<boolean> =>
      some(db, 'lanes/probing', { laneId: id, attemptId }),

    /**
     * The attempt that a lane without calls is to send ahead when it is time; `open` are the campaigns and places that
     * may be called now, null for all.
     */
    nextProbe: (
      id: number,
      campaignId: string | null,
      open: { id: string; places: string[] | null }[] | null,
      aside: readonly string[],
    ): Promise<string | null> =>
      value(db, 'lanes/next_probe', { laneId: id, campaignId, open: open && JSON.stringify(open), aside }),

    /** Sends it ahead, unless another process was faster. */
    probeWith: (id: number, attemptId: string): Promise<boolean> =>
      some(db, 'lanes/probe_with', { laneId: id, attemptId }),

    /** A waiting row is planned for this purpose. */
    probeNew: (id: number, campaignId: string, places: string[] | null): Promise<string | null> =>
      value(db, 'lanes/probe_new', { laneId: id, campaignId, places }),

    windows: (campaignId: string | null): Promise<ProbeWindow[]> =>
      db.query('lanes/windows', { baseUrl, campaignId }),

    probeNow: (): Promise<void> => run(db, 'lanes/probe_now', { baseUrl }),

    /** Plans on a closed lane move to an open one; returns the attempts. */
    move: (from: number, to: number, campaignId: string | null = null): Promise<string[]> =>
      column(db, 'lanes/move', { from, to, campaignId }),

    /** The attempts that a scope has planned on a lane. */
    planned: (id: number, campaignId: string | null): Promise<string[]> =>
      column(db, 'lanes/planned', { laneId: id, campaignId }),

    inFlight: (id: number): Promise<number> => value(db, 'lanes/in_flight', { laneId: id }),

    /** Whether background workers have nothing to do, now or soon. */
    idle: (): Promise<boolean> => value(db, 'lanes/idle', { baseUrl }),

    loads: (runDialer: string | null = null): Promise<LaneLoad[]> =>
      db.query('lanes/loads', { baseUrl, runDialer }),
    /** `only` of these campaigns; null is all. */
    plannable: (
      campaignId: string | null,
      runId: string | null,
      mostDue = 1,
      only: readonly string[] | null = null,
    ): Promise<Plannable[]> =>
      db.query('lanes/plannable', { baseUrl, campaignId, runId, mostDue, only: only && [...only] }),
  };
}
