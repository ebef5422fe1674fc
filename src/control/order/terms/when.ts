import { z } from 'zod';
import type { Times } from '../../../rules/calendar/calendar.ts';
import { quote } from '../../../rules/phone/phone-text.ts';
import { wrongDate } from '../../../rules/time/dates.ts';
import { readInstant } from '../../../rules/time/instant.ts';
import {
  everyDay,
  isByWeekday,
  parseDays,
  parseWindow,
  type Span,
  showDays,
  showWindow,
} from '../../../rules/time/window.ts';
import { isZone } from '../../../rules/time/zone-clock.ts';
import { text } from '../../requests/input.ts';
import { field, flags, term, wrong } from '../term.ts';

/** The hours and dates on which people are called, and the time zone. */
export const when = {
  timezone: field('timezone', text(100), {
    flag: '--timezone <zone>',
    help: 'time zone of rows without one (default: the zones of each number’s prefix)',
    form: {
      kind: 'zone',
      label: 'Time zone of rows without one',
      help: 'Where a number’s prefix has several zones, the hours must be open in all of them.',
    },
    read: (timezone) => readZone(timezone),
    answer: z.string().nullable(),
  }),

  times: term({
    fields: {
      window: text(1_000).register(flags, {
        flag: '--window <hours>',
        help: 'hours in which people are called: 09:00-20:00, 09:00-12:00+14:00-18:00, or mon-fri=09:00-20:00,sat=10:00-16:00 (default: any hour)',
        form: {
          kind: 'window',
          label: 'Calling window',
          help: 'In each person’s own time: 09:00-20:00, or mon-fri=09:00-20:00,sat=10:00-16:00.',
        },
      }),
      days: text(200).register(flags, {
        flag: '--days <days>',
        help: 'days on which people are called, such as mon-fri (default: any day)',
        form: { label: 'Days', help: 'Such as mon-fri.', askedBy: 'window' },
      }),
      not_on: z
        .array(text(4_000))
        .max(400)
        .register(flags, {
          flag: '--not-on <dates>',
          help: 'dates on which nobody is called, such as 2026-12-24,2026-12-31; may be given several times',
          many: true,
          form: { label: 'Dates left out', help: 'Such as 2026-12-24, 2026-12-31.' },
        }),
      holidays: text(200).register(flags, {
        flag: '--holidays <country>',
        help: 'nobody is called on the public holidays of this country, such as US; several with commas',
        form: {
          label: 'Public holidays left out',
          help: 'Two-letter country codes, such as US, separated by commas.',
        },
      }),
      start_at: text(100).register(flags, {
        flag: '--start-at <time>',
        help: 'nobody is called before this time: 2026-12-01T09:00:00Z, or 2026-12-01T09:00 with --timezone',
        form: { kind: 'time', label: 'Not before', help: 'Empty: as soon as it is started.' },
      }),
      end_at: text(100).register(flags, {
        flag: '--end-at <time>',
        help: 'nobody is called from this time on; people who were not called by then are skipped',
        form: { kind: 'time', label: 'Not after', help: 'People not called by then are skipped.' },
      }),
    },
    read: (given) => readTimes(given),
    answer: {
      window: z.string().nullable(),
      days: z.string().nullable(),
      not_on: z.array(z.string()).nullable(),
      holidays: z.string().nullable(),
      start_at: z.string().nullable(),
      end_at: z.string().nullable(),
    },
    show(times) {
      const { hours, notOn = [], startAt = null, endAt = null } = times ?? {};
      const shared = hours?.every(({ days }) => days.join() === hours[0]?.days.join());
      const countries = notOn.filter(isHolidays).map((entry) => entry.slice('holidays:'.length));
      const dates = notOn.filter((entry) => !isHolidays(entry));
      return {
        window: hours ? showWindow(hours) : null,
        days: shared ? hours![0]!.days.map((day) => showDays([day])).join(',') : null,
        not_on: dates.length > 0 ? dates : null,
        holidays: countries.length > 0 ? countries.join(',') : null,
        start_at: startAt,
        end_at: endAt,
      };
    },
    tell: (times, { timezone }) => describe(times, timezone),
  }),
};

type Given = {
  window?: string | undefined;
  days?: string | undefined;
  not_on?: string[] | undefined;
  holidays?: string | undefined;
  start_at?: string | undefined;
  end_at?: string | undefined;
  /** Belongs to another term: the zone of a time without an offset. */
  timezone?: string | undefined;
};

