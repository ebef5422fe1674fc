import { z } from 'zod';
import { type OrderInput, readOrder } from '../control/order.ts';
import type { Campaign } from '../ledger/campaigns/verbs.ts';
import type { Order } from '../rules/order.ts';
import { country, text } from './input.ts';
import { orderShape } from './shapes.ts';

/** What a request may say of a campaign's order: all of it when it is made, and some of it when it is changed. */
const count = z.union([z.number(), z.string().max(20)]);

const options = {
  from: z.array(text(64)).max(1_000),
  numberIds: z.array(text(200)).max(1_000),
  window: text(40),
  days: text(200),
  maxCalls: count,
  maxAttempts: count,
  retry: z.union([text(500), z.record(z.string(), text(20))]),
  onUnknown: z.enum(['hold', 'redial']),
  resultDelay: text(20),
  weight: count,
};

export const newCampaign = z.strictObject({
  name: text(200),
  agent: text(200),
  ...z.object(options).partial().shape,
  timezone: text(100).optional(),
  country: country.optional(),
  recipients: z.array(z.unknown()).optional(),
  start: z.boolean().optional(),
});

/** Null takes back what was ordered. */
export const change = z
  .strictObject({
    agent: text(200).optional(),
    from: options.from.nullish(),
    numberIds: options.numberIds.nullish(),
    window: options.window.nullish(),
    days: options.days.nullish(),
    maxCalls: options.maxCalls.nullish(),
    maxAttempts: options.maxAttempts.nullish(),
    retry: options.retry.nullish(),
    onUnknown: options.onUnknown.nullish(),
    resultDelay: options.resultDelay.nullish(),
    weight: options.weight.nullish(),
  })
  .refine((wanted) => Object.keys(wanted).length > 0, 'names nothing that is to be changed');

/** The order as it stands, with what is wanted laid over it. */
export function changedOrder(campaign: Campaign, wanted: z.infer<typeof change>): Order {
  const { timezone, ...standing } = orderShape(campaign);
  const given = Object.entries({ ...standing, ...wanted }).filter(([, value]) => value !== null);
  const order: Partial<OrderInput> = Object.fromEntries(given);
  // Whose time zone the campaign's was has been settled when its people came in.
  return { ...readOrder({ ...order, agent: wanted.agent ?? campaign.agentId }), timezone };
}
