import { quote } from '../../../rules/phone/phone-text.ts';
import type { Times } from '../../../rules/time/calendar.ts';
import { everyDay, parseDays, parseWindow, type Span } from '../../../rules/time/window.ts';
import { isZone } from '../../../rules/time/zone-clock.ts';
import { text } from '../../input.ts';
import { flags, term, wrong } from '../term.ts';

/** In which hours and on which days people are called, and in which time zone. */
const midnight = 1440;

export const when = {
  times: term({
    fields: {
      window: text(40).register(flags, {
        flag: '--window <hours>',
        help: 'hours in which people are called, such as 09:00-20:00 (default: any hour)',
      }),
      days: text(200).register(flags, {
        flag: '--days <days>',
        help: 'days on which people are called, such as mon-fri (default: any day)',
      }),
    },
    read: ({ window, days }) => readTimes(window, days),
    show(times) {
      const hours = times?.hours?.[0];
      return {
        window: hours ? `${clock(hours.from)}-${clock(hours.to)}` : null,
        days: hours?.days.map((day) => dayName(day).toLowerCase()).join(',') ?? null,
      };
    },
    tell(times, { timezone }) {
      const hours = times?.hours?.[0];
      if (!hours) return 'every hour and day';
      const place = timezone
        ? `in ${timezone} where a row names no time zone`
        : 'in each person’s own time zone';
      return `${hoursText(hours)} ${place}`;
    },
  }),

  timezone: term({
    fields: {
      timezone: text(100).register(flags, {
        flag: '--timezone <zone>',
        help: 'time zone of rows without one (default: the zones of each number’s prefix)',
      }),
    },
    read: ({ timezone }) => readZone(timezone),
    show: (timezone) => ({ timezone }),
  }),
};

function readTimes(window: string | undefined, days: string | undefined): Times | null {
  if (window === undefined && days === undefined) return null;
  const times = window === undefined ? { from: 0, to: midnight } : parseWindow(window);
  const hours = {
    from: times.from,
    to: times.to,
    days: days === undefined ? [...everyDay] : parseDays(days),
  };
  const always = hours.from === 0 && hours.to === midnight && hours.days.length === everyDay.length;
  return always ? null : { hours: [hours] };
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

function hoursText({ from, to, days }: Span): string {
  const times = from === 0 && to === midnight ? 'all day' : `${clock(from)}-${clock(to)}`;
  return `${times} ${daysText(days)}`;
}

/** `Mon-Fri`, `Mon, Wed`, `every day`: consecutive days are joined. */
function daysText(days: readonly number[]): string {
  if (days.length === 7) return 'every day';
  const runs: [number, number][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last && last[1] === day - 1) last[1] = day;
    else runs.push([day, day]);
  }
  return runs
    .map(([first, last]) => (first === last ? dayName(first) : `${dayName(first)}-${dayName(last)}`))
    .join(', ');
}

function dayName(day: number): string {
  return ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][day - 1]!;
}

function clock(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
