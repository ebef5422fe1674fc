import { createBatch } from '../../base/batch.ts';
import type { LateField } from '../../rules/late-fields.ts';
import type { Caller, Order } from '../../rules/order.ts';
import type { Try } from '../../rules/retry.ts';
import { createBatchedMoves, one, run, some } from '../answers.ts';
import type { CampaignState, Driver } from '../campaigns/campaigns.ts';
import type { Database } from '../database.ts';
import type { ToldRecord } from '../kept-record.ts';
import type { LaneState } from '../lanes/lanes.ts';
import type { Statements } from '../rows.ts';
import type { AttemptState } from '../states.ts';
import { createOpen } from './open.ts';
import { createRepairs } from './repairs.ts';
import { createStops } from './stops.ts';

/** An attempt's life: the only verbs that move it, each one a compare-and-set. */

/** An attempt as a station loads it. */
export type Attempt = {
  id: string;
  state: AttemptState;
  laneId: number;
  number: number;
  caller: Caller | null;
  agentId: string;
  /** The settings of the agent that the create overrides; loaded only while the attempt is planned. */
  override: Record<string, unknown> | null;
  /** The span of the program that ordered a single call. */
  traceparent?: string | null;
  callId: string | null;
  /** The address at which the call can be ended, if its create returned one. */
  handle: string | null;
  polls: number;
  status: string | null;
  /** How often it was opened: the next opening has the next number. */
  opens: number;
  laneState: LaneState;
  laneLosses: number;
  /** Whether every create on the lane is refused, as far as is known. */
  laneRefused: boolean;
  /** Whether it is the probe of a lane that creates no other calls. */
  probe: boolean | null;
  placedAt: Date | null;
  nextPollAt: Date | null;
  deadlineAt: Date | null;
  recipientId: number;
  phone: string;
  name: string | null;
  place: string;
  variables: Record<string, unknown>;
  /** Attempts of the recipient that may have reached the phone. */
  attempts: number;
  /** At least this many are allowed, whatever the order says. */
  granted: number;
  /** How often the person asked to be called back. */
  callbacks: number;
  /** The recipient's attempts before this one that had an outcome. */
  earlier: Try[];
  /** All numbers of a person who has several; else null. */
  keeps?: string[] | null;
  /** Whether another number of the person was not tried in this round. */
  hasNextPhone?: boolean;
  /** Whether its phone is live with another attempt now. */
  inUse: boolean;
  campaignId: string;
  campaign: string;
  kind: 'list' | 'calls';
  campaignState: CampaignState;
  order: Omit<Order, 'override'>;
  driver: Driver;
  runId: string | null;
  runLives: boolean;
  revision: number;
  proved: boolean;
  /** A person ordered it despite the contact rules. */
  ignoresPolicy: boolean;
  /** When it was loaded, by the ledger's clock. */
  at: Date;
};

type Asked = {
  id: string;
  at: Date | null;
  status: string | null;
  nextPollAt: string;
  why?: string | null | undefined;
};

/** When a call is polled after a hint, and who follows it: the active run of this campaign, or the background. */
type Hinted = { id: string; key: string; run: string | null; at: Date };

/** An attempt that was admitted: the ticket distinguishes this admission from any later one. */
export type Opened = Attempt & { ticket: string };

/** Verbs that end an opening name it: a replay of an old one changes nothing. Null is any. */
type Opening = { ticket?: string | undefined };

/** A wish to be called back: when, null if it is not followed; and what the person's history says of it. */
export type ToldCallback = { callbackAt: string | null; callbackNote: string };

export type Settlement = ToldRecord & {
  id: string;
  /** The revision of the order that decided `again`; after a later change of the order nothing is settled. */
  revision?: number | undefined;
  /** Polls since the last write. */
  polls: number;
  status: string | null;
  outcome: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Seconds until the next attempt; null when this was the last. */
  again: number | null;
  /** The fields to ask for again, and after how many seconds; null asks for nothing. */
  refresh: readonly LateField[] | null;
  refreshIn: number | null;
  /** The hour of the week on the person's clock, for reports; null if it is not known. */
  localHour: number | null;
  /** Whether the record says that the person wants no more calls; null if there was nothing to read. */
  optOut: 'said' | 'unsaid' | 'absent' | null;
  /** Words that the service began the call outside the hours; null if it did not. */
  lateStart: string | null;
} & Partial<ToldCallback>;

/**
 * A campaign's request to a lane: `limit` is how many may be planned there now, `due` how many it would take, and
 * `queued` how many wait in its queue.
 */
export type PlanRequest = { id: string; limit: number; due: number; queued: number; places: string[] | null };
/** Why a plan waits again: its window closed, or its phone is live with another attempt. */
type GivenBack = { id: string; why: string };
/** How many were parked, and the state of the lane, which may have been without credit before. */
export type Parked = { parked: number; state: LaneState };
export type Planned = { id: string; campaignId: string };

