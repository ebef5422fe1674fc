import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { campaignName, read } from '../input.ts';
import { orderOf } from '../order/order.ts';
import type { Service } from '../service.ts';
import { ownCampaign } from './moves.ts';
import { type ShownCampaign, showCampaign } from './show.ts';

/** A draft with the order of another campaign, and with its people as never called if they are wanted. */
export const cloneInput = z.strictObject({ name: campaignName, people: z.boolean().optional() });

export async function cloneCampaign(
  { ledger, baseUrl }: Pick<Service, 'ledger' | 'baseUrl'>,
  nameOrId: string,
  body: unknown,
): Promise<ShownCampaign> {
  const { name, people } = read(cloneInput, body);
  const from = await ownCampaign(ledger, baseUrl, nameOrId);
  if (from.kind === 'calls') {
    throw new CarillonError('campaign-state', `${from.name} gathers single calls and has no order to copy`, {
      remedy: 'Make a campaign with POST /api/campaigns or `carillon run`.',
    });
  }
  const made = { order: orderOf(from), name, baseUrl, state: 'draft', driver: 'background' } as const;
  const id = await ledger.together(async ({ campaigns, activity }) => {
    const id = await campaigns.create(made);
    const after = { name, from: from.id, people: people === true };
    if (id !== null) await activity.record({ verb: 'campaign.clone', subject: id, campaign: id, after });
    return id;
  });
  if (id === null) throw new CarillonError('campaign-exists', `A campaign named ${name} already exists`);
  try {
    if (people) await ledger.campaigns.clonePeople(from.id, id);
  } catch (error) {
    await ledger.campaigns.forget(id).catch(() => undefined);
    throw error;
  }
  return showCampaign(ledger, id);
}
