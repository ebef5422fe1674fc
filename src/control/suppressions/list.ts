import { z } from 'zod';
import { csvLine } from '../../export/csv-line.ts';
import { openTarget, type Target } from '../../export/target.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Suppression, suppressionSources } from '../../ledger/suppressions/suppressions.ts';
import { country, read, text } from '../requests/input.ts';
import { allItems, type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { readPhones, scopeOf } from './change.ts';

/** The phones that must not be called: searched, and written to a file. */
const shownSuppression = z
  .object({
    phone: z.string(),
    name: z.string().nullable().describe('Of the person whom a list has with this phone, the latest one.'),
    source: z.enum(suppressionSources),
    campaign: z.string().nullable().describe('Null is every campaign.'),
    until: z.date().nullable().describe('Null is for ever.'),
    reason: z.string().nullable(),
    created_at: z.date(),
  })
  .meta({ id: 'Suppression' });

const namelessSuppression = shownSuppression.omit({ name: true });

export type ShownSuppression = z.output<typeof shownSuppression>;
export const suppressionsAnswer = pageOf(shownSuppression);

const onePhone = text(64);
export const suppressionsQuery = z.strictObject({
  ...pageInput,
  phone: z.union([onePhone, z.array(onePhone).min(1).max(1_000)]).optional(),
  source: z.enum(suppressionSources).optional(),
  campaign: text(300).optional(),
  country: country.optional(),
});

/** The list also has suppressions that have ended. */
export async function listSuppressions(ledger: Ledger, input: unknown): Promise<Page<ShownSuppression>> {
  const { items, next } = await readList(ledger, input);
  const names = await ledger.suppressions.names(items.map(({ phone }) => phone));
  return { items: items.map((each) => ({ ...each, name: names.get(each.phone) ?? null })), next };
}

async function readList(ledger: Ledger, input: unknown): Promise<Page<Omit<ShownSuppression, 'name'>>> {
  const wanted = read(suppressionsQuery, input);
  const filter = {
    phones: wanted.phone === undefined ? null : readPhones([wanted.phone].flat(), wanted.country),
    source: wanted.source ?? null,
    campaignId: await scopeOf(ledger, wanted.campaign),
  };
  return readPage(
    wanted,
    {
      schema: z.tuple([text(20), z.uuid()]),
      of: ({ phone, scope }: Suppression) => [phone, scope],
    },
    (after, most) =>
      ledger.suppressions.page({ phone: after?.[0] ?? '', scope: after?.[1] ?? first }, most, filter),
    (row: Suppression) => shownAs(namelessSuppression, row, {}),
  );
}

/** Sorts before every scope. */
const first = '00000000-0000-0000-0000-000000000000';

/** The columns of an exported list, which an import of it reads again. */
const listColumns = ['phone', 'reason', 'until', 'source', 'only_campaign'] as const;

/** Writes the whole list as CSV; returns how many lines. */
export async function exportSuppressions(ledger: Ledger, target: Target): Promise<number> {
  const out = await openTarget(target);
  let count = 0;
  try {
    await out.write(csvLine(listColumns));
    for await (const items of allItems((cursor) => readList(ledger, { cursor, limit: 1_000 }))) {
      const lines = items.map((each) =>
        csvLine([each.phone, each.reason, each.until, each.source, each.campaign]),
      );
      await out.write(lines.join(''));
      count += items.length;
    }
    await out.finish();
  } catch (error) {
    await out.abandon();
    throw error;
  }
  return count;
}
