import { packs } from '../../rules/policy/packs.ts';

/** The packs of hours that ship, and their rows. */
export type ShownPack = {
  name: string;
  title: string;
  rows: {
    area: string;
    hours: string;
    no_holidays: boolean;
    from: string | null;
    until: string | null;
    citation: string;
    as_of: string;
    note: string | null;
  }[];
};

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
