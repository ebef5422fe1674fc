import { z } from 'zod';
import { campaignAttemptShape } from '../../export/attempt.ts';
import { recipientShape } from '../../export/recipient.ts';
import { type EventType, eventTypes } from '../../ledger/events/events.ts';
import { alertShape } from '../alerts/show.ts';
import { shownBulk } from '../bulk/show.ts';
import { campaignAnswer } from '../campaigns/show.ts';
import { shownImport } from '../imports/show.ts';
import { keyShape } from '../keys/list.ts';
import { restShape } from '../numbers/show.ts';
import { eventShape } from './bodies.ts';

/** Events as they are described, one shape for each type: a client tells them apart by `type`. */
const gone = z
  .object({ id: z.string(), campaign: z.string().optional(), deleted: z.literal(true) })
  .describe('All that is left of a thing whose campaign was deleted since.')
  .meta({ id: 'DeletedThing' });

type Kind = EventType extends `${infer K}.${string}` ? K : never;
const things = {
  attempt: campaignAttemptShape,
  recipient: recipientShape,
  campaign: campaignAnswer.extend({ campaign: z.string() }).meta({ id: 'EventCampaign' }),
  key: keyShape,
  number: z.object({ phone_number: z.string(), ...restShape }).describe('The number as it was.'),
  import: shownImport,
  bulk: shownBulk,
  alert: alertShape,
} satisfies Record<Kind, z.ZodType>;

/** `recipient.done` is EventRecipientDone: a name that generated types can have. */
const nameOf = (type: string) =>
  `Event${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`;

const shapeOf = (type: string, data: z.ZodType) =>
  eventShape.extend({ type: z.literal(type), data }).meta({ id: nameOf(type) });

/** Shapes by type; `webhook.test` goes only to the webhook that is tried. */
export const eventShapes: ReadonlyMap<string, z.ZodObject> = new Map(
  [
    ...eventTypes.map((type) => shapeOf(type, z.union([things[type.split('.')[0] as Kind], gone]))),
    shapeOf('webhook.test', z.object({ webhook: z.string() })),
  ].map((shape) => [shape.shape.type.value, shape]),
);

const [first, ...others] = [...eventShapes.values()];
export const anyEvent = z.discriminatedUnion('type', [first!, ...others]).meta({ id: 'Event' });
