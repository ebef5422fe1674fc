import { CarillonError } from '../../base/errors.ts';
import { read } from '../input.ts';
import { changeOrder, orderChange } from '../order/order.ts';
import type { Service } from '../service.ts';
import { canceled, ownCampaign } from './moves.ts';
import { type ShownCampaign, showCampaign } from './show.ts';

/** Changes the order for what is not yet planned. */
const input = orderChange.refine((wanted) => Object.keys(wanted).length > 0, 'names nothing to change');

export async function changeCampaign(
  { ledger, baseUrl }: Pick<Service, 'ledger' | 'baseUrl'>,
  nameOrId: string,
  body: unknown,
): Promise<ShownCampaign> {
  const campaign = await ownCampaign(ledger, baseUrl, nameOrId);
  const wanted = read(input, body);
  if (campaign.state === 'canceled') throw canceled(campaign);
  if (campaign.kind === 'calls') {
    throw new CarillonError('campaign-state', `${campaign.name} gathers single calls, each its own order`, {
      remedy: 'Give the next call another order.',
    });
  }
  await ledger.campaigns.change(campaign.id, changeOrder(campaign, wanted));
  return showCampaign(ledger, campaign.id);
}
