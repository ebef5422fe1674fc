import { type BoundedMap, createBoundedMap } from '../../base/bounded-map.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Caller, Order } from '../../rules/order.ts';
import { readOrder } from '../order/order.ts';
import { type SingleOrder, suppressed } from './read.ts';

/** Campaigns found before, by plain name: they keep name and order while they dial. */
const known = new WeakMap<Ledger, BoundedMap<KnownCampaign>>();
const mostKnown = 1_000;
type KnownCampaign = { id: string; key: string };

function knownOf(ledger: Ledger): BoundedMap<KnownCampaign> {
  const found = known.get(ledger) ?? createBoundedMap<KnownCampaign>(mostKnown);
  known.set(ledger, found);
  return found;
}

/** The campaign that gathered such a call before, without asking the ledger: it may no longer dial. */
export function knownCampaign(ledger: Ledger, baseUrl: string, order: SingleOrder): KnownCampaign | null {
  return knownOf(ledger).get(`${baseUrl} ${plainName(order)}`) ?? null;
}

export function forgetCampaign(ledger: Ledger, { key }: KnownCampaign): void {
  knownOf(ledger).delete(key);
}

/** The name of the campaign that gathers such calls, unless another has it. */
export function plainName({ agentId, caller, ignoresPolicy }: SingleOrder): string {
  const from = caller ? `-from-${'number' in caller ? caller.number : caller.numberId}` : '';
  return `calls-${agentId}${from}${ignoresPolicy ? '-ignoring-policy' : ''}`;
}

/**
 * Gathers single calls of one agent and caller in a campaign, and calls that ignore the contact rules in another. If
 * the name is taken, the service's host is added.
 */
export async function campaignFor(ledger: Ledger, baseUrl: string, order: SingleOrder): Promise<Campaign> {
  const campaign = await findCampaign(ledger, baseUrl, order);
  const key = `${baseUrl} ${plainName(order)}`;
  knownOf(ledger).set(key, { id: campaign.id, key });
  return campaign;
}

async function findCampaign(ledger: Ledger, baseUrl: string, order: SingleOrder): Promise<Campaign> {
  const { agentId, caller, ignoresPolicy, person } = order;
  const plain = plainName(order);
  const isOurs = (found: Campaign) => found.baseUrl === baseUrl && found.kind === 'calls';
  for (const name of [plain, `${plain}@${new URL(baseUrl).host}`]) {
    let found = await ledger.campaigns.find(name);
    if (found && !isOurs(found)) continue;
    // A canceled campaign never dials again: it keeps its calls and gives up its name.
    if (found?.state === 'canceled') await ledger.campaigns.supersede(found.id);
    else if (found) return found;
    // A refused call leaves no campaign behind, and a campaign that does not exist yet has no suppressions of its own.
    if (await ledger.suppressions.bars(person.phone)) throw suppressed(person.phone);
    await ledger.campaigns.create({
      name,
      kind: 'calls',
      baseUrl,
      state: 'running',
      driver: 'background',
      order: orderOf(agentId, caller, ignoresPolicy),
    });
    // Another process created it first: it is the same campaign.
    found = await ledger.campaigns.get(name);
    if (isOurs(found)) return found;
  }
  throw new CarillonError('campaign-elsewhere', `The name ${plain} belongs to a campaign of another kind`, {
    remedy: 'Cancel that campaign, or start it over under another name.',
  });
}

function orderOf(agentId: string, caller: Caller | null, ignoresPolicy: boolean): Order {
  const order = readOrder({ agent: agentId });
  const times = ignoresPolicy ? ({ ignoresPolicy } as const) : null;
  return { ...order, agents: [{ id: agentId, share: 1 }], callers: caller ? [caller] : [], times };
}
