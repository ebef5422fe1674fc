import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { orderOf } from '../order/order.ts';
import { claim, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { campaignName, read } from '../requests/input.ts';
import type { ServiceAccess } from '../service/access.ts';
import { ownCampaign } from './moves.ts';
import { type ShownCampaign, showCampaign } from './show.ts';

/** A draft with the order of another campaign and, if wanted, with its people as not called. */
export const cloneInput = z.strictObject({ name: campaignName, people: z.boolean().optional() });

type CloneMade = { campaign: string };

export async function cloneCampaign(
  { ledger, baseUrl }: Pick<ServiceAccess, 'ledger' | 'baseUrl'>,
  nameOrId: string,
  body: unknown,
  key?: unknown,
): Promise<Once<ShownCampaign>> {
  const { name, people = false } = read(cloneInput, body);
  const from = await ownCampaign(ledger, baseUrl, nameOrId);
  if (from.kind === 'calls') {
    throw new CarillonError('campaign-state', `${from.name} gathers single calls and has no order to copy`, {
      remedy: 'Make a campaign with `carillon campaign create`, `carillon run` or POST /api/campaigns.',
    });
  }
  const made = { order: orderOf(from), name, baseUrl, state: 'draft', driver: 'background' } as const;
  const request = readKeyed(['clone', baseUrl], key, { from: from.id, name, people });
  return once<ShownCampaign, CloneMade>(ledger, request, {
    again: async ({ campaign }) =>
      (await ledger.campaigns.find(campaign)) ? showCampaign(ledger, campaign) : null,
    act: () =>
      ledger.together(
        async (verbs) => {
          const { campaigns, activity, idempotency } = verbs;
          await claim(idempotency, request);
          const id = await campaigns.create(made);
          if (id === null) {
            throw new CarillonError('campaign-exists', `A campaign named ${name} already exists`);
          }
          const after = { name, from: from.id, people };
          await activity.record({ verb: 'campaign.clone', subject: id, campaign: id, after });
          if (people) await campaigns.clonePeople(from.id, id);
          if (request) await idempotency.keep(request, { campaign: id } satisfies CloneMade, null);
          return showCampaign({ ...verbs, calendarOf: ledger.calendarOf }, id);
        },
        people ? 'long' : 'quick',
      ),
  });
}
