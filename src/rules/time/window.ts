import { CarillonError } from '../../base/errors.ts';

/** The local hours of some weekdays in which people may be called, as an owner writes them. */
export type Span = {
  /**
   * Minutes of the local day: the first that is open, and the first that no longer is (1440 is midnight). An end after
   * midnight is past 1440: the hours belong to the day on which they begin.
   */
  from: number;
  to: number;
  /** ISO weekdays by the zone's own date, Monday is 1 and Sunday 7; sorted. */
  days: readonly number[];
};

const minutesADay = 1440;
const noon = 720;
const names = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const everyDay: readonly number[] = Object.freeze([1, 2, 3, 4, 5, 6, 7]);

/**
 * `09:00-20:00`, `9-20`, `20:00-02:00` (ends on the next day), `09:00-12:00+14:00-18:00` (several a day); for every
 * day, or by weekday: `mon-fri=09:00-20:00,sat=10:00-16:00`.
 */
export function parseWindow(text: string): Span[] {
  if (!isByWeekday(text)) return parseHours(text, everyDay, text);
  const spans: Span[] = [];
  let days = '';
  for (const part of text.split(',')) {
    const [before = '', hours, more] = part.split('=');
    // Days may be a list: `mon,wed=09:00-12:00`.
    days = days ? `${days},${before}` : before;
    if (hours === undefined) continue;
    if (more !== undefined) throw wrongWindow(text);
    const wanted = parseDays(days);
    const twice = wanted.find((day) => spans.some((span) => span.days.includes(day)));
    if (twice !== undefined) {
      throw new CarillonError('usage-invalid', `The window "${text}" has hours for ${dayWord(twice)} twice`, {
        remedy: 'Join them with a plus: mon=09:00-12:00+14:00-18:00.',
      });
    }
    spans.push(...parseHours(hours, wanted, text));
    days = '';
  }
  if (days.trim()) throw wrongWindow(text);
  return spans;
}

/** Whether a window has its own hours for weekdays, so that it says the days too. */
export function isByWeekday(text: string): boolean {
  return text.includes('=');
}

function parseHours(text: string, days: readonly number[], window: string): Span[] {
  return text.split('+').map((each) => {
    const match = /^(\d{1,2})(?::(\d{2}))?\s*[-–]\s*(\d{1,2})(?::(\d{2}))?$/.exec(each.trim());
    const from = match ? minutesOf(match[1]!, match[2]) : null;
    const to = match ? minutesOf(match[3]!, match[4]) : null;
    if (from === null || to === null || from === minutesADay) throw wrongWindow(window);
    if (to === from) {
      throw new CarillonError('window-empty', `The window "${window}" ends where it starts: ${each.trim()}`, {
        remedy: 'Give an end after the start; the whole day is 00:00-24:00.',
      });
    }
    // Whoever writes 9-5 means the day, and not 20 hours of which most are night.
    if (to < from && from <= noon && !each.includes(':')) {
      throw new CarillonError(
        'usage-invalid',
        `The window "${window}" can be read in two ways: ${each.trim()}`,
        {
          remedy: `Write it with minutes: ${timeText(from)}-${timeText(to + noon)}, or ${timeText(from)}-${timeText(to)} for hours that end on the next day.`,
        },
      );
    }
    return { from, to: to < from ? to + minutesADay : to, days };
  });
}

/** The window again, as it is written: by weekday unless all of its hours are for the same days. */
export function showWindow(spans: readonly Span[]): string {
  if (spans.every(({ days }) => days.join() === spans[0]?.days.join())) return hoursOf(spans);
  const groups = new Map<string, Span[]>();
  for (const span of spans) {
    const key = showDays(span.days);
    groups.set(key, [...(groups.get(key) ?? []), span]);
  }
  return [...groups].map(([days, own]) => `${days}=${hoursOf(own)}`).join(',');
}

function hoursOf(spans: readonly Span[]): string {
  return spans.map(({ from, to }) => `${timeText(from)}-${timeText(to)}`).join('+');
}

/** `mon-fri`, `mon,wed`: consecutive days are joined. */
export function showDays(days: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last && last[1] === day - 1) last[1] = day;
    else runs.push([day, day]);
  }
  return runs.map(([a, b]) => (a === b ? names[a - 1] : `${names[a - 1]}-${names[b - 1]}`)).join(',');
}

/** `09:00`; a time past midnight is shown by the next day's clock. */
export function timeText(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const shown = minutes > minutesADay ? minutes - minutesADay : minutes;
  return `${two(Math.floor(shown / 60))}:${two(shown % 60)}`;
}

/** `mon-fri`, `mon,wed,fri`, `sat`; a range may cross the weekend (`fri-mon`). Sorted, each day once. */
export function parseDays(text: string): number[] {
  const found = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    if (!part.trim()) continue;
    const [first, last, more] = part.split(/[-–]/).map((name) => dayOf(name, text));
    if (first === undefined || more !== undefined) throw wrongDays(text);
    for (let day = first; ; day = (day % 7) + 1) {
      found.add(day);
      if (day === (last ?? first)) break;
    }
  }
  if (found.size === 0) {
    throw new CarillonError('window-empty', 'The list of days is empty', {
      remedy: 'Name at least one day, for example mon-fri.',
    });
  }
  return [...found].sort((a, b) => a - b);
}

function minutesOf(hours: string, minutes = '00'): number | null {
  const total = Number(hours) * 60 + Number(minutes);
  return Number(minutes) > 59 || total > minutesADay ? null : total;
}

function dayOf(name: string, text: string): number {
  const wanted = name.trim();
  const at =
    wanted.length < 3
      ? -1
      : names.findIndex((_, day) =>
          dayWord(day + 1)
            .toLowerCase()
            .startsWith(wanted),
        );
  if (at < 0) throw wrongDays(text);
  return at + 1;
}

function dayWord(day: number): string {
  return ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'][day - 1]!;
}

function wrongWindow(text: string): CarillonError {
  return new CarillonError('usage-invalid', `The window "${text}" is not in the form 09:00-20:00`, {
    remedy:
      'Give times of day with a dash between them, 00:00 to 24:00; by weekday as mon-fri=09:00-20:00,sat=10:00-16:00.',
  });
}

function wrongDays(text: string): CarillonError {
  return new CarillonError('usage-invalid', `The days "${text}" are not understood`, {
    remedy: 'Name days as mon, tue, wed, thu, fri, sat, sun; ranges as mon-fri; several with commas.',
  });
}
