import type { Clock } from '../base/clock.ts';
import { CarillonError } from '../base/errors.ts';
import { isSameOrder } from '../control/order/tell.ts';
import { checkService } from '../control/preflight.ts';
import type { Lane } from '../lane/lane.ts';
import type { Campaign } from '../ledger/campaigns/verbs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Caller, Order } from '../rules/order.ts';
import { type RunLock, takeRunLock } from './lock.ts';

/** What stands before the first call: the keys are checked, and the campaign is found or made and taken in hand. */
export type PrepareDeps = { ledger: Ledger; lanes: readonly Lane[]; baseUrl: string; clock: Clock };
/** The order of a run, under the name that its campaign bears. */
export type NamedOrder = { name: string; order: Order; startOver: boolean };
export type Prepared = { campaign: Campaign; runLock: RunLock; resumed: boolean; changed: boolean };

export async function prepareCampaign(app: PrepareDeps, run: NamedOrder): Promise<Prepared> {
  const { campaigns } = app.ledger;
  let existing = await campaigns.find(run.name);
  if (existing && run.startOver) {
    const runLock = await takeRunLock(app.ledger, existing.id, run.name);
    await campaigns.supersede(existing.id);
    await runLock.release();
    existing = null;
  }
  if (existing && existing.baseUrl !== app.baseUrl) {
    throw new CarillonError(
      'campaign-elsewhere',
      `The campaign ${run.name} belongs to ${existing.baseUrl}, and VOICE_BASE_URL is ${app.baseUrl}`,
    );
  }
  if (existing?.state === 'canceled') {
    throw new CarillonError('campaign-state', `The campaign ${run.name} was canceled`, {
      remedy: 'Give --new to start over, or another --name.',
    });
  }
  if (!existing) {
    await campaigns.create({
      order: run.order,
      name: run.name,
      baseUrl: app.baseUrl,
      state: 'draft',
      driver: 'run',
    });
  }
  const campaign = await campaigns.get(run.name);
  const runLock = await takeRunLock(app.ledger, campaign.id, run.name);
  // While the list is read nobody dials from it: neither background workers nor an order that was changed.
  if (campaign.state === 'running') await campaigns.pause([campaign.id], 'a run takes over');
  const changed = existing !== null && !isSameOrder(existing, run.order);
  if (changed) await campaigns.change(campaign.id, run.order);
  return { campaign, runLock, resumed: existing !== null, changed };
}

/** Asks the service with every key; what it says of a key opens or closes its lane. Answers the requests spent. */
export async function checkKeys(app: PrepareDeps, callers: readonly Caller[]): Promise<number> {
  const clients = new Map(app.lanes.map((lane) => [lane.name, lane.client]));
  const checked = await checkService(clients, callers, async (name) => {
    const lane = app.lanes.find((each) => each.name === name)!;
    for (;;) {
      const passage = await lane.departure.enter('poll');
      if (passage.ok) return;
      await app.clock.sleep(passage.restMs);
    }
  });
  for (const key of checked.keys) {
    const lane = app.lanes.find((each) => each.name === key.name)!;
    if (key.state === 'accepted' && lane.state === 'denied') {
      await app.ledger.lanes.open(lane.id);
      lane.state = 'open';
    }
    if (key.state === 'denied') {
      await app.ledger.lanes.deny(lane.id, key.message);
      lane.state = 'denied';
    }
  }
  return checked.requests;
}
