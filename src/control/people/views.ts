import { z } from 'zod';
import { currentActor } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ViewRow } from '../../ledger/views/views.ts';
import { read, text } from '../requests/input.ts';
import { type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { listFilterShape } from './filter.ts';

/** A view of people: a named filter, the same for everyone and for every campaign. It names nobody in particular. */
const { state, outcome, key, from, since, until, variable } = listFilterShape;
const viewFilter = z.strictObject({ state, outcome, key, from, since, until, variable });
export const viewInput = z.strictObject({
  filter: viewFilter.describe(
    'The filters of a campaign’s list of people, except a single person’s phone, name or ids.',
  ),
});
export const viewsQuery = z.strictObject(pageInput);

export const shownView = z
  .object({
    name: z.string(),
    filter: z.record(z.string(), z.unknown()).describe('As it was given.'),
    made_by: z.string().describe('Who saved it last, such as a token’s name.'),
    made_at: z.date(),
  })
  .meta({ id: 'View' });
export const viewsAnswer = pageOf(shownView);
type ShownView = z.output<typeof shownView>;

/** All of them are offered at once. */
const mostViews = 200;

/** Ordered by name. */
export async function listViews({ views }: Ledger, input: unknown): Promise<Page<ShownView>> {
  return readPage(
    read(viewsQuery, input),
    { schema: z.tuple([text(100)]), of: ({ name }: ViewRow) => [name] },
    (after, most) => views.page(after?.[0] ?? '', most),
    show,
  );
}

export async function keepView(ledger: Ledger, given: string, body: unknown): Promise<ShownView> {
  const name = read(text(100), given);
  read(viewInput, body);
  // The filter as it was given, because the list reads it again.
  const { filter } = body as { filter: object };
  return ledger.together(async ({ views, activity }) => {
    const kept = await views.keep(name, filter, currentActor().name, mostViews);
    if (!kept) {
      throw new CarillonError('request-invalid', `${mostViews} views are kept already`, {
        remedy: 'Remove one that nobody needs.',
      });
    }
    await activity.record({ verb: 'view.keep', subject: name });
    return show(kept);
  });
}

export async function removeView(ledger: Ledger, name: string): Promise<ShownView> {
  return ledger.together(async ({ views, activity }) => {
    const gone = await views.remove(name);
    if (!gone) throw new CarillonError('view-unknown', `No view is named ${name}`);
    await activity.record({ verb: 'view.remove', subject: name });
    return show(gone);
  });
}

const show = (row: ViewRow): ShownView =>
  shownAs(shownView, row, { filter: row.filter as ShownView['filter'] });
