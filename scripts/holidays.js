/**
 * Writes src/rules/time/holiday-table.ts: the public holidays of each country, from the data of date-holidays.
 *
 *   npm install --no-save date-holidays@3.37.0 && node scripts/holidays.js 2025 2040
 *
 * The package itself is not a dependency: with its own dependencies it has 45 MB, and the product needs only dates.
 */
import { writeFileSync } from 'node:fs';

const [first, last] = process.argv.slice(2).map(Number);
if (!first || !last) throw new Error('usage: node scripts/holidays.js FIRST_YEAR LAST_YEAR');
const { default: Holidays } = await import('date-holidays');
const years = Array.from({ length: last - first + 1 }, (_, i) => first + i);

const lines = Object.keys(new Holidays().getCountries())
  .filter((country) => country !== 'US')
  .sort()
  .map(lineOf)
  .filter((line) => line !== null);

/** `DE 0101 1003 | 0418 0421 | ...`: the dates of every year, then those of each single year. */
function lineOf(country) {
  const calendar = new Holidays(country);
  const byYear = years.map((year) => datesOf(calendar, year));
  const always = [...byYear[0]].filter((date) => byYear.every((dates) => dates.has(date)));
  if (byYear.every((dates) => dates.size === 0)) return null;
  const movable = byYear.map((dates) => [...dates].filter((date) => !always.includes(date)).sort());
  return [[country, ...always.sort()], ...movable].map((part) => part.join(' ')).join('|');
}

/** Every local date that a public holiday touches. */
function datesOf(calendar, year) {
  const found = new Set();
  for (const around of [year - 1, year, year + 1]) {
    for (const { type, date, start, end } of calendar.getHolidays(around) || []) {
      if (type !== 'public') continue;
      // A holiday may begin in the evening, and last several days.
      const days = Math.max(1, Math.round((end - start) / 86_400_000));
      for (let day = 0; day < days; day++) {
        const text = new Date(Date.parse(`${date.slice(0, 10)}T00:00:00Z`) + day * 86_400_000).toISOString();
        if (text.startsWith(String(year))) found.add(text.slice(5, 7) + text.slice(8, 10));
      }
    }
  }
  return found;
}

writeFileSync(
  new URL('../src/rules/time/holiday-table.ts', import.meta.url),
  `/**
 * The public holidays of each country but the US, as month and day: those of every year, then those of each year from
 * the first one on. Made by scripts/holidays.js, never by hand.
 *
 * The facts come from date-holidays 3.37.0 (https://github.com/commenthol/date-holidays), Copyright commenthol, its data
 * under CC BY 3.0 (https://creativecommons.org/licenses/by/3.0/); reduced to dates and rearranged here.
 */
export const holidayYears = { first: ${first}, last: ${last} };
export const holidayTable = \`
${lines.join('\n')}
\`;
`,
);
