import { CarillonError } from '../../base/errors.ts';
import type { Order } from '../../rules/order.ts';
import { type Change, createActivity } from '../activity/activity.ts';
import { column, one, run, some, value } from '../answers.ts';
import type { Database } from '../database.ts';
import type { Spent } from '../tallies/tallies.ts';
import { createCampaignPeople } from './people.ts';

/** A campaign: one order to call a list, who dials it, and the verbs that start, pause and end it. */
/** It calls a list, or gathers single calls and is open for as long as calls may come. */
export const campaignKinds = ['list', 'calls'] as const;
type CampaignKind = (typeof campaignKinds)[number];
export const campaignStates = ['draft', 'running', 'paused', 'canceled', 'done'] as const;
export type CampaignState = (typeof campaignStates)[number];
export const drivers = ['run', 'background'] as const;
export type Driver = (typeof drivers)[number];
export type Campaign = Order & {
  id: string;
  name: string;
  kind: CampaignKind;
  baseUrl: string;
  state: CampaignState;
  reason: string | null;
  driver: Driver;
  runId: string | null;
  runLives: boolean;
  columns: string[];
  createdAt: Date;
  /** Since when it is in its state. */
  since: Date;
  /** Grows with every change of the order, and with each start. */
  revision: number;
  /** How often in a row the service refused its order. */
  faults: number;
  /** The revision that allowed more attempts, while people who may be tried again are still done; else null. */
  renewing: number | null;
};

/** A campaign in a list, with its counts. */
export type CampaignLine = Omit<Campaign, 'columns' | 'runId' | 'renewing'> &
  Spent & { currency: string | null };

type Found = Omit<Campaign, keyof Order> & { terms: Order };
type Paged = Omit<CampaignLine, keyof Order> & { terms: Order };

/** A cancel skips rows for this long, this many at once; the sweeper does the rest. */
const sweepMs = 500;
const sweepRows = 5_000;