function readTimes(given: Given): Times | null {
  const hours = readHours(given.window, given.days);
  const notOn = [...readDates(given.not_on ?? []), ...readHolidays(given.holidays)];
  const startAt = readTime('start', given.start_at, given.timezone);
  const endAt = readTime('end', given.end_at, given.timezone);
  if (startAt && endAt && endAt <= startAt) {
    throw wrong(
      `The end ${endAt} is not after the start ${startAt}`,
      'Give an end that is later than the start.',
    );
  }
  const times: Times = {
    ...(hours ? { hours } : {}),
    ...(notOn.length > 0 ? { notOn } : {}),
    ...(startAt ? { startAt } : {}),
    ...(endAt ? { endAt } : {}),
  };
  return Object.keys(times).length > 0 ? times : null;
}

const midnight = 1440;

function readHours(window: string | undefined, days: string | undefined): Span[] | null {
  if (window === undefined && days === undefined) return null;
  if (window !== undefined && days !== undefined && isByWeekday(window)) {
    throw wrong(
      `The window ${quote(window)} names days, and days are given too: ${quote(days)}`,
      'Name the days in one place only: leave out --days (days in a request), or the days in the window.',
    );
  }
  const times = window === undefined ? [{ from: 0, to: midnight, days: everyDay }] : parseWindow(window);
  const hours = days === undefined ? times : times.map((span) => ({ ...span, days: parseDays(days) }));
  const [only] = hours;
  const always = only?.from === 0 && only.to === midnight && only.days.length === everyDay.length;
  return always ? null : hours.map((span) => ({ ...span, days: [...span.days] }));
}

/** Enough for several in each of the years ahead. */
const mostDates = 1_000;

function readDates(given: readonly string[]): string[] {
  const dates = given.flatMap((each) => each.split(',').map((date) => date.trim())).filter(Boolean);
  for (const date of dates) {
    const fault = wrongDate(date);
    if (fault)
      throw wrong(
        fault,
        'Give dates such as 2026-12-24; give the holidays of a country with --holidays US, or `holidays` in a request.',
      );
  }
  const different = [...new Set(dates)].sort();
  if (different.length <= mostDates) return different;
  throw wrong(
    `Too many dates on which nobody is called: ${different.length}`,
    `Give at most ${mostDates}; give public holidays with --holidays US, or \`holidays\` in a request.`,
  );
}

function readHolidays(given: string | undefined): string[] {
  const countries = (given ?? '').split(',').map((country) => country.trim().toUpperCase());
  const entries = countries.filter(Boolean).map((country) => `holidays:${country}`);
  if (given !== undefined && entries.length === 0) throw wrong('No country is named', 'Give one such as US.');
  const unknown = entries.find((entry) => wrongDate(entry));
  if (!unknown) return [...new Set(entries)];
  throw wrong(
    `The holidays of ${quote(unknown.slice('holidays:'.length))} are not known`,
    'Give a two-letter ISO 3166 country code, such as US; give the holidays of a region as dates (--not-on, or `not_on` in a request).',
  );
}

function isHolidays(entry: string): boolean {
  return entry.startsWith('holidays:');
}

function readTime(what: string, given: string | undefined, timezone: string | undefined): string | null {
  if (given === undefined) return null;
  const at = readInstant(given, readZone(timezone));
  if (at !== null) return new Date(at).toISOString();
  throw wrong(
    `The ${what} ${quote(given)} is not a time`,
    'Give it as 2026-12-01T09:00:00Z or 2026-12-01T09:00:00-05:00, or as 2026-12-01T09:00 with a time zone (--timezone, or `timezone` in a request).',
  );
}

function readZone(given: string | undefined): string | null {
  if (given === undefined) return null;
  const zone = given.trim();
  if (isZone(zone)) return zone;
  throw wrong(
    `The time zone ${quote(given)} is not known`,
    'Give a name of the IANA database, for example America/New_York or Europe/Berlin.',
  );
}

function describe(times: Times | null, timezone: string | null): string {
  const { hours, notOn, startAt, endAt } = times ?? {};
  const zone = timezone ? `in ${timezone} where a row names no time zone` : 'in each person’s own time zone';
  const parts = [
    hours ? `${hoursText(hours)} ${zone}` : 'every hour and day',
    notOn ? `not on ${notOn.map((entry) => entry.replace('holidays:', 'holidays of ')).join(', ')}` : null,
    startAt ? `from ${startAt} on` : null,
    endAt ? `until ${endAt}` : null,
  ];
  return parts.filter(Boolean).join(', ');
}

function hoursText(hours: readonly Span[]): string {
  const window = showWindow(hours);
  if (isByWeekday(window)) return window;
  const { days } = hours[0]!;
  return `${window === '00:00-24:00' ? 'all day' : window} ${daysText(days)}`;
}

/** `Mon-Fri`, `Mon, Wed`, `every day` */
function daysText(days: readonly number[]): string {
  if (days.length === 7) return 'every day';
  return showDays(days)
    .replaceAll(',', ', ')
    .replace(/[a-z]{3}/g, (day) => day[0]!.toUpperCase() + day.slice(1));
}
