import { CarillonError } from '../base/errors.ts';
import type { Database } from './database.ts';

/** A campaign: one order to call a list, who dials it, and the verbs that start, rest and end it. */
export type CampaignState = 'draft' | 'running' | 'paused' | 'canceled' | 'done';
export type Driver = 'run' | 'background';
export type Caller = { number: string } | { numberId: string };
/** Minutes of the day and weekdays (1 is Monday) in which a recipient may be called. */
export type Hours = { from: number; to: number; days: number[] };

export type OnUnknown = 'hold' | 'redial';

/** What its owner orders; changed options apply to what is not yet planned. */
export type CampaignOptions = {
  agentId: string;
  callers: Caller[];
  timezone: string | null;
  hours: Hours | null;
  maxCalls: number | null;
  maxAttempts: number;
  /** Seconds until the next attempt, by outcome. */
  retry: Record<string, number>;
  /** Of whom nobody knows whether they were called: held for a person, or called again, once. */
  onUnknown: OnUnknown;
  /** Seconds of delay in a result that one request is worth; null leaves it to the lane. */
  lag: number | null;
  /** Its part of a key beside other campaigns: calls for each one of a campaign of weight 1. */
  weight: number;
};

export type Campaign = CampaignOptions & {
  id: string;
  name: string;
  kind: 'list' | 'calls';
  baseUrl: string;
  state: CampaignState;
  reason: string | null;
  driver: Driver;
  runId: string | null;
  runLives: boolean;
  columns: string[];
  createdAt: Date;
};

export type CampaignLine = Pick<
  Campaign,
  'id' | 'name' | 'kind' | 'state' | 'reason' | 'driver' | 'baseUrl' | 'agentId' | 'runLives' | 'createdAt'
> & {
  refused: number;
  states: Record<string, number>;
};

export type CampaignPageLine = CampaignLine & { outcomes: Record<string, number> };

export type Campaigns = ReturnType<typeof createCampaigns>;

export function createCampaigns(db: Database) {
  const find = async (nameOrId: string): Promise<Campaign | null> => {
    const [row] = await db.query<Record<string, never>>('campaign_find', [nameOrId]);
    return row ? toCampaign(row) : null;
  };

  return {
    find,

    async get(nameOrId: string): Promise<Campaign> {
      const campaign = await find(nameOrId);
      if (!campaign) throw new CarillonError('campaign-unknown', `There is no campaign named ${nameOrId}`);
      return campaign;
    },

    /** Null when another process made a campaign of this name first. */
    async create(
      order: CampaignOptions & {
        name: string;
        kind?: 'list' | 'calls';
        baseUrl: string;
        state: CampaignState;
        driver: Driver;
      },
    ): Promise<string | null> {
      const [row] = await db.query<{ id: string }>('campaign_create', [
        order.name,
        order.kind ?? 'list',
        order.baseUrl,
        order.state,
        order.driver,
        ...optionValues(order),
      ]);
      return row?.id ?? null;
    },

    async change(id: string, options: CampaignOptions): Promise<void> {
      await db.query('campaign_change', [id, ...optionValues(options)]);
    },

    /** False when it was canceled meanwhile. */
    async take(id: string, runId: string): Promise<boolean> {
      return (await db.query('campaign_take', [id, runId])).length > 0;
    },

    /** The run says that it lives; null when another has taken the campaign from it. */
    async seen(id: string, runId: string): Promise<CampaignState | null> {
      const [row] = await db.query<{ state: CampaignState }>('campaign_seen', [id, runId]);
      return row?.state ?? null;
    },

    async rest(id: string, runId: string, state: CampaignState, reason: string | null): Promise<void> {
      await db.query('campaign_rest', [id, runId, state, reason]);
    },

    async pause(ids: string[], why: string): Promise<{ id: string; name: string }[]> {
      return db.query('campaign_pause', [ids, why]);
    },

    /** Answers who dials from now on; null when the campaign was canceled. */
    async resume(id: string): Promise<Driver | null> {
      const [row] = await db.query<{ driver: Driver }>('campaign_resume', [id]);
      return row?.driver ?? null;
    },

    async cancel(id: string): Promise<void> {
      await db.query('campaign_cancel', [id]);
    },

    async supersede(id: string): Promise<void> {
      await db.query('campaign_supersede', [id]);
    },

    /** Removes a campaign in which nobody ever was. */
    async forget(id: string): Promise<void> {
      await db.query('campaign_forget', [id]);
    },

    async zones(id: string): Promise<string[]> {
      return (await db.query<{ zones: string }>('campaign_zones', [id])).map((row) => row.zones);
    },

    async unpark(id: string): Promise<void> {
      await db.query('campaign_unpark', [id]);
    },

    async parkRest(id: string, why: string): Promise<void> {
      await db.query('campaign_park_rest', [id, why]);
    },

    async countRequests(id: string, requests: number): Promise<void> {
      await db.query('campaign_requests', [id, requests]);
    },

    /** Marks background campaigns in which nothing is left to do. */
    async finish(baseUrl: string): Promise<{ id: string; name: string }[]> {
      return db.query('campaign_done', [baseUrl]);
    },

    /** Campaigns of killed runs that will not dial them again; their queues may be cleared. */
    async leftRuns(baseUrl: string): Promise<string[]> {
      return (await db.query<{ id: string }>('left_runs', [baseUrl])).map((row) => row.id);
    },

    async forgetRun(id: string): Promise<void> {
      await db.query('forget_run', [id]);
    },

    async list(baseUrl: string | null): Promise<CampaignLine[]> {
      return db.query('campaigns_list', [baseUrl]);
    },

    /** A page of a service's campaigns, the youngest first, after the campaign of that id. */
    page: (baseUrl: string, after: string | null, most: number) =>
      db.query<CampaignPageLine>('campaigns_page', [baseUrl, after, most]),

    /** A finished campaign to which people were added is finished no more: it rests until it is started again. */
    async reopen(id: string): Promise<void> {
      await db.query('campaign_reopen', [id]);
    },

    async nextDue(id: string): Promise<{ nextAt: Date | null; waiting: number }> {
      const [row] = await db.query<{ nextAt: Date | null; waiting: number }>('next_due', [id]);
      return row!;
    },
  };
}

function optionValues(o: CampaignOptions): unknown[] {
  return [
    o.agentId,
    JSON.stringify(o.callers),
    o.timezone,
    o.hours ? JSON.stringify(o.hours) : null,
    o.maxCalls,
    o.maxAttempts,
    JSON.stringify(o.retry),
    o.onUnknown,
    o.lag,
    o.weight,
  ];
}

function toCampaign(row: Record<string, never>): Campaign {
  return {
    id: row.id!,
    name: row.name!,
    kind: row.kind!,
    baseUrl: row.base_url!,
    state: row.state!,
    reason: row.reason!,
    driver: row.driver!,
    runId: row.run_id!,
    runLives: Boolean(row.run_lives),
    agentId: row.agent_id!,
    callers: row.callers!,
    timezone: row.timezone!,
    hours: row.hours!,
    maxCalls: row.max_calls!,
    maxAttempts: row.max_attempts!,
    retry: row.retry!,
    onUnknown: row.on_unknown!,
    lag: row.lag!,
    weight: row.weight!,
    columns: row.columns!,
    createdAt: row.created_at!,
  };
}
