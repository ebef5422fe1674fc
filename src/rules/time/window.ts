import { CarillonError } from '../../base/errors.ts';

/** The local hours of some weekdays in which people may be called, as an owner writes them. */
export type Span = {
  /** Minutes of the local day: the first that is open, and the first that no longer is (1440 is midnight). */
  from: number;
  to: number;
  /** ISO weekdays by the zone's own date, Monday is 1 and Sunday 7; sorted. */
  days: readonly number[];
};

const minutesADay = 1440;
const names = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const everyDay: readonly number[] = Object.freeze([1, 2, 3, 4, 5, 6, 7]);

/** `09:00-20:00`, also `9-20`; 24:00 is a valid end. All seven days; a caller with other days replaces them. */
export function parseWindow(text: string): Span {
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
