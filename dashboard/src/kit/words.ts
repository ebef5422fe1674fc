import type { Activity, FoundPerson } from '../api/description.ts';

/** Values as texts, as the viewer writes them: counts, money, shares, times; and rows in groups. */

export const toMinute = { hour: 'numeric', minute: '2-digit' } as const;
export const clock = new Intl.DateTimeFormat(undefined, toMinute);
export const dayTime = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', ...toMinute });

export const classes = (...names: (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ');

const whole = new Intl.NumberFormat();
const roundly = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const oneDigit = { style: 'percent', maximumFractionDigits: 1 } as const;
const share = new Intl.NumberFormat(undefined, oneDigit);
const exactShare = new Intl.NumberFormat(undefined, { ...oneDigit, minimumFractionDigits: 1 });

const moment = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  ...toMinute,
});

export const count = (n: number) => whole.format(n);
/** For figures that are not known more precisely, such as a learned rate. */
export const about = (n: number) => roundly.format(n);
/** What is not known counts as nothing. */
export const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, n) => sum + (n ?? 0), 0);

/** Costs as far as they are known, with their currency where the service tells it. */
export function cost(n: number | null, currency?: string | null): string {
  if (n === null) return '–';
  return currency ? `${money.format(n)} ${currency}` : money.format(n);
}
/** A share that is small is not shown as 0%. */
export const percent = (part: number) => (part > 0 && part < 0.0005 ? '<0.1%' : share.format(part));
/** For shares that stand one below the other: each with its one decimal. */
export const tenths = (part: number) => exactShare.format(part);

/** `{"opt_out": false, "day": "Friday"}` as `opt out: no, day: Friday`; what is empty is left out. */
export function learnedText(data: unknown): string {
  if (data === null || data === undefined) return '';
  if (typeof data === 'boolean') return data ? 'yes' : 'no';
  if (typeof data === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/.test(data))
    return moment.format(new Date(data));
  if (typeof data !== 'object')
    return String(data).replace(/^[a-z]+(_[a-z]+)+$/, (word) => word.replaceAll('_', ' '));
  const parts = Object.entries(data).flatMap(([name, value]) => {
    const text = learnedText(value);
    return text === '' ? [] : [Array.isArray(data) ? text : `${name.replaceAll('_', ' ')}: ${text}`];
  });
  return parts.map((part, nth) => (nth < parts.length - 1 ? part.replace(/\.$/, '') : part)).join(', ');
}

/** Whether what was learned says, by the usual name, that the person wants no more calls. */
export const isOptOut = (data: unknown) =>
  /^(true|yes)$/i.test(String((data as { opt_out?: unknown } | null | undefined)?.opt_out));

const units: Record<string, string> = { ms: 'ms', s: 's', m: 'min', h: 'h', d: 'days' };

/** `2h` as `2 h`, `1d` as `1 day`; a text that is no span stays as it is. */
export function spanText(written: string): string {
  return written
    .replace(/(\d+(?:\.\d+)?)(ms|[smhd])(?![a-z])/g, (_, n, unit) =>
      unit === 'd' && n === '1' ? '1 day ' : `${n} ${units[unit]} `,
    )
    .trim();
}

/** `10m/2h` as `10 min, then 2 h`. */
export const waitsText = (written: string) => written.split('/').map(spanText).join(', then ');

export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/** `a`, `a and b`, `a, b and c`. */
export const inRow = (words: readonly string[]) => rows.format(words);
const rows = new Intl.ListFormat('en-GB');

/** With its first letter and its end. */
export const sentenceOf = (words: string) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;

export const rateText = (rate: number | null) => (rate === null ? '–' : tenths(rate));

/** Answered far less than the others together, and by more than chance alone makes likely. */
type Called = { calls: number; rate: number | null };

export function isFarBelow(one: Called, all: readonly Called[]): boolean {
  const { calls, rate } = one;
  const usual = rateOfOthers(one, all);
  if (rate === null || calls === 0 || usual === null) return false;
  return rate < 0.67 * usual && calls * (usual - rate) ** 2 > 4 * usual * (1 - usual);
}

export function rateOfOthers({ calls, rate }: Called, all: readonly Called[]): number | null {
  const sum = (of: (each: Called) => number) => all.reduce((total, each) => total + of(each), 0);
  const others = sum((each) => each.calls) - calls;
  return others === 0 ? null : (sum((each) => each.calls * (each.rate ?? 0)) - calls * (rate ?? 0)) / others;
}

