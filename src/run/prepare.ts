import { CarillonError } from '../base/errors.ts';
import { checkEnd } from '../control/order/end.ts';
import { isSameOrder, layOrder } from '../control/order/order.ts';
import { reopenPeople } from '../dispatch/reopen.ts';
import type { Campaign } from '../ledger/campaigns/verbs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Order } from '../rules/order.ts';
import { type RunLock, takeRunLock } from './lock.ts';

/** What comes before the first call: the campaign is found or created, and locked. */
export type PrepareDeps = { ledger: Ledger; baseUrl: string; clock: { now(): number } };
/** The order of a run, under the name that its campaign bears. */
export type NamedOrder = { name: string; order: Order; startOver: boolean };
export type Prepared = {
  campaign: Campaign;
  runLock: RunLock;
  resumed: boolean;
  changed: boolean;
  held: boolean;
};

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
  checkEnd(run.order, app.clock.now(), existing ?? undefined);
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
  // Nothing dials from the list while it is read: neither background workers nor a changed order.
  if (campaign.state === 'running') await campaigns.pause([campaign.id], 'a run takes over');
  const changed = existing !== null && !isSameOrder(existing, run.order);
  if (existing && changed) await changeFrom(app.ledger, existing, run.order);
  await reopenPeople(app.ledger, campaign.id);
  // The first people were called, and the same order again does not mean that the rest may be.
  const held =
    existing?.state === 'paused' && existing.reason === 'first' && existing.first === run.order.first;
  return { campaign, runLock, resumed: existing !== null, changed, held };
}

/** What was changed by another while this run began stays, unless the run itself changes it. */
async function changeFrom({ campaigns }: Ledger, from: Campaign, wanted: Order): Promise<void> {
  for (;;) {
    const present = await campaigns.get(from.id);
    if (await campaigns.change(from.id, layOrder(from, present, wanted), present.revision)) return;
  }
}
