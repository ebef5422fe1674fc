import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { campaignAttemptShape } from '../../export/attempt.ts';
import { recipientShape } from '../../export/recipient.ts';
import { type EventFilter, type EventType, eventTypes } from '../../ledger/events/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { alertShape } from '../alerts/addresses.ts';
import { shownBulk } from '../bulk/show.ts';
import { campaignAnswer } from '../campaigns/show.ts';
import { shownImport } from '../imports/add.ts';
import { keyShape } from '../keys/list.ts';
import { restShape } from '../numbers/show.ts';
import { several } from '../people/filter.ts';
import { read, text } from '../requests/input.ts';
import { eventShape } from './bodies.ts';

/** Which events a reader wants, and after which one to continue. */
export const followQuery = z.strictObject({
  campaign: text(300)
    .optional()
    .describe('Only what happens to this campaign and its people: its name or id.'),
  types: several(eventTypes).describe('Only events of these types, separated by commas.'),
});

/**
 * `after` is the number of the event to continue after; without one, it is the latest when the request came. `from` is
 * that one's id, with which a reader continues who loses the connection before anything came.
 */
type FollowWish = { filter: EventFilter; after: number; from: string };

export async function readFollow(
  { campaigns, events }: Pick<Ledger, 'campaigns' | 'events'>,
  query: unknown,
  lastId: string | undefined,
): Promise<FollowWish> {
  const { campaign, types } = read(followQuery, query);
  const campaignId = campaign === undefined ? null : (await campaigns.get(campaign)).id;
  const filter = { types: types ?? null, campaignId };
  // Read before the answer begins, so that the reader misses nothing after that.
  if (!lastId) {
    const after = await events.number();
    return { filter, after, from: await events.idAt(after) };
  }
  const after = await events.place(lastId);
  if (after === undefined) {
    throw new CarillonError('request-invalid', 'Last-Event-ID: not the id of an event');
  }
  if (after === null) throw new CarillonError('event-gone');
  return { filter, after, from: lastId };
}

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
