import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { type EventFilter, eventTypes } from '../../ledger/events/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { several } from '../people/filter.ts';
import { read, text } from '../requests/input.ts';

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
