import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { readJsonRecipients } from '../../intake/json.ts';
import type { RowBatch } from '../../intake/recipients.ts';
import type { Order } from '../../rules/order.ts';
import { chosenOf } from '../activity/differences.ts';
import { digestOf, readIdempotencyKey } from '../idempotency.ts';
import { importBatches } from '../imports/batches.ts';
import { campaignName, country, read } from '../input.ts';
import { checkEnd } from '../order/end.ts';
import { canonical, orderInput, readOrder } from '../order/order.ts';
import { checkOrder } from '../preflight.ts';
import type { Service } from '../service.ts';
import { recordStart } from './moves.ts';
import { type ShownCampaign, showCampaign } from './show.ts';

/** Creates a campaign for the background workers: a name, an order, and a short list of people if given. */
export const campaignInput = orderInput.extend({
  name: campaignName,
  country: country.optional(),
  recipients: z.array(z.unknown()).optional(),
  start: z.boolean().optional(),
});

/** `fresh` is false when the same request made the campaign before. */
export type MadeCampaign = { campaign: ShownCampaign; fresh: boolean };

export async function createCampaign(service: Service, body: unknown, key?: unknown): Promise<MadeCampaign> {
  const { ledger, baseUrl } = service;
  const wanted = read(campaignInput, body);
  const { name } = wanted;
  const order = readOrder(wanted);
  checkEnd(order, service.clock.now());
  const people = await readPeople(service, wanted, order);
  const given = readIdempotencyKey(key);
  const asked = digestOf(canonical(wanted));
  const ref = given === undefined ? null : { ref: digestOf(baseUrl, 'campaign', given), body: asked };
  const repeated = async () => {
    const before = ref && (await ledger.campaigns.byRef(ref.ref));
    return before && again(service, before, asked, wanted.start === true, people);
  };
  const known = await repeated();
  if (known) return known;
  const { accepted, batches } = people;
  // Fail at once, before anything is stored, if there is nobody to call or the order is wrong.
  if (wanted.start && accepted === 0 && !order.evergreen) throw nobody(name, batches);
  if (await ledger.campaigns.find(name)) return (await repeated()) ?? refuse(taken(name));
  const requests = wanted.start ? await checkOrder(service, order.callers) : 0;
  const id = await ledger.together(async ({ campaigns, activity }) => {
    const made = { order, name, baseUrl, state: 'draft', driver: 'background', ref } as const;
    const id = await campaigns.create(made);
    if (id === null) return null;
    const after = { name, ...chosenOf(order), start: wanted.start === true };
    await activity.record({ verb: 'campaign.create', subject: id, campaign: id, after });
    return id;
  });
  // Perhaps by another request with this key, which came between.
  if (id === null) return (await repeated()) ?? refuse(taken(name));
  try {
    if (batches.length > 0) await importBatches(ledger, id, batches, null);
  } catch (error) {
    await forget(service, id, name);
    throw error;
  }
  await ledger.campaigns.countRequests(id, requests);
  if (wanted.start) await ledger.campaigns.resume(id);
  return { campaign: await showCampaign(ledger, id), fresh: true };
}

/** What could not be made whole is not left half made. */
async function forget({ ledger }: Service, id: string, name: string): Promise<void> {
  const gone = async () => {
    await ledger.campaigns.forget(id);
    const why = 'its people could not be added';
    await ledger.activity.record({ verb: 'campaign.delete', subject: id, before: { name }, after: { why } });
  };
  await gone().catch(() => undefined);
}

/** The same request again finishes what the first may have left: while nothing was started, people and start are added. */
async function again(
  { ledger }: Service,
  before: { id: string; state: string; refBody: string | null },
  asked: string,
  start: boolean,
  { batches }: People,
): Promise<MadeCampaign> {
  if (before.refBody !== asked) throw new CarillonError('request-conflict');
  if (before.state === 'draft') {
    if (batches.length > 0) await importBatches(ledger, before.id, batches, null);
    if (start) {
      await ledger.campaigns.resume(before.id);
      await recordStart(ledger, before.id, before.state);
    }
  }
  return { campaign: await showCampaign(ledger, before.id), fresh: false };
}

type People = { accepted: number; batches: RowBatch[] };

async function readPeople(
  { ledger, clock }: Service,
  { recipients = [], country: where }: z.output<typeof campaignInput>,
  { timezone, times }: Order,
): Promise<People> {
  const batches: RowBatch[] = [];
  let accepted = 0;
  const options = {
    country: where,
    timezone: timezone ?? undefined,
    calendar: () => ledger.calendarOf(times),
    now: clock.now(),
  };
  for await (const batch of readJsonRecipients(recipients, options)) {
    batches.push(batch);
    accepted += batch.accepted.length;
  }
  return { accepted, batches };
}

function refuse(error: CarillonError): never {
  throw error;
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
