import { systemClock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import { renewPeople } from '../../dispatch/renew.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Order } from '../../rules/order.ts';
import { orderDifferences } from '../activity/differences.ts';
import { changeOrder, checkEnd, orderChange } from '../order/order.ts';
import { campaignName, namesVersion, read } from '../requests/input.ts';
import { checkOverride, type ServiceAccess } from '../service/access.ts';
import { checkBudget } from './budget.ts';
import { canceled, ownCampaign, refuseCalls } from './moves.ts';
import { type ShownCampaign, showCampaign } from './show.ts';

/** Changes the order for what is not yet planned, and the name. */
export const campaignChange = orderChange
  .extend({ name: campaignName.optional() })
  .refine((wanted) => Object.keys(wanted).length > 0, 'names nothing to change');

const renewMs = 1_000;

/**
 * Two changes at once both apply: a change that meets another in the ledger is laid over it. With `ifMatch` (a
 * campaign's ETag) it is refused instead.
 */
export async function changeCampaign(
  {
    ledger,
    baseUrl,
    tellsCost = true,
    overrideFault = () => null,
    clock = systemClock,
  }: Pick<ServiceAccess, 'ledger' | 'baseUrl'> &
    Partial<Pick<ServiceAccess, 'tellsCost' | 'overrideFault'>> & { clock?: { now(): number } },
  nameOrId: string,
  body: unknown,
  ifMatch?: string,
): Promise<ShownCampaign> {
  const { id } = await ownCampaign(ledger, baseUrl, nameOrId);
  const { name, ...wanted } = read(campaignChange, body);
  for (;;) {
    const campaign = await ownCampaign(ledger, baseUrl, id);
    if (ifMatch !== undefined && !namesVersion(ifMatch, String(campaign.revision))) throw overtaken(campaign);
    if (campaign.state === 'canceled') throw canceled(campaign);
    refuseCalls(campaign, ', and each has an order of its own', 'Give the next call another order.');
    if (name !== undefined && campaign.runLives)
      throw new CarillonError('campaign-busy', `The campaign ${campaign.name} is dialled by an active run`);
    const { revision } = campaign;
    const order = changeOrder(campaign, wanted);
    checkOverride({ overrideFault }, order.override);
    checkEnd(order, clock.now(), campaign);
    if (order.maxCost !== campaign.maxCost) await checkBudget(order, tellsCost, ledger);
    const changed = await ledger.together(async ({ campaigns, activity }) => {
      if (!(await campaigns.change(id, order, revision, name))) return false;
      await activity.record({
        verb: 'campaign.change',
        subject: id,
        campaign: id,
        ...told(campaign, order, name),
      });
      return true;
    }, 'long');
    if (changed) break;
  }
  // A long list takes a while: the sweeper of any process renews the people who are left.
  const end = performance.now() + renewMs;
  await renewPeople(ledger, id, () => performance.now() < end);
  return showCampaign(ledger, id);
}

/** The effect of the change, for the activity. */
function told(campaign: Campaign, order: Order, name: string | undefined) {
  const renamed = name === undefined || name === campaign.name ? null : name;
  const { before, after } = orderDifferences(campaign, order) ?? {};
  return {
    before: { ...(renamed === null ? {} : { name: campaign.name }), ...before },
    after: { ...(renamed === null ? {} : { name: renamed }), ...after },
  };
}

/** The version of a campaign's order, in the form of HTTP. */
export function etagOf({ revision }: Pick<Campaign, 'revision'>): string {
  return `"${revision}"`;
}

function overtaken(campaign: Campaign): CarillonError {
  return new CarillonError(
    'campaign-changed',
    `The campaign ${campaign.name} changed since the version that If-Match names`,
  );
}
