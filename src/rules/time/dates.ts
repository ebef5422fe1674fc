import { type DayRule, wholeDay } from './day-rule.ts';
import { hasHolidays, holidayOn } from './holidays.ts';
import { isDate } from './instant.ts';

/** Dates on which nobody is called: single ones (`2026-12-24`), and the holidays of a country (`holidays:US`). */

/** Null, or why the entry is neither. */
export function wrongDate(entry: string): string | null {
  const country = countryOf(entry);
  if (country === null) {
    return isDate(entry)
      ? null
      : `"${entry}" is not a date such as 2026-12-24, or holidays such as holidays:US`;
  }
  return hasHolidays(country)
    ? null
    : `"${entry}" names a country whose holidays are not known: use two letters of ISO 3166 such as US`;
}

/** The rule that closes these dates, each by the person's own local date. */
export function dateRule(entries: readonly string[]): DayRule {
  const dates = new Map(
    entries.filter((entry) => countryOf(entry) === null).map((date) => [dayNumber(date), date]),
  );
  const countries = entries.map(countryOf).filter((country) => country !== null);
  const named = (day: number): string | null => {
    const date = dates.get(day);
    if (date) return date;
    for (const country of countries) {
      const holiday = holidayOn(country, day);
      if (holiday) return `${dateText(day)}, ${holiday} (holidays:${country})`;
    }
    return null;
  };
  return {
    word: 'date',
    byDate: true,
    binds: () => true,
    open: (day) => (named(day) === null ? wholeDay : []),
    why: (day) => ({ text: `nobody is called on ${named(day)}`, citation: named(day) }),
  };
}

export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000;
}

function dateText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

function countryOf(entry: string): string | null {
  return /^holidays:(.*)$/.exec(entry)?.[1] ?? null;
}
