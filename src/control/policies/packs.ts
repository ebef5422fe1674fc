import { z } from 'zod';
import { isOutdated, packs } from '../../rules/policy/packs.ts';
import { wholeOf } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';

/** The packs of hours that ship, and their rows. */
const packRowShape = z.object({
  area: z.string(),
  hours: z.string(),
  no_holidays: z.boolean(),
  from: z.string().nullable().describe('The first date on which it holds.'),
  until: z.string().nullable(),
  citation: z.string(),
  as_of: z.string().describe('When its source said so, or was read.'),
  note: z.string().nullable(),
});

const packShape = z
  .object({
    name: z.string(),
    title: z.string(),
    as_of: z.string().describe('When its rows were last compared with their sources.'),
    outdated: z.boolean().describe('That was more than half a year ago: laws may have changed.'),
    rows: z.array(packRowShape),
  })
  .meta({ id: 'Pack' });
type ShownPack = z.output<typeof packShape>;
export const packsAnswer = wholeOf(packShape);

export function listPacks(now: number): { items: ShownPack[]; next: null } {
  const items = packs.map((pack) => {
    const rows = pack.rows.map((row) => {
      const { noHolidays: no_holidays = false, from = null, until = null, note = null } = row;
      return shownAs(packRowShape, row, { no_holidays, from, until, note });
    });
    return shownAs(packShape, pack, { outdated: isOutdated(pack, now), rows });
  });
  return { items, next: null };
}

/** What `policy list` and `doctor` say of packs that are too old. */
export function outdatedText(names: readonly string[]): string {
  return `${names.join(' and ')}: last compared with the laws more than half a year ago`;
}
export const outdatedRemedy = 'Update Carillon; until then, check the hours of your states yourself.';
