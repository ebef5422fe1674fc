import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { readJsonRecipients } from '../../intake/json.ts';
import type { RowBatch } from '../../intake/recipients.ts';
import type { Order } from '../../rules/order.ts';
import { country, read, text } from '../input.ts';
import { orderInput, readOrder } from '../order/order.ts';
import { importBatches } from '../people/import.ts';
import { checkOrder } from '../preflight.ts';
import type { Service } from '../service.ts';
import { type ShownCampaign, showCampaign } from './show.ts';

/** Creates a campaign for the background workers: a name, an order, and a short list of people if given. */
const input = orderInput.extend({
  name: text(200),
  country: country.optional(),
  recipients: z.array(z.unknown()).optional(),
  start: z.boolean().optional(),
});

export async function createCampaign(service: Service, body: unknown): Promise<ShownCampaign> {
  const { ledger, baseUrl } = service;
  const wanted = read(input, body);
  const { name } = wanted;
  const order = readOrder(wanted);
  const { accepted, batches } = await readPeople(service, wanted, order);
  // Fail at once, before anything is stored, if there is nobody to call or the order is wrong.
  if (wanted.start && accepted === 0 && !order.evergreen) throw nobody(name, batches);
  if (await ledger.campaigns.find(name)) throw taken(name);
  const requests = wanted.start ? await checkOrder(service, order.callers) : 0;
  const id = await ledger.campaigns.create({ order, name, baseUrl, state: 'draft', driver: 'background' });
  if (id === null) throw taken(name);
  try {
    if (batches.length > 0) await importBatches(ledger, id, batches, null);
  } catch (error) {
    await ledger.campaigns.forget(id).catch(() => undefined);
    throw error;
  }
  await ledger.campaigns.countRequests(id, requests);
  if (wanted.start) await ledger.campaigns.resume(id);
  return showCampaign(ledger, id);
}

async function readPeople(
  { ledger, clock }: Service,
  { recipients = [], country: where }: z.output<typeof input>,
  { timezone, times }: Order,
): Promise<{ accepted: number; batches: RowBatch[] }> {
  const batches: RowBatch[] = [];
  let accepted = 0;
  const options = {
    country: where,
    timezone: timezone ?? undefined,
    calendar: ledger.calendarOf(times),
    now: clock.now(),
  };
  for await (const batch of readJsonRecipients(recipients, options)) {
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
