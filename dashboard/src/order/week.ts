/**
 * The hours of a week as a picture and as text. The API judges the text; this only draws it, and writes it again when the
 * picture was changed.
 */
import { timeOfDay } from '../kit/local-time.ts';

export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Minutes of a day: the first that is open, and the first that no longer is. */
type Span = readonly [from: number, to: number];
/** For each day from Monday on, sorted and apart. */
export type Week = readonly (readonly Span[])[];

const midnight = 1440;
const always: Week = days.map(() => [[0, midnight]]);

/** Null when the text is not understood; no text is any hour. */
export function readWeek(text: string): Week | null {
  if (text.trim() === '') return always;
  const week: Span[][] = days.map(() => []);
  for (const [on, hours] of partsOf(text) ?? [[null, '']]) {
    const named = on === null ? null : readDays(on);
    const spans = hours.split('+').map(readSpan);
    if (named === null || spans.includes(null)) return null;
    for (const day of named) for (const span of spans) add(week, day, span!);
  }
  return week.map(joined);
}

/** `mon-fri=9-12,sat=10-12` in pairs of days and hours; days may themselves have commas. */
function partsOf(text: string): [string, string][] | null {
  if (!text.includes('=')) return [['mon-sun', text]];
  const parts: [string, string][] = [];
  let on = '';
  for (const part of text.split(',')) {
    const [before = '', hours, more] = part.split('=');
    on = on ? `${on},${before}` : before;
    if (more !== undefined) return null;
    if (hours === undefined) continue;
    parts.push([on, hours]);
    on = '';
  }
  return on.trim() ? null : parts;
}

function readDays(text: string): number[] | null {
  const found: number[] = [];
  for (const part of text.toLowerCase().split(',')) {
    const [first, last = first, more] = part.split(/[-–]/).map(dayOf);
    if (first === undefined || last === undefined || first < 0 || last < 0 || more !== undefined) return null;
    for (let day = first; ; day = (day + 1) % 7) {
      found.push(day);
      if (day === last) break;
    }
  }
  return found;
}

function dayOf(text: string): number {
  const name = text.trim();
  return name.length < 3 ? -1 : dayNames.findIndex((each) => each.toLowerCase().startsWith(name));
}

function readSpan(text: string): Span | null {
  const match = /^\s*(\d{1,2})(?::(\d{2}))?\s*[-–]\s*(\d{1,2})(?::(\d{2}))?\s*$/.exec(text);
  if (!match) return null;
  const [from, to] = [minutesOf(match[1]!, match[2]), minutesOf(match[3]!, match[4])];
  return from < midnight && to <= midnight && from !== to ? [from, to] : null;
}

const minutesOf = (hours: string, minutes = '0') =>
  Number(minutes) > 59 ? Number.NaN : Number(hours) * 60 + Number(minutes);

/** Hours that end after midnight stand on the next day too. */
function add(week: Span[][], day: number, [from, to]: Span): void {
  week[day]!.push([from, to < from ? midnight : to]);
  if (to < from && to > 0) week[(day + 1) % 7]!.push([0, to]);
}

function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last && from <= last[1]) all[all.length - 1] = [last[0], Math.max(last[1], to)];
    else all.push([from, to]);
  }
  return all;
}

export function weekText(week: Week): string {
  const hours = week.map(hoursText);
  if (hours.every((text) => text === hours[0])) return hours[0] === '00:00-24:00' ? '' : hours[0]!;
  const open = [...new Set(hours)].filter((text) => text !== '');
  return open.map((text) => `${daysText(hours.map((each) => each === text))}=${text}`).join(',');
}

/** Days that an order has apart stand before its hours. */
export const hoursOf = (window: string | null, days: string | null) =>
  days && !window?.includes('=') ? `${days}=${window || '00:00-24:00'}` : (window ?? '');

/** `Mon to Fri 9:00 AM to 8:00 PM`, as the viewer writes times; a text that is not understood stays as it is. */
export function weekWords(window: string | null, days: string | null = null): string {
  const text = hoursOf(window, days);
  const parts = readWeek(text) && partsOf(weekText(readWeek(text)!) || '00:00-24:00');
  if (!parts) return text;
  return parts
    .map(([on, hours]) => {
      const named = on.replace(/[a-z]+/g, (day) => `${day[0]!.toUpperCase()}${day.slice(1)}`);
      const whole =
        hours === '00:00-24:00'
          ? 'at any hour'
          : hours
              .replaceAll('-', ' to ')
              .replaceAll('+', ' and ')
              .replace(/(\d+):(\d+)/g, (_, hour, minute) => timeOfDay(Number(hour) * 60 + Number(minute)));
      return `${on === 'mon-sun' ? 'every day' : named.replaceAll('-', ' to ').replaceAll(',', ', ')} ${whole}`;
    })
    .join('; ');
}

const hoursText = (spans: readonly Span[]) =>
  spans.map(([from, to]) => `${clock(from)}-${clock(to)}`).join('+');

export const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

function daysText(on: readonly boolean[]): string {
  const runs: [number, number][] = [];
  for (const [day, isOn] of on.entries()) {
    const last = runs.at(-1);
    if (!isOn) continue;
    if (last && last[1] === day - 1) last[1] = day;
    else runs.push([day, day]);
  }
  return runs.map(([a, b]) => (a === b ? days[a]! : `${days[a]!}-${days[b]!}`)).join(',');
}

export const isNever = (week: Week) => week.every((spans) => spans.length === 0);

/** How much of an hour is open, from 0 to 1. */
export function openPart(week: Week, day: number, hour: number): number {
  const [start, end] = [hour * 60, hour * 60 + 60];
  const minutes = week[day]!.reduce(
    (sum, [from, to]) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)),
    0,
  );
  return minutes / 60;
}

export type Cell = { day: number; hour: number };

/** The week with every hour between two corners opened or closed. */
export function paint(week: Week, a: Cell, b: Cell, isOpen: boolean): Week {
  const [top, bottom] = [Math.min(a.day, b.day), Math.max(a.day, b.day)];
  const [start, end] = [Math.min(a.hour, b.hour) * 60, Math.max(a.hour, b.hour) * 60 + 60];
  return week.map((spans, day) => {
    if (day < top || day > bottom) return spans;
    const rest = spans.flatMap(([from, to]): Span[] => [
      [from, Math.min(to, start)],
      [Math.max(from, end), to],
    ]);
    const apart = rest.filter(([from, to]) => from < to);
    return joined(isOpen ? [...apart, [start, end]] : apart);
  });
}