/** Times in the viewer's zone and locale; the exact one, with its zone, stands in the title. */
export const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
export const toSecond = new Intl.DateTimeFormat(undefined, { ...toMinute, second: '2-digit' });
const otherYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** `14:32`; of another day with its date. */
export const timeText = (at: string | number | Date) => {
  const date = new Date(at);
  if (isToday(date)) return clock.format(date);
  return (date.getFullYear() === new Date().getFullYear() ? dayTime : otherYear).format(date);
};

const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });

/** `Today, Thu 26 Nov`; a day of another year with the year. */
export function dayText(at: string | number): string {
  const date = new Date(at);
  const yesterday = new Date();
  yesterday.setDate(yesterday.getDate() - 1);
  if (isToday(date)) return `Today, ${day.format(date)}`;
  if (date.toDateString() === yesterday.toDateString()) return `Yesterday, ${day.format(date)}`;
  return (date.getFullYear() === new Date().getFullYear() ? day : otherYear).format(date);
}

export const isSameMinute = (one: string, other: string) => timeText(one) === timeText(other);

export const isToday = (date: Date): boolean => date.toDateString() === new Date().toDateString();

/** `4 s ago`, `in 2 min`. The present is up to five seconds old: an event that has just happened does not lie ahead. */
export function agoText(ms: number): string {
  if (ms > -1_000 && ms < 6_000) return 'now';
  const span = durationText(Math.abs(ms));
  return ms < 0 ? `${span} ago` : `in ${span}`;
}

/** `4 h 20 min`, `35 s`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60 === 0 ? '' : ` ${minutes % 60} min`;
  return hours < 48 ? `${hours} h${rest}` : `${Math.round(hours / 24)} days`;
}

/** `5:41`: how long a call has lasted. */
export const lastsText = (since: string, now: number): string => clockText((now - Date.parse(since)) / 1_000);

export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, '0');
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

/**
 * A time for the browser's own field, which has no zone: the viewer's. Empty for what is not a time. A field with `step={1}`
 * has seconds too.
 */
export function localTimeOf(at: string | number | undefined, to: 'minute' | 'second' = 'minute'): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, to === 'second' ? 19 : 16);
}

const onlyHour = new Intl.DateTimeFormat(undefined, { hour: 'numeric' });

/** `8:00 PM`, or as the viewer writes it: a time of the day in minutes, on whoever's clock. */
export const timeOfDay = (minutes: number) => clock.format(new Date(2000, 0, 1, 0, minutes));
/** `8 PM`. */
export const hourText = (hour: number) => onlyHour.format(new Date(2000, 0, 1, hour));

/** Hours in which people sleep: a call then is told in amber. */
export const isNight = (hour: number) => hour < 8 || hour >= 21;

/** Null where the browser does not know the zone: the server may know zones that are newer than the browser. */
export function formatIn(zone: string, options: Intl.DateTimeFormatOptions, locale?: string) {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  } catch {
    return null;
  }
}

/** False also where the browser does not know the zone. */
export function isNightIn(zone: string, at: number | string | Date): boolean {
  const hour = formatIn(zone, { hour: 'numeric', hourCycle: 'h23' }, 'en')?.format(new Date(at));
  return hour !== undefined && isNight(Number(hour));
}

/** Whether the clock in a known zone shows what the viewer's shows. */
export function isSameClock(zone: string, at: number | string): boolean {
  const date = new Date(at);
  return date.toLocaleString('en', { timeZone: zone }) === date.toLocaleString('en');
}

/** The rows of each key, in the order in which they came. */
export function groupsOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

/** What a text says as JSON; undefined where it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const actors: Record<string, string> = {
  loopback: 'This machine',
  cli: 'The command line',
  carillon: 'Carillon',
};

export const whoText = ({ who, person }: Pick<Activity, 'who' | 'person'>) => person ?? actors[who] ?? who;

/** Why one or many wait, in words that fit both; docs/reference/states.md explains each. */
export type WaitReason = NonNullable<FoundPerson['reason']>;

export const waitWords: Record<WaitReason, string> = {
  draft: 'the campaign is not started',
  paused: 'the campaign is paused',
  canceled: 'the campaign is canceled',
  'no-run': 'no run drives the campaign',
  retry: 'for the next attempt',
  callback: 'asked to be called back',
  start: 'the campaign has not begun',
  window: 'the calling window is closed there',
  date: 'nobody is called on this date',
  'legal-hours': 'outside the legal hours there',
  cap: 'called as often as the contact rules allow',
  gap: 'the gap after the last call is not over',
  conversation: 'the pause after a conversation is not over',
  'phone-in-use': 'another attempt has the phone',
  'no-credit': 'the key has no credit',
  budget: 'for the budget',
  rate: 'for the rate of the key',
  calls: 'the campaign or its key has no free place',
  number: 'all caller numbers are full or rest',
  refused: 'the service takes no calls on the key now',
  never: 'no rule can open it any more',
};
