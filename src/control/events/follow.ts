import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { type EventFilter, eventTypes } from '../../ledger/events/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { read, text } from '../input.ts';
import { several } from '../people/filter.ts';

/** Which events someone who follows them wants, and after which one they continue. */
export const followQuery = z.strictObject({
  campaign: text(300)
    .optional()
    .describe('Only what happens to this campaign and its people: its name or id.'),
  types: several(eventTypes).describe('Only events of these types, separated by commas.'),
});

/** `after` is null for those who begin with what comes next. */
export type FollowWish = { filter: EventFilter; after: number | null };

export async function readFollow(
  { campaigns, events }: Pick<Ledger, 'campaigns' | 'events'>,
  query: unknown,
  lastId: string | undefined,
): Promise<FollowWish> {
  const { campaign, types } = read(followQuery, query);
  const campaignId = campaign === undefined ? null : (await campaigns.get(campaign)).id;
  const filter = { types: types ?? null, campaignId };
  if (!lastId) return { filter, after: null };
  const after = await events.place(lastId);
  if (after === undefined) {
    throw new CarillonError('request-invalid', 'Last-Event-ID: not the id of an event');
  }
  if (after === null) throw new CarillonError('event-gone');
  return { filter, after };
}