export function createAttempts(db: Database) {
  const { mover, rowMover } = createBatchedMoves(db);
  const park = async (values: Statements['attempts/park']['values']): Promise<Parked> =>
    (await db.query('attempts/park', values))[0] as Parked;

  return {
    ...createOpen(db),
    ...createRepairs(db),
    ...createStops(db),

    /** Claims due recipients for one lane, by the campaigns' turns; returns the new attempts in their order. */
    plan: (
      laneId: number,
      requests: readonly PlanRequest[],
      headroom: number,
      lead: number,
    ): Promise<Planned[]> =>
      db.query('attempts/plan', { laneId, requests: JSON.stringify(requests), headroom, lead }),

    /** Puts off whom the next plan of a campaign would take; returns who that is. */
    async putOff(laneId: number, { id, places }: PlanRequest): Promise<number | null> {
      return (await db.query('attempts/put_off', { laneId, campaignId: id, places }))[0]!.person;
    },

    load: createBatch<string, Attempt | null>(async (ids) => {
      const rows: Attempt[] = await db.query('attempts/load', { ids: JSON.stringify(ids) });
      const orders = new Map(rows.flatMap(({ campaignId, order }) => (order ? [[campaignId, order]] : [])));
      for (const row of rows) row.order = orders.get(row.campaignId)!;
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    }),

    /**
     * False when the attempt was already given up, or is unknown because the answer is not about it: `late` then
     * records the call.
     */
    placed: mover<
      {
        id: string;
        callId: string;
        provider_call_sid?: string | null | undefined;
        handle?: string | null | undefined;
        /** Why the answer is not about this attempt. */
        mismatch?: string | null | undefined;
        status: string | null;
        nextPollAt: string;
        deadlineAt: string;
      } & Opening
    >('attempts/placed'),
    /** True when a create that was sent again has made another call, which closes its key. */
    late: (id: string, callId: string): Promise<boolean> =>
      some(db, 'attempts/late', { attemptId: id, callId }),

    /** `seconds`: for how long the create may be sent again. False when it must not leave. */
    keepSent: mover<{ id: string; ticket: string; sent: string; seconds: number }>('attempts/keep_sent'),

    /** `sent` is false when no request left. */
    withhold: mover<{ id: string; sent: boolean; detail: string | null } & Opening>('attempts/withhold'),
    lose: mover<{ id: string; reason: 'lost' | 'accepted' | 'crashed'; detail: string } & Opening>(
      'attempts/lose',
    ),
    /**
     * `at`: when it was loaded. `why` is for an unreadable answer: it is shown when the call is given up. Returns when
     * the next poll is due, which a hint may bring forward.
     */
    asked: rowMover<Asked, { id: string; nextPollAt: Date | null }>((json) =>
      db.query('attempts/asked', { polls: json }),
    ),
    /** Moves the next poll of a call to now, or to so many seconds after the last hint; null when nothing changes. */
    hint: (baseUrl: string, callId: string, leastSeconds: number): Promise<Hinted | null> =>
      one(db, 'attempts/hint', { baseUrl, callId, leastSeconds }),
    settle: mover<Settlement>('attempts/settle'),

    countRequest: (id: string): Promise<void> => run(db, 'attempts/count_request', { attemptId: id }),

    /** Parks the attempt and everything planned on its lane. */
    park: (id: string, laneId: number, words: string, ticket: string | null = null): Promise<Parked> =>
      park({ attemptId: id, laneId, words, ticket, isOver: false }),

    /** The call's record says that nobody was dialled; false when the attempt is over, or was never placed. */
    undialled: (id: string, why: 'no-room' | 'no-credit', words: string, seconds: number): Promise<boolean> =>
      some(db, 'attempts/undialled', { attemptId: id, why, words, seconds }),

    /** The record of a call says that the account has no credit: parks what is planned on its lane. */
    parkAfterCall: (laneId: number, id: string, words: string): Promise<Parked> =>
      park({ attemptId: id, laneId, words, ticket: null, isOver: true }),

    refusePerson: (id: string, words: string, ticket: string | null = null): Promise<boolean> =>
      some(db, 'attempts/refuse_person', { attemptId: id, words, ticket }),

    /** Returns the campaign's state after the refusal. */
    refuseOrder: (
      id: string,
      words: string,
      limit: number,
      ticket: string | null = null,
    ): Promise<{ state: CampaignState; faults: number } | null> =>
      one(db, 'attempts/refuse_order', { attemptId: id, words, limit, ticket }),

    /** A placed call is followed on another lane from now on. */
    follow: (id: string, laneId: number): Promise<void> =>
      run(db, 'attempts/follow', { attemptId: id, laneId }),

    /** `deadline` is the one that has passed. */
    stale: (id: string, why: string, deadline: Date | null = null): Promise<boolean> =>
      some(db, 'attempts/stale', { attemptId: id, why, deadline }),

    /** A plan that cannot be dialled now waits again, so that nobody else waits behind it. */
    giveBack: createBatch<GivenBack, boolean>(async (items) => {
      const moved = new Set<string>();
      for (const why of new Set(items.map((item) => item.why))) {
        const ids = items.filter((item) => item.why === why).map((item) => item.id);
        const rows: { id: string }[] = await db.query('attempts/give_back', { ids, why });
        for (const row of rows) moved.add(row.id);
      }
      return items.map((item) => moved.has(item.id));
    }),

    /** The same for plans that the contact rules hold: the people wait until the rule ends. */
    hold: createBatch<string, boolean>(async (ids) => {
      const rows: { id: string }[] = await db.query('attempts/hold', { ids });
      const moved = new Set(rows.map((row) => row.id));
      return ids.map((id) => moved.has(id));
    }),
  };
}
