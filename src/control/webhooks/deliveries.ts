import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type ToldDelivery, webhookStates } from '../../ledger/webhooks/webhooks.ts';
import { readSince, readUntil } from '../../rules/time/instant.ts';
import { read, text, yes } from '../requests/input.ts';
import { type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { findWebhook, partsOf, type ShownWebhook, sealOf, showWebhook, type WebhookDeps } from './manage.ts';
import { createSender } from './send.ts';

/** The latest deliveries to an address, and what came of each. */
export const deliveriesQuery = z.strictObject({
  ...pageInput,
  delivered: yes.optional().describe('Only deliveries that were taken, or only those that were not.'),
});

const shownDelivery = z
  .object({
    event: z.string(),
    type: z.string(),
    at: z.date(),
    try: z.int(),
    delivered: z.boolean(),
    status: z.int().nullable().describe('Null where there was no answer.'),
    ms: z.int(),
    error: z.string().nullable(),
    campaign: z.string().nullable().describe('Null for an event of no campaign, or one no longer kept.'),
    campaign_id: z.string().nullable(),
    recipient: z.string().nullable().describe('Null for an event of no person, and of one who was erased.'),
    phone: z.string().nullable(),
    name: z.string().nullable(),
  })
  .meta({ id: 'Delivery' });
export const deliveriesAnswer = pageOf(shownDelivery);
type ShownDelivery = z.output<typeof shownDelivery>;

/** Newest first; the latest 100 of each end are kept. */
export async function listDeliveries(
  ledger: Ledger,
  ref: string,
  input: unknown,
): Promise<Page<ShownDelivery>> {
  const wanted = read(deliveriesQuery, input);
  const { id } = await findWebhook(ledger, ref);
  return readPage(
    wanted,
    { schema: z.tuple([z.int()]), of: ({ n }: ToldDelivery) => [n] },
    (before, most) => ledger.webhooks.deliveries(id, wanted.delivered ?? null, before?.[0] ?? null, most),
    (row: ToldDelivery) =>
      shownAs(shownDelivery, row, {
        recipient: row.recipientId === null ? null : String(row.recipientId),
      }),
  );
}

/** Sends one event to an address now, and wakes an address that accepts it. */
export const triedAnswer = z.object({
  id: z.uuid(),
  event: z.string().describe('The id that was sent. Its type is `webhook.test`.'),
  delivered: z.boolean(),
  status: z.int().nullable().describe('Null where there was no answer.'),
  ms: z.int(),
  error: z.string().nullable(),
  state: z.enum(webhookStates).describe('Afterwards.'),
});
type TriedWebhook = z.output<typeof triedAnswer>;

export async function testWebhook(deps: WebhookDeps, ref: string): Promise<TriedWebhook> {
  const { ledger, config, clock, resolve } = deps;
  const { id, url, secret, state } = await findWebhook(ledger, ref);
  const event = `evt_test_${randomUUID().replaceAll('-', '')}`;
  const at = new Date(clock.now());
  const body = JSON.stringify({ id: event, type: 'webhook.test', at, data: { webhook: id } });
  const sender = createSender({
    url,
    secret: sealOf(config).open(secret, id),
    allowPrivate: config.webhookAllowPrivate,
    clock,
    resolve,
  });
  try {
    const { ok, status, ms, error } = await sender.send({ id: event, body });
    // If it succeeds, queued events follow.
    const woken = ok && (await ledger.webhooks.wake(id));
    return { id, event, delivered: ok, status, ms, error, state: woken ? 'active' : state };
  } finally {
    await sender.close();
  }
}

/** Delivers again what an address was already told: from a time, or after an event. */
export const replayInput = z.strictObject({
  since: text(100).optional().describe('A time, a date, or a span such as `2h` for so long ago.'),
  event: text(100).optional().describe('The id of the first event.'),
});

type ReplayDeps = { ledger: Ledger; clock: Pick<Clock, 'now'> };

export async function replayWebhook(deps: ReplayDeps, ref: string, body: unknown): Promise<ShownWebhook> {
  const { ledger, clock } = deps;
  const { since, event } = read(replayInput, body);
  if ((since === undefined) === (event === undefined)) {
    throw new CarillonError('request-invalid', 'Either since or event must be given, and not both');
  }
  const { id } = await findWebhook(ledger, ref);
  // Everything that happened until now then has its number.
  await ledger.events.number();
  const after =
    event === undefined
      ? await ledger.webhooks.numberBefore(startOf(since!, clock.now()))
      : await beforeEvent(ledger, event);
  return ledger.together(async ({ webhooks, activity }) => {
    const row = await findWebhook({ webhooks }, id);
    await webhooks.replay(id, after);
    const from = event === undefined ? { since } : { event };
    await activity.record({ verb: 'webhook.replay', subject: id, after: { ...partsOf(row), ...from } });
    return showWebhook(await findWebhook({ webhooks }, id));
  });
}

async function beforeEvent(ledger: Ledger, event: string): Promise<number> {
  const number = await ledger.events.place(event);
  if (typeof number === 'number') return number - 1;
  throw new CarillonError('request-invalid', `The event ${event} is not known, or is not kept any more`, {
    remedy: 'Give the id of a later event, or a time with since.',
  });
}

function startOf(given: string, now: number): Date {
  const at = readSince(given, now);
  if (at !== null) return new Date(at);
  if (readUntil(given, now) !== null)
    throw new CarillonError('request-invalid', `since: "${given}" is in the future`);
  throw new CarillonError('request-invalid', `since: "${given}" is neither a time nor a span`, {
    remedy: 'Give a time such as 2027-03-31T18:00:00Z, a date, or a span such as 2h.',
  });
}
