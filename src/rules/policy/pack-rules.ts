import { dayNumber } from '../time/dates.ts';
import { type DayRule, type Minutes, weekdayOf, wholeDay } from '../time/day-rule.ts';
import { holidayOn } from '../time/holidays.ts';
import { parseWindow } from '../time/window.ts';
import type { Pack, PackRow } from './packs.ts';

/** The rows of a pack as rules of the calendar. */
export function packRules(pack: Pack): DayRule[] {
  return pack.rows.map(rowRule);
}

function rowRule(row: PackRow): DayRule {
  const spans = parseWindow(row.hours);
  const week = Array.from({ length: 7 }, (_, i): Minutes[] =>
    spans.filter(({ days }) => days.includes(i + 1)).map(({ from, to }) => [from, to]),
  );
  const since = row.from === undefined ? Number.NEGATIVE_INFINITY : dayNumber(row.from);
  const until = row.until === undefined ? Number.POSITIVE_INFINITY : dayNumber(row.until);
  const holiday = (day: number) => (row.noHolidays ? holidayOn(row.area, day) : null);
  // `US-AL allows calls mon-sat=08:00-20:00, not on holidays`
  const allowed = `${row.area} allows calls ${row.hours}${row.noHolidays ? ', not on holidays' : ''}`;
  const terms = termsOf(row);
  return {
    word: 'legal-hours',
    binds: (states) => states.some((state) => isIn(state, row.area)),
    open(day) {
      if (day < since || day >= until) return wholeDay;
      return holiday(day) ? [] : week[weekdayOf(day) - 1]!;
    },
    why(day) {
      const closed = holiday(day);
      return {
        text: `${allowed}${closed ? `; it is ${closed}` : ''}`,
        citation: `${row.citation} (${allowed}, ${terms})`,
        source: `${row.citation}, ${terms}`,
      };
    },
  };
}

/** A number whose state nobody can tell is bound by every state of its country. */
function isIn(state: string, area: string): boolean {
  return state === area || (state.length === 2 ? area.startsWith(state) : area === state.slice(0, 2));
}

function termsOf({ from, until, asOf, note }: PackRow): string {
  const dates = [from && `from ${from}`, until && `until ${until}`, `as of ${asOf}`];
  return `${dates.filter(Boolean).join(', ')}${note ? `; ${note}` : ''}`;
}
