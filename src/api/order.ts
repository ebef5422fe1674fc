import { z } from 'zod';
import { country, text } from '../control/input.ts';
import { orderChange, orderInput } from '../control/order/schema.ts';

/** What a request may say of a campaign: its order with a name and people when it is made, and some of it later. */
export const newCampaign = orderInput.extend({
  name: text(200),
  country: country.optional(),
  recipients: z.array(z.unknown()).optional(),
  start: z.boolean().optional(),
});

export const change = orderChange.refine(
  (wanted) => Object.keys(wanted).length > 0,
  'names nothing that is to be changed',
);
