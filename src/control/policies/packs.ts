import { z } from 'zod';
import { packs } from '../../rules/policy/packs.ts';
import { wholeOf } from '../requests/page.ts';

/** The packs of hours that ship, and their rows. */
const packShape = z
  .object({
    name: z.string(),
    title: z.string(),
    rows: z.array(
      z.object({
        area: z.string(),
        hours: z.string(),
        no_holidays: z.boolean(),
        from: z.string().nullable().describe('The first date on which it holds.'),
        until: z.string().nullable(),
        citation: z.string(),
        as_of: z.string().describe('When its source was read.'),
        note: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Pack' });
export type ShownPack = z.output<typeof packShape>;
export const packsAnswer = wholeOf(packShape);

export function listPacks(): { items: ShownPack[]; next: null } {
  const items = packs.map(({ name, title, rows }) => ({
    name,
    title,
    rows: rows.map(
      ({ area, hours, noHolidays = false, from = null, until = null, citation, asOf, note = null }) => ({
        area,
        hours,
        no_holidays: noHolidays,
        from,
        until,
        citation,
        as_of: asOf,
        note,
      }),
    ),
  }));
  return { items, next: null };
}
