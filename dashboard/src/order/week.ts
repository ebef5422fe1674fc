import { timeOfDay } from '../kit/words.ts';

/** The hours of a week as text, and as lines of days and hours. The API judges the text; this draws it and writes it. */

export const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const days = dayNames.map((name) => name.slice(0, 3).toLowerCase());
const everyDay = [0, 1, 2, 3, 4, 5, 6];

/** Minutes of a day: the first that is open, and the first that no longer is; earlier than that, on the next day. */
export type Span = readonly [from: number, to: number];
export type Line = { days: readonly number[]; spans: readonly Span[] };

const midnight = 1440;

/** Null when the text is not understood; no text is any hour. */
export function readWeek(text: string): Line[] | null {
  if (text.trim() === '') return [{ days: everyDay, spans: [[0, midnight]] }];
  const lines: Line[] = [];
  let on = text.includes('=') ? '' : 'mon-sun=';
  // Days may themselves have commas.
  for (const part of text.split(',')) {
    on += on && !on.endsWith('=') ? `,${part}` : part;
    const [named, hours, more] = on.split('=');
    if (hours === undefined) continue;
    const found = { days: readDays(named!), spans: hours.split('+').map(readSpan) };
    if (more !== undefined || !found.days || found.spans.includes(null)) return null;
    lines.push(found as Line);
    on = '';
  }
  return on === '' ? lines : null;
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
  return found.sort((a, b) => a - b);
}

function dayOf(text: string): number {
  const name = text.trim();
  return name.length < 3 ? -1 : dayNames.findIndex((each) => each.toLowerCase().startsWith(name));
}

function readSpan(text: string): Span | null {
  const match = /^\s*(\d{1,2})(?::([0-5]\d))?\s*[-–]\s*(\d{1,2})(?::([0-5]\d))?\s*$/.exec(text);
  if (!match) return null;
  const [from, to] = [
    Number(match[1]) * 60 + Number(match[2] ?? 0),
    Number(match[3]) * 60 + Number(match[4] ?? 0),
  ];
  return from < midnight && to <= midnight && from !== to ? [from, to] : null;
}

/** The open minutes of a day, sorted and apart, with those after the midnight before. */
export function spansOn(lines: readonly Line[], day: number): Span[] {
  const cut = lines.flatMap(({ days: on, spans }) =>
    spans.flatMap(([from, to]): Span[] => [
      ...(on.includes(day) ? [[from, to < from ? midnight : to] as const] : []),
      ...(to < from && on.includes((day + 6) % 7) ? [[0, to] as const] : []),
    ]),
  );
  const all: Span[] = [];
  for (const [from, to] of cut.sort((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last && from <= last[1]) all[all.length - 1] = [last[0], Math.max(last[1], to)];
    else if (from < to) all.push([from, to]);
  }
  return all;
}

export function within(hours: readonly Line[], rules: readonly Line[]): Line[] {
  const found = new Map<string, Line & { days: number[] }>();
  for (const day of everyDay) {
    const spans = spansOn(hours, day).flatMap(([from, to]) =>
      spansOn(rules, day)
        .map(([least, most]): Span => [Math.max(from, least), Math.min(to, most)])
        .filter(([a, b]) => a < b),
    );
    const key = spans.join();
    if (found.has(key)) found.get(key)!.days.push(day);
    else if (key) found.set(key, { days: [day], spans });
  }
  return [...found.values()];
}

export function weekText(lines: readonly Line[]): string {
  const parts = lines.map(({ days: on, spans }) => [
    daysText(on),
    spans.map(([from, to]) => `${clock(from)}-${clock(to)}`).join('+'),
  ]);
  const [[on, hours] = []] = parts;
  if (on === 'mon-sun' && parts.length === 1) return hours === '00:00-24:00' ? '' : hours!;
  return parts.map((part) => part.join('=')).join(',');
}

function daysText(on: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const day of on) {
    const last = runs.at(-1);
    if (last && last[1] === day - 1) last[1] = day;
    else runs.push([day, day]);
  }
  return runs.map(([a, b]) => (a === b ? days[a]! : `${days[a]!}-${days[b]!}`)).join(',');
}

/** Tells the day and its minute at a moment on a clock: here, where no zone is named. */
export function clockOf(timeZone?: string) {
  const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-GB', { ...parts, ...(timeZone && { timeZone }) });
  return (at: number): [day: number, minute: number] => {
    const [day, hour, minute] = format.format(at).match(/\w+/g)!;
    return [dayNames.findIndex((name) => name.startsWith(day!)), Number(hour) * 60 + Number(minute)];
  };
}

/** Days that an order has apart stand before its hours. */
export const hoursOf = (window: string | null, on: string | null) =>
  on && !window?.includes('=') ? `${on}=${window || '00:00-24:00'}` : (window ?? '');

/** `Mon to Fri 9:00 AM to 8:00 PM`, as the viewer writes times; a text that is not understood stays as it is. */
export function weekWords(window: string | null, on: string | null = null): string {
  const text = hoursOf(window, on);
  const lines = readWeek(text);
  return lines ? lines.map(lineWords).join('; ') : text;
}

export function lineWords({ days: on, spans }: Line): string {
  const named = daysText(on).replace(/[a-z]+/g, (day) => `${day[0]!.toUpperCase()}${day.slice(1)}`);
  const hours = spans.map((span) => span.map(timeOfDay).join(' to ')).join(' and ');
  const isWhole = weekText([{ days: everyDay, spans }]) === '';
  return `${on.length === 7 ? 'every day' : named.replaceAll('-', ' to ').replaceAll(',', ', ')} ${isWhole ? 'at any hour' : hours}`;
}

export const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
