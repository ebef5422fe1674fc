import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { CarillonError } from '../base/errors.ts';
import { chosenOf, orderDifferences } from '../control/activity/differences.ts';
import { checkBudget, tellsCost } from '../control/campaigns/budget.ts';
import { bringHere, comesHere } from '../control/campaigns/moves.ts';
import { requireSound } from '../control/ledger/history.ts';
import { checkEnd, isSameOrder, layOrder } from '../control/order/order.ts';
import { renewPeople } from '../dispatch/renew.ts';
import type { Change } from '../ledger/activity/activity.ts';
import type { Campaign } from '../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Order } from '../rules/order.ts';
import type { ServiceDescription } from '../voice/description.ts';

/** The steps before the first call: the campaign is found or created, and locked. */
type PrepareDeps = {
  ledger: Ledger;
  baseUrl: string;
  clock: { now(): number };
  described: { description: Pick<ServiceDescription, 'get'> };
};
/** The order of a run, and the name of its campaign. */
type NamedOrder = { name: string; order: Order; startOver: boolean };
export type Prepared = {
  campaign: Campaign;
  runLock: RunLock;
  /** The campaign as it was; null if the run made it. */
  resumed: Campaign | null;
  changed: boolean;
  waits: boolean;
  /** How many people were queued, and wait again. */
  takenBack: number;
};

/**
 * All that may refuse a run before its list is read: what its ledger, its campaign and the service say of the order. A
 * dry run makes the same checks. Returns the campaign that would be resumed, and what the service answered.
 */
export async function checkRun<Asked>(
  app: Omit<PrepareDeps, 'ledger'> & { ledger: Ledger | null; home?: string },
  run: NamedOrder,
  askService: () => Promise<Asked>,
): Promise<{ existing: Campaign | null; asked: Asked }> {
  const { ledger, home } = app;
  if (ledger) await requireSound(ledger, home);
  const existing = ledger && !run.startOver ? await ledger.campaigns.find(run.name) : null;
  await checkNamed(existing, run, app);
  return { existing, asked: await askService() };
}

export async function prepareCampaign(app: PrepareDeps, run: NamedOrder): Promise<Prepared> {
  const { campaigns } = app.ledger;
  let existing = await campaigns.find(run.name);
  if (existing && run.startOver) {
    const runLock = await takeRunLock(app.ledger, existing.id, run.name);
    await campaigns.supersede(existing.id, startedOver(existing));
    await runLock.release();
    existing = null;
  }
  const comes = await checkNamed(existing, run, app);
  if (!existing) {
    await createFor(app, run);
  }
  const campaign = await campaigns.get(run.name);
  const runLock = await takeRunLock(app.ledger, campaign.id, run.name);
  // Nothing dials from the list while it is read: neither background workers nor a changed order.
  if (campaign.state === 'running') await campaigns.pause([campaign.id], 'a run takes over');
  // What was planned by another order, and for more calls than this run may make, is planned again.
  const takenBack = await app.ledger.attempts.release(campaign.id, 'a run takes over');
  if (comes) await app.ledger.together((verbs) => bringHere(verbs, app.baseUrl, campaign));
  const { changed, waits } = resuming(existing, run.order);
  if (existing && changed) await changeFrom(app.ledger, existing, run.order);
  await renewPeople(app.ledger, campaign.id);
  return { campaign, runLock, resumed: existing, changed, waits, takenBack };
}

/**
 * Refuses an order that its campaign cannot take; `existing` is null if the run makes one, or starts over. Returns true
 * if the campaign comes from another address.
 */
async function checkNamed(
  existing: Campaign | null,
  { name, order }: Pick<NamedOrder, 'name' | 'order'>,
  { ledger, baseUrl, clock, described }: Omit<PrepareDeps, 'ledger'> & { ledger: Ledger | null },
): Promise<boolean> {
  const comes = existing !== null && ledger !== null && (await comesHere(ledger, baseUrl, existing));
  checkEnd(order, clock.now(), existing ?? undefined);
  await checkBudget(order, tellsCost(described.description), ledger);
  if (existing?.state === 'canceled') {
    throw new CarillonError('campaign-state', `The campaign ${name} was canceled`, {
      remedy:
        'Give --new to start over, or another --name. Calls that are not over yet are followed by background workers: `carillon up`.',
    });
  }
  return comes;
}

/**
 * What an order does to the campaign of its name: whether it changes it, and whether the campaign waits for a person.
 */
export function resuming(existing: Campaign | null, order: Order): { changed: boolean; waits: boolean } {
  return {
    changed: existing !== null && !isSameOrder(existing, order),
    // The first people were called, and the same order again does not mean that the rest may be.
    waits: existing?.state === 'paused' && existing.reason === 'first' && existing.first === order.first,
  };
}

/** Fails if another process made one of this name first. */
async function createFor({ ledger, baseUrl }: PrepareDeps, { name, order }: NamedOrder): Promise<void> {
  await ledger.together(async ({ campaigns, activity }) => {
    const id = await campaigns.create({ order, name, baseUrl, state: 'draft', driver: 'run' });
    const after = { name, ...chosenOf(order) };
    if (id !== null) await activity.record({ verb: 'campaign.create', subject: id, campaign: id, after });
  });
}

function startedOver({ id, state }: Campaign): Change {
  const after = { state: 'canceled', reason: 'started over' };
  return { verb: 'campaign.cancel', subject: id, campaign: id, before: { state }, after };
}

/** A change by someone else after this run began stays, unless the run itself changes it. */
async function changeFrom(ledger: Ledger, from: Campaign, wanted: Order): Promise<void> {
  const { id } = from;
  for (;;) {
    const present = await ledger.campaigns.get(id);
    const order = layOrder(from, present, wanted);
    const changed = await ledger.together(async ({ campaigns, activity }) => {
      if (!(await campaigns.change(id, order, present.revision))) return false;
      const told = orderDifferences(present, order);
      if (told) await activity.record({ verb: 'campaign.change', subject: id, campaign: id, ...told });
      return true;
    }, 'long');
    if (changed) return;
  }
}

/** The lock of a campaign: one `run` holds it at a time, until its process ends, however it ends. */
export type RunLock = {
  /** False when the connection broke and another run has taken the lock. */
  keep(): Promise<boolean>;
  release(): Promise<void>;
};

/** A session that broke here may still hold the lock at the server for a moment. */
const patienceMs = 5_000;

const lock = `select pg_try_advisory_lock(('x' || substr(md5('carillon run ' || $1), 1, 16))::bit(64)::bigint) as got`;

export async function takeRunLock(ledger: Ledger, campaignId: string, name: string): Promise<RunLock> {
  let client = await tryLock(ledger, campaignId);
  if (!client) throw new CarillonError('campaign-busy', `Another run is dialling the campaign ${name}`);
  let broken = false;
  const watch = (each: PoolClient) =>
    each.on('error', () => {
      broken = true;
    });
  watch(client);
  return {
    async keep() {
      if (!broken && client) return true;
      client?.release(true);
      client = null;
      for (const end = performance.now() + patienceMs; ; await sleep(500)) {
        client = await tryLock(ledger, campaignId);
        if (client) break;
        if (performance.now() > end) return false;
      }
      broken = false;
      watch(client);
      return true;
    },
    async release() {
      // The lock belongs to the session, so ending the connection surely releases it.
      client?.release(true);
      client = null;
    },
  };
}

async function tryLock(ledger: Ledger, campaignId: string): Promise<PoolClient | null> {
  const client = await ledger.db.connect();
  try {
    const result = await client.query(lock, [campaignId]);
    if (result.rows[0].got) return client;
    client.release();
    return null;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
