import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { readJsonRecipients } from '../../intake/json.ts';
import { findState } from '../../intake/list.ts';
import type { RowBatch } from '../../intake/recipients.ts';
import type { KeyedRequest } from '../../ledger/idempotency/idempotency.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Order } from '../../rules/order.ts';
import { chosenOf } from '../activity/differences.ts';
import { requireSound } from '../ledger/history.ts';
import { importList } from '../lists/batches.ts';
import { anyPerson } from '../lists/body.ts';
import { checkEnd, orderInput, orderOf, readOrder } from '../order/order.ts';
import { claim, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { campaignName, read } from '../requests/input.ts';
import { checkOverride, type ServiceAccess } from '../service/access.ts';
import { checkOrder } from '../service/preflight.ts';
import { checkBudget } from './budget.ts';
import { ownCampaign, refuseCalls } from './moves.ts';
import { type ShownCampaign, showCampaign } from './show.ts';

/** Creates a campaign for the background workers: a name, an order, and a short list of people if given. */
export const campaignInput = orderInput.extend({
  name: campaignName,
  recipients: z.array(anyPerson).optional(),
  start: z.boolean().optional(),
});

type CampaignMade = { campaign: string };

/** Null when it was deleted since. */
const shownAgain =
  (ledger: Ledger) =>
  async ({ campaign }: CampaignMade) =>
    (await ledger.campaigns.find(campaign)) ? showCampaign(ledger, campaign) : null;

export async function createCampaign(
  service: ServiceAccess,
  body: unknown,
  key?: unknown,
): Promise<Once<ShownCampaign>> {
  const { ledger, baseUrl } = service;
  const wanted = read(campaignInput, body);
  const order = readOrder(wanted);
  checkOverride(service, order.override);
  checkEnd(order, service.clock.now());
  await checkBudget(order, service.tellsCost, ledger);
  const people = await readPeople(service, wanted, order);
  const request = readKeyed(['campaign', baseUrl], key, wanted);
  return once<ShownCampaign, CampaignMade>(ledger, request, {
    act: () => make(service, wanted, order, people, request),
    again: shownAgain(ledger),
  });
}

/** Creates the campaign with its people, and starts it if wanted: all of it, or nothing. */
async function make(
  service: ServiceAccess,
  { name, start = false }: z.output<typeof campaignInput>,
  order: Order,
  { accepted, batches }: People,
  request: KeyedRequest | null,
): Promise<ShownCampaign> {
  const { ledger, baseUrl } = service;
  // Fails at once if there is nobody to call or the order is wrong.
  if (start && accepted === 0 && !order.evergreen) throw nobody(name, batches);
  if (await ledger.campaigns.find(name)) throw taken(name);
  if (start) await requireSound(ledger);
  const requests = start ? await checkOrder(service, order) : 0;
  return ledger.together(
    async (verbs) => {
      const { campaigns, activity, idempotency } = verbs;
      await claim(idempotency, request);
      const id = await campaigns.create({ order, name, baseUrl, state: 'draft', driver: 'background' });
      if (id === null) throw taken(name);
      const after = { name, ...chosenOf(order), start };
      await activity.record({ verb: 'campaign.create', subject: id, campaign: id, after });
      if (batches.length > 0) {
        // The transaction's connection carries the rows meanwhile.
        await importList({ ...verbs, erasures: ledger.erasures }, id, { batches, columns: null });
      }
      await campaigns.countRequests(id, requests);
      if (start) await campaigns.resume(id);
      if (request) await idempotency.keep(request, { campaign: id } satisfies CampaignMade, null);
      // Nothing is created if it cannot be shown.
      return showCampaign({ ...verbs, calendarOf: ledger.calendarOf }, id);
    },
    batches.length > 0 ? 'long' : 'quick',
  );
}

type People = { accepted: number; batches: RowBatch[] };

async function readPeople(
  { ledger, clock }: ServiceAccess,
  { recipients = [] }: z.output<typeof campaignInput>,
  { country, timezone, times }: Order,
): Promise<People> {
  const batches: RowBatch[] = [];
  let accepted = 0;
  const options = {
    country: country ?? undefined,
    timezone: timezone ?? undefined,
    calendar: () => ledger.calendarOf(times),
    now: clock.now(),
  };
  const { values, state } = await findState(recipients);
  const keys = state === undefined ? {} : { state };
  for await (const batch of readJsonRecipients(values, { ...options, keys })) {
    batches.push(batch);
    accepted += batch.accepted.length;
  }
  return { accepted, batches };
}

function taken(name: string): CarillonError {
  return new CarillonError('campaign-exists', `A campaign named ${name} already exists`);
}

function nobody(name: string, batches: RowBatch[]): CarillonError {
  const first = batches[0]?.rejected[0];
  const why = first ? `: its first recipient ${first.reason}` : '';
  return new CarillonError('nothing-to-dial', `The campaign ${name} would have nobody to call${why}`, {
    remedy: 'Send `recipients` that can be called, or leave `start` out and add them later.',
  });
}

/** A draft with the order of another campaign and, if wanted, with its people as not called. */
export const cloneInput = z.strictObject({ name: campaignName, people: z.boolean().optional() });

export async function cloneCampaign(
  { ledger, baseUrl }: Pick<ServiceAccess, 'ledger' | 'baseUrl'>,
  nameOrId: string,
  body: unknown,
  key?: unknown,
): Promise<Once<ShownCampaign>> {
  const { name, people = false } = read(cloneInput, body);
  const from = await ownCampaign(ledger, baseUrl, nameOrId);
  refuseCalls(
    from,
    ' and has no order to copy',
    'Make a campaign with `carillon campaign create`, `carillon run` or POST /api/campaigns.',
  );
  const made = { order: orderOf(from), name, baseUrl, state: 'draft', driver: 'background' } as const;
  const request = readKeyed(['clone', baseUrl], key, { from: from.id, name, people });
  return once<ShownCampaign, CampaignMade>(ledger, request, {
    again: shownAgain(ledger),
    act: () =>
      ledger.together(
        async (verbs) => {
          const { campaigns, activity, idempotency } = verbs;
          await claim(idempotency, request);
          const id = await campaigns.create(made);
          if (id === null) throw taken(name);
          const after = { name, from: from.id, people };
          await activity.record({ verb: 'campaign.clone', subject: id, campaign: id, after });
          if (people) await campaigns.clonePeople(from.id, id);
          if (request) await idempotency.keep(request, { campaign: id } satisfies CampaignMade, null);
          return showCampaign({ ...verbs, calendarOf: ledger.calendarOf }, id);
        },
        people ? 'long' : 'quick',
      ),
  });
}
