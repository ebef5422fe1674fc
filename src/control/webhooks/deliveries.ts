import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ToldDelivery } from '../../ledger/webhooks/webhooks.ts';
import { read, yes } from '../requests/input.ts';
import { type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { findWebhook } from './manage.ts';

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
export type ShownDelivery = z.output<typeof shownDelivery>;

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
    ({ n: _, campaignId, recipientId, ...shown }) => ({
      ...shown,
      campaign_id: campaignId,
      recipient: recipientId === null ? null : String(recipientId),
    }),
  );
}