export function createCampaigns(db: Database) {
  const find = async (nameOrId: string): Promise<Campaign | null> => {
    const [row]: Found[] = await db.query('campaigns/find', { nameOrId });
    if (!row) return null;
    const { terms, ...campaign } = row;
    return { ...terms, ...campaign };
  };

  const cancel = async (id: string, why: string, startsOver: boolean, record: Change | null) => {
    const end = performance.now() + sweepMs;
    await db.together(async (within) => {
      const changed = await within.query('campaigns/cancel', { campaignId: id, why, startsOver });
      if (record && changed.length > 0) await createActivity(within).record(record);
    }, 'quick');
    // The sweeper of any process skips what is left.
    while (performance.now() < end) if (!(await sweep(id))) return;
  };

  /** Skips a batch of a canceled campaign's waiting rows; returns whether there may be more. */
  const sweep = async (id: string): Promise<boolean> => {
    const swept: number | null = await value(db, 'campaigns/sweep', { campaignId: id, most: sweepRows });
    if ((swept ?? 0) >= sweepRows) return true;
    await db.query('campaigns/swept', { campaignId: id });
    return false;
  };

  const people = createCampaignPeople(db);

  return {
    ...people,
    find,

    async get(nameOrId: string): Promise<Campaign> {
      const campaign = await find(nameOrId);
      if (!campaign) throw new CarillonError('campaign-unknown', `The campaign ${nameOrId} was not found`);
      return campaign;
    },

    /** Null when another process made a campaign of this name first. */
    create: (made: {
      name: string;
      kind?: CampaignKind;
      baseUrl: string;
      state: CampaignState;
      driver: Driver;
      order: Order;
    }): Promise<string | null> =>
      value(db, 'campaigns/create', {
        name: made.name,
        kind: made.kind ?? 'list',
        baseUrl: made.baseUrl,
        state: made.state,
        driver: made.driver,
        order: JSON.stringify(made.order),
      }),

    /** False when `from` is given and the campaign is no longer at that revision: then nothing is changed. */
    async change(
      id: string,
      order: Order,
      from: number | null = null,
      name: string | null = null,
    ): Promise<boolean> {
      const values = { campaignId: id, order: JSON.stringify(order), revision: from, name };
      const changed = await db.query('campaigns/change', values).catch((error: unknown) => {
        throw asNameTaken(error, name ?? '');
      });
      return changed.length > 0;
    },

    calledNobody: (id: string): Promise<boolean> => value(db, 'campaigns/called_nobody', { campaignId: id }),

    /** Moves it to another service. False if it has called somebody: then it stays with its own. */
    move: (id: string, baseUrl: string): Promise<boolean> =>
      value(db, 'campaigns/move', { campaignId: id, baseUrl }),

    /** False when it was already canceled. `limit`: how many calls the run may open. */
    take: (id: string, runId: string, limit: number | null = null): Promise<boolean> =>
      some(db, 'campaigns/take', { campaignId: id, runId, limit }),

    /**
     * The run reports that it is active; null when another run has taken the campaign. `callsLeft`: how many calls its
     * limit still allows.
     */
    seen: (id: string, runId: string): Promise<{ callsLeft: number | null } | null> =>
      one(db, 'campaigns/seen', { campaignId: id, runId }),

    rest: (id: string, runId: string, state: CampaignState, reason: string | null): Promise<void> =>
      run(db, 'campaigns/rest', { campaignId: id, runId, state, reason }),

    /** Returns those that were running; null pauses every campaign. */
    pause: (ids: string[] | null, why: string): Promise<{ id: string; name: string }[]> =>
      db.query('campaigns/pause', { ids, why }),

    /** The campaigns that are paused for this reason, oldest first. */
    stopped: (why: string): Promise<(Pick<Campaign, 'id' | 'name'> & { people: number })[]> =>
      db.query('campaigns/stopped', { why }),

    /** Returns who dials from now on; null when the campaign was canceled. */
    async resume(id: string): Promise<Driver | null> {
      const [row]: { driver: Driver }[] = await db.query('campaigns/resume', { campaignId: id });
      return row?.driver ?? null;
    },

    /** Returns soon: the remaining rows are skipped in batches. */
    cancel: (id: string, record: Change | null = null) => cancel(id, 'canceled', false, record),

    /** Starts over: the old campaign keeps everything but the name, and never dials again. */
    supersede: (id: string, record: Change | null = null) => cancel(id, 'started over', true, record),

    /** Skips one batch of each canceled campaign; returns whether there may be more. */
    async sweep(
      baseUrl: string,
      alone: (id: string, work: () => Promise<boolean>) => Promise<boolean | undefined> = (_, work) => work(),
    ): Promise<boolean> {
      let more = false;
      for (const { id, deleted } of await db.query('campaigns/to_sweep', { baseUrl }))
        if (await alone(id, async () => (deleted ? !(await people.deleteSome(id)) : sweep(id)))) more = true;
      return more;
    },

    /** Deletes a campaign that never had any recipients. */
    forget: (id: string): Promise<void> => run(db, 'campaigns/forget', { campaignId: id }),

    places: (id: string): Promise<string[]> => column(db, 'campaigns/places', { campaignId: id }),

    unpark: (id: string): Promise<void> => run(db, 'campaigns/unpark', { campaignId: id }),

    parkRest: (id: string, why: string): Promise<void> =>
      run(db, 'campaigns/park_rest', { campaignId: id, why }),

    countRequests: (id: string, requests: number): Promise<void> =>
      run(db, 'campaigns/requests', { campaignId: id, requests }),

    /** Marks background campaigns with nothing left to do as done. */
    /** `only` of these campaigns; null is all. */
    finish: (
      baseUrl: string,
      only: readonly string[] | null = null,
    ): Promise<{ id: string; name: string }[]> =>
      db.query('campaigns/done', { baseUrl, only: only && [...only] }),

    ids: (baseUrl: string): Promise<string[]> => column(db, 'campaigns/ids', { baseUrl }),

    /** Campaigns of killed runs that will not dial them again; their queues may be cleared. */
    leftRuns: (baseUrl: string): Promise<string[]> => column(db, 'campaigns/left_runs', { baseUrl }),

    /** As it stands, and as it stays until the transaction ends; null when it is gone. */
    keep: (id: string): Promise<Pick<Campaign, 'id' | 'state' | 'revision' | 'reason'> | null> =>
      one(db, 'campaigns/keep', { campaignId: id }),

    forgetRun: (id: string): Promise<void> => run(db, 'campaigns/forget_run', { campaignId: id }),

    /** Campaigns of every service, newest first, after the one with that id. */
    async page(
      after: string | null,
      most: number,
      states: readonly CampaignState[] | null = null,
      name: string | null = null,
      kinds: readonly CampaignKind[] | null = null,
    ): Promise<CampaignLine[]> {
      const rows: Paged[] = await db.query('campaigns/page', { after, most, states, name, kinds });
      return rows.map(({ terms, ...row }) => ({ ...terms, ...row }));
    },

    /** The total weight of the other campaigns that the service's keys dial now. */
    rivals: (baseUrl: string, id: string): Promise<number> =>
      value(db, 'campaigns/rivals', { baseUrl, campaignId: id }),

    states: (baseUrl: string): Promise<{ state: CampaignState; count: number }[]> =>
      db.query('campaigns/states', { baseUrl }),

    /** A done campaign that got new people is no longer done: it continues or rests, as its order says. */
    wakeGrown: (id: string): Promise<void> =>
      run(db, 'campaigns/wake_grown', { campaignId: id, baseUrl: null, only: null }),

    /** Evergreen campaigns that were done at the very moment when people were added. */
    wakeEvergreen: (baseUrl: string, only: readonly string[] | null = null): Promise<string[]> =>
      column(db, 'campaigns/wake_grown', { campaignId: null, baseUrl, only: only && [...only] }),

    /** Pauses campaigns that stop by themselves; returns them with the reason. */
    brake: (
      baseUrl: string,
      leastCalls: number,
      only: readonly string[] | null = null,
    ): Promise<{ id: string; name: string; reason: string }[]> =>
      db.query('campaigns/brake', { baseUrl, leastCalls, only: only && [...only] }),

    forgetEnds: (): Promise<void> => run(db, 'campaigns/old_ends'),

    nextDue: (id: string): Promise<Date | null> => value(db, 'campaigns/next_due', { campaignId: id }),
  };
}

/** Postgres names the index if another campaign has the name. */
function asNameTaken(error: unknown, name: string): unknown {
  if ((error as { code?: string }).code !== '23505') return error;
  return new CarillonError('campaign-exists', `A campaign named ${name} already exists`);
}
