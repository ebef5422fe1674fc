import { holidayTable, holidayYears } from './holiday-table.ts';

/** The public holidays of a country by date: those of the US by rule with their observed days, others from a table. */

/** The name of the holiday, or the word for one of the table; null on any other day (in days since 1970-01-01). */
export function holidayOn(country: string, day: number): string | null {
  const { year, text } = dateOf(day);
  if (country === 'US') return federalIn(year).get(text) ?? null;
  const dates = tableOf(country);
  if (!dates) return null;
  return dates.always.has(text) || dates.years[year - holidayYears.first]?.has(text)
    ? 'a public holiday'
    : null;
}

/** Whether the holidays of this country are known: two letters of ISO 3166. */
export function hasHolidays(country: string): boolean {
  return country === 'US' || tableOf(country) !== undefined;
}

const dayMs = 86_400_000;

/** The year and `MM-DD` without the dash. */
function dateOf(day: number): { year: number; text: string } {
  const text = new Date(day * dayMs).toISOString();
  return { year: Number(text.slice(0, 4)), text: text.slice(5, 7) + text.slice(8, 10) };
}

type Federal = Map<string, string>;
const federal = new Map<number, Federal>();

/** Both the day itself and the observed day count: Friday for a Saturday, Monday for a Sunday. */
function federalIn(year: number): Federal {
  const known = federal.get(year);
  if (known) return known;
  const found: Federal = new Map();
  for (const around of [year, year + 1]) {
    for (const [name, day] of holidaysOf(around)) {
      const weekday = new Date(day * dayMs).getUTCDay();
      const observed = weekday === 6 ? day - 1 : weekday === 0 ? day + 1 : day;
      add(`${name}, observed`, observed);
      add(name, day);
    }
  }
  federal.set(year, found);
  return found;

  function add(name: string, day: number) {
    const date = dateOf(day);
    if (date.year === year) found.set(date.text, name);
  }
}

/** 5 U.S.C. 6103(a): the eleven holidays of the federal government. */
function holidaysOf(year: number): [string, number][] {
  return [
    ['New Year’s Day', dayOf(year, 1, 1)],
    ['Birthday of Martin Luther King, Jr.', nthOf(year, 1, 1, 3)],
    ['Washington’s Birthday', nthOf(year, 2, 1, 3)],
    ['Memorial Day', lastMonday(year, 5)],
    ['Juneteenth', dayOf(year, 6, 19)],
    ['Independence Day', dayOf(year, 7, 4)],
    ['Labor Day', nthOf(year, 9, 1, 1)],
    ['Columbus Day', nthOf(year, 10, 1, 2)],
    ['Veterans Day', dayOf(year, 11, 11)],
    ['Thanksgiving Day', nthOf(year, 11, 4, 4)],
    ['Christmas Day', dayOf(year, 12, 25)],
  ];
}

function dayOf(year: number, month: number, date: number): number {
  return Date.UTC(year, month - 1, date) / dayMs;
}

/** The nth such weekday (Monday is 1) of a month. */
function nthOf(year: number, month: number, weekday: number, nth: number): number {
  const first = dayOf(year, month, 1);
  const ahead = (weekday - new Date(first * dayMs).getUTCDay() + 7) % 7;
  return first + ahead + (nth - 1) * 7;
}

function lastMonday(year: number, month: number): number {
  const fifth = nthOf(year, month, 1, 5);
  return new Date(fifth * dayMs).getUTCMonth() === month - 1 ? fifth : fifth - 7;
}

type Dates = { always: Set<string>; years: Set<string>[] };
let lines: Map<string, string> | undefined;
const read = new Map<string, Dates>();

function tableOf(country: string): Dates | undefined {
  lines ??= new Map(
    holidayTable
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, 2), line.slice(2)]),
  );
  const line = lines.get(country);
  if (line === undefined) return undefined;
  let dates = read.get(country);
  if (!dates) {
    const [always = '', ...years] = line.split('|');
    dates = { always: setOf(always), years: years.map(setOf) };
    read.set(country, dates);
  }
  return dates;
}

function setOf(text: string): Set<string> {
  return new Set(text.split(' ').filter(Boolean));
}
