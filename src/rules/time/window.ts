import { CarillonError } from '../../base/errors.ts';
import { stretchOf } from './zone-clock.ts';

export { isZone } from './zone-clock.ts';

/** The local hours in which a recipient may be called; null means any hour of any day. */
export type Window = {
  /** Minutes of the local day: the first that is open, and the first that no longer is (1440 is midnight). */
  from: number;
  to: number;
  /** ISO weekdays by the zone's own date, Monday is 1 and Sunday 7; sorted. */
  days: readonly number[];
};

const minute = 60_000;
const minutesADay = 1440;
const horizon = 8 * minutesADay * minute;
const names = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const everyDay: readonly number[] = Object.freeze([1, 2, 3, 4, 5, 6, 7]);

/** `09:00-20:00`, also `9-20`; 24:00 is a valid end. All seven days; a caller with other days replaces them. */
export function parseWindow(text: string): Window {
  const match = /^(\d{1,2})(?::(\d{2}))?\s*[-–]\s*(\d{1,2})(?::(\d{2}))?$/.exec(text.trim());
  const from = match ? minutesOf(match[1]!, match[2]) : null;
  const to = match ? minutesOf(match[3]!, match[4]) : null;
  if (from === null || to === null) {
    throw new CarillonError('usage-invalid', `The window "${text}" is not in the form 09:00-20:00`, {
      remedy: 'Give two times of day with a dash between them, 00:00 to 24:00.',
    });
  }
  if (to <= from) {
    throw new CarillonError('window-empty', `The window "${text}" ends before it starts`, {
      remedy: 'Give an end after the start on the same day, 24:00 at the latest.',
    });
  }
  return { from, to, days: everyDay };
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

/**
 * Whether the window is open in every one of the zones, each by its own date and clock. No zone means that the number's
 * place is unknown: then only a window that never closes is open.
 */
export function isOpen(window: Window | null, zones: readonly string[], at: number): boolean {
  if (!window || isAlwaysOpen(window)) return true;
  return zones.length > 0 && zones.every((zone) => openIn(window, zone, at) === at);
}

/** The next instant at which it is open, `at` itself when it is; else on a full minute. Null: not within 8 days. */
export function nextOpening(window: Window | null, zones: readonly string[], at: number): number | null {
  if (!window || isAlwaysOpen(window)) return at;
  if (zones.length === 0) return null;
  const end = at + horizon;
  // The latest of the zones' own openings is the earliest that all can share: go there and check all again.
  for (let from = at; from <= end; ) {
    let latest = from;
    for (const zone of zones) {
      latest = openIn(window, zone, latest, end);
      if (latest > end) return null;
    }
    if (latest === from) return from;
    from = latest;
  }
  return null;
}

const halfAYear = 182 * minutesADay * minute;

/**
 * Whether it never opens in all of these zones at once, in neither summer time nor winter time. Null when it does; else
 * the reason that the row shows.
 */
export function neverOpens(window: Window | null, zones: readonly string[], at: number): string | null {
  if ([at, at + halfAYear].some((from) => nextOpening(window, zones, from) !== null)) return null;
  if (zones.length === 0) {
    return 'can never be called: its number belongs to no place, so its local time is unknown; give it a time zone';
  }
  return `can never be called: the window is never open in all ${zones.length} time zones of its number at once; give it a time zone`;
}

/** The next instant at which it is closed in one of the zones, `at` itself when it is. Null: not within 8 days. */
export function closesAt(window: Window | null, zones: readonly string[], at: number): number | null {
  if (!window || isAlwaysOpen(window)) return null;
  if (zones.length === 0) return at;
  const closings = zones.map((zone) => closedIn(window, zone, at, at + horizon));
  const first = Math.min(...closings);
  return first > at + horizon ? null : first;
}

function isAlwaysOpen(window: Window): boolean {
  return window.from === 0 && window.to === minutesADay && window.days.length === 7;
}

/** The first instant from `at` on when the window is open in this one zone; searched up to `end`. */
function openIn(window: Window, zone: string, at: number, end = at): number {
  let time = at;
  while (time <= end) {
    const { offset, to } = stretchOf(zone, time);
    const local = time + offset;
    const midnight = Math.floor(local / (minutesADay * minute)) * minutesADay * minute;
    const sinceMidnight = local - midnight;
    const today = window.days.includes(weekdayOf(midnight));
    if (today && sinceMidnight >= window.from * minute && sinceMidnight < window.to * minute) return time;
    const next = today && sinceMidnight < window.from * minute ? window.from : minutesADay;
    // Stop at a clock change on the way, and count the rest from there.
    time = Math.min(midnight + next * minute - offset, to);
  }
  return time;
}

function closedIn(window: Window, zone: string, at: number, end: number): number {
  let time = at;
  while (time <= end && openIn(window, zone, time) === time) {
    const { offset, to } = stretchOf(zone, time);
    const local = time + offset;
    const midnight = Math.floor(local / (minutesADay * minute)) * minutesADay * minute;
    time = Math.min(midnight + window.to * minute - offset, to);
  }
  return time;
}

/** The epoch began on a Thursday. */
function weekdayOf(localMidnight: number): number {
  const days = localMidnight / (minutesADay * minute);
  return ((((days + 3) % 7) + 7) % 7) + 1;
}

function minutesOf(hours: string, minutes = '00'): number | null {
  const total = Number(hours) * 60 + Number(minutes);
  return Number(minutes) > 59 || total > minutesADay ? null : total;
}

function dayOf(name: string, text: string): number {
  const wanted = name.trim();
  const at = wanted.length < 3 ? -1 : names.findIndex((day) => fullName(day).startsWith(wanted));
  if (at < 0) throw wrongDays(text);
  return at + 1;
}

function fullName(day: (typeof names)[number]): string {
  return { tue: 'tuesday', wed: 'wednesday', thu: 'thursday', sat: 'saturday' }[day as string] ?? `${day}day`;
}

function wrongDays(text: string): CarillonError {
  return new CarillonError('usage-invalid', `The days "${text}" are not understood`, {
    remedy: 'Name days as mon, tue, wed, thu, fri, sat, sun; ranges as mon-fri; several with commas.',
  });
}
