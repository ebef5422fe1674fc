import { randomUUID } from 'node:crypto';
import { CarillonError } from '../../base/errors.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Caller, Order } from '../../rules/order.ts';
import { readOrder } from '../order/order.ts';
import { type SingleOrder, suppressed } from './read.ts';

/** Gathers single calls of one agent and caller in a campaign, those that ignore the contact rules in another; if its name is taken, the service's host is added. */
export async function campaignFor(
  ledger: Ledger,
  baseUrl: string,
  { agentId, caller, ignoresPolicy, person }: SingleOrder,
): Promise<Campaign> {
  const from = caller ? `-from-${'number' in caller ? caller.number : caller.numberId}` : '';
  const plain = `calls-${agentId}${from}${ignoresPolicy ? '-ignoring-policy' : ''}`;
  const isOurs = (found: Campaign) => found.baseUrl === baseUrl && found.kind === 'calls';
  for (const name of [plain, `${plain}@${new URL(baseUrl).host}`]) {
    let found = await ledger.campaigns.find(name);
    if (found && !isOurs(found)) continue;
    // A canceled campaign never dials again: it keeps its calls and gives up its name.
    if (found?.state === 'canceled') await ledger.campaigns.supersede(found.id);
    else if (found) return found;
    // A call that is refused leaves no campaign behind.
    if (await isBarred(ledger, person.phone)) throw suppressed(person.phone);
    await ledger.campaigns.create({
      name,
      kind: 'calls',
      baseUrl,
      state: 'running',
      driver: 'background',
      order: orderOf(agentId, caller, ignoresPolicy),
    });
    // Someone else was first: it is the same campaign.
    found = await ledger.campaigns.get(name);
    if (isOurs(found)) return found;
  }
  throw new CarillonError('campaign-elsewhere', `The name ${plain} belongs to a campaign of another kind`, {
    remedy: 'Cancel that campaign, or start it over under another name.',
  });
}

/** Whether the phone is suppressed in every campaign: one that does not exist yet has no suppressions of its own. */
async function isBarred(ledger: Ledger, phone: string): Promise<boolean> {
  return (await ledger.people.tryPhones(randomUUID(), [phone])).suppressed > 0;
}

function orderOf(agentId: string, caller: Caller | null, ignoresPolicy: boolean): Order {
  const order = readOrder({ agent: agentId });
  const times = ignoresPolicy ? ({ ignoresPolicy } as const) : null;
  return { ...order, agents: [{ id: agentId, share: 1 }], callers: caller ? [caller] : [], times };
}
