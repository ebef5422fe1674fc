import { weekdayOf } from './day-rule.ts';
import { holidayTable, holidayYears } from './holiday-table.ts';

/** The public holidays of a country by date: those of the US by rule with their observed days, others from a table. */

/**
 * The name of the holiday, or the word for one of the table; null on any other day (in days since 1970-01-01). A state
 * such as `US-UT` has those of its country and its own.
 */
export function holidayOn(area: string, day: number): string | null {
  const { year, text } = dateOf(day);
  const name = ruledIn(area, year).get(text);
  if (name) return name;
  const dates = tableOf(area.slice(0, 2));
  return dates?.always.has(text) || dates?.years[year - holidayYears.first]?.has(text)
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

type Ruled = Map<string, string>;
const ruled = new Map<string, Ruled>();

/** The holidays by rule. In the US both the day and the observed day count: Friday for a Saturday, Monday for a Sunday. */
function ruledIn(area: string, year: number): Ruled {
  const key = `${area} ${year}`;
  const known = ruled.get(key);
  if (known) return known;
  const found: Ruled = new Map();
  const isUs = area.startsWith('US');
  for (const around of [year, year + 1]) {
    for (const [name, day] of [...(isUs ? federal(around) : []), ...(ofStates[area]?.(around) ?? [])]) {
      const weekday = weekdayOf(day);
      if (isUs && weekday > 5) add(`${name}, observed`, weekday === 6 ? day - 1 : day + 1);
      add(name, day);
    }
  }
  ruled.set(key, found);
  return found;

  function add(name: string, day: number) {
    const date = dateOf(day);
    if (date.year === year) found.set(date.text, name);
  }
}

/** 5 U.S.C. 6103(a): the eleven holidays of the federal government. */
const federal = (year: number): [string, number][] => [
  ['New Year’s Day', dayOf(year, 1, 1)],
  ['Birthday of Martin Luther King, Jr.', nthOf(year, 1, 1, 3)],
  ['Washington’s Birthday', nthOf(year, 2, 1, 3)],
  ['Memorial Day', lastOf(year, 5, 1)],
  ['Juneteenth', dayOf(year, 6, 19)],
  ['Independence Day', dayOf(year, 7, 4)],
  ['Labor Day', nthOf(year, 9, 1, 1)],
  ['Columbus Day', nthOf(year, 10, 1, 2)],
  ['Veterans Day', dayOf(year, 11, 11)],
  ['Thanksgiving Day', thanksgiving(year)],
  ['Christmas Day', dayOf(year, 12, 25)],
];

/**
 * What the states keep besides, of those whose hours depend on holidays. Election Day of odd years counts too; what a
 * governor proclaims for one year is not here.
 */
const ofStates: Record<string, (year: number) => [string, number][]> = {
  // Ala. Code 1-3-8; Mardi Gras is a holiday of two counties.
  'US-AL': (year) => [
    ['Mardi Gras', easter(year) - 47],
    ['Confederate Memorial Day', nthOf(year, 4, 1, 4)],
    ['Jefferson Davis’ Birthday', nthOf(year, 6, 1, 1)],
    ['Rosa Parks Day', dayOf(year, 12, 1)],
  ],
  // La. R.S. 1:55
  'US-LA': (year) => [
    ['Battle of New Orleans', dayOf(year, 1, 8)],
    ['Mardi Gras', easter(year) - 47],
    ['Good Friday', easter(year) - 2],
    ['Huey P. Long Day', dayOf(year, 8, 30)],
    ['All Saints’ Day', dayOf(year, 11, 1)],
    ['Election Day', electionDay(year)],
    ['the day after Thanksgiving', thanksgiving(year) + 1],
  ],
  // Neb. Rev. Stat. 62-301
  'US-NE': (year) => [
    ['Arbor Day', lastOf(year, 4, 5)],
    ['the day after Thanksgiving', thanksgiving(year) + 1],
  ],
  // 44 Pa. Stat. 11
  'US-PA': (year) => [
    ['Good Friday', easter(year) - 2],
    ['Flag Day', dayOf(year, 6, 14)],
    ['Election Day', electionDay(year)],
  ],
  // R.I. Gen. Laws 25-1-1: what falls on a Saturday is kept on the Monday.
  'US-RI': (year) => [
    ['Rhode Island Independence Day', dayOf(year, 5, 4)],
    ['Victory Day', nthOf(year, 8, 1, 2)],
    ['Election Day', electionDay(year)],
    ...federal(year).flatMap(([name, day]): [string, number][] =>
      weekdayOf(day) === 6 ? [[`${name}, observed`, day + 2]] : [],
    ),
  ],
  // Utah Code 63G-1-301: Juneteenth is kept on the Monday.
  'US-UT': (year) => [
    ['Good Friday', easter(year) - 2],
    ['Juneteenth, observed', mondayUpTo(dayOf(year, 6, 21))],
    ['Pioneer Day', dayOf(year, 7, 24)],
  ],
  // Employment Standards Act; the others are those of the country.
  'CA-BC': (year) => [
    ['Family Day', nthOf(year, 2, 1, 3)],
    ['Victoria Day', mondayUpTo(dayOf(year, 5, 24))],
    ['British Columbia Day', nthOf(year, 8, 1, 1)],
    ['National Day for Truth and Reconciliation', dayOf(year, 9, 30)],
    ['Thanksgiving', nthOf(year, 10, 1, 2)],
    ['Remembrance Day', dayOf(year, 11, 11)],
  ],
};

const thanksgiving = (year: number) => nthOf(year, 11, 4, 4);
const electionDay = (year: number) => nthOf(year, 11, 1, 1) + 1;
const mondayUpTo = (day: number) => day - weekdayOf(day) + 1;

function dayOf(year: number, month: number, date: number): number {
  return Date.UTC(year, month - 1, date) / dayMs;
}

/** The nth such weekday (Monday is 1) of a month. */
function nthOf(year: number, month: number, weekday: number, nth: number): number {
  const first = dayOf(year, month, 1);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + (nth - 1) * 7;
}

function lastOf(year: number, month: number, weekday: number): number {
  const last = dayOf(year, month + 1, 1) - 1;
  return last - ((weekdayOf(last) - weekday + 7) % 7);
}

/** Easter Sunday, by the algorithm of Meeus, Jones and Butcher; the letters are theirs. */
function easter(year: number): number {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const g = Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  return dayOf(year, 3, 22) + h + l - 7 * Math.floor((a + 11 * h + 22 * l) / 451);
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
