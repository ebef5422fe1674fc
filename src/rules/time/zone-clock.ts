/** A zone's clock at an instant: offsets from Intl, read once per stretch and remembered. */

const minute = 60_000;
const week = 7 * 86_400_000;

/** A stretch of time over which a zone keeps one offset. */
export type Stretch = { from: number; to: number; offset: number };

/** The stretches of each week since the epoch, for the weeks that were asked for. */
type ZoneClock = { format: Intl.DateTimeFormat; weeks: Map<number, Stretch[]> };

const clocks = new Map<string, ZoneClock>();
const refused = new Set<string>();
/** A file may contain any number of wrong names; only this many are remembered. */
const mostRefused = 1_000;

/**
 * True for a name of the IANA database (`America/New_York`, `UTC`). Abbreviations are refused even where the
 * platform knows them: `EST` keeps winter time all year, `CST` is Chicago's and Shanghai's.
 */
export function isZone(name: string): boolean {
  return clockOf(name) !== undefined;
}

/** A little more than a year, as far as an opening is looked for. */
const mostWeeks = 64;

/** The stretch of constant offset around `at`: at most a week long. */
export function stretchOf(zone: string, at: number): Stretch {
  const clock = clockOf(zone);
  if (!clock) throw new RangeError(`the time zone ${zone} does not exist`);
  const index = Math.floor(at / week);
  let stretches = clock.weeks.get(index);
  if (!stretches) {
    // The requested weeks are close together; old ones are seldom needed again.
    if (clock.weeks.size >= mostWeeks) clock.weeks.clear();
    stretches = measure(clock.format, index);
    clock.weeks.set(index, stretches);
  }
  return stretches.find(({ to }) => at < to)!;
}

/** No name in the database is nearly as long. */
const longestName = 64;

function clockOf(text: string): ZoneClock | undefined {
  if (text.length > longestName) return undefined;
  // Upper and lower case name the same zone: a file may spell it in thousands of ways.
  const name = text.toLowerCase();
  const known = clocks.get(name);
  if (known || refused.has(name)) return known;
  const format = openZone(name);
  if (!format) {
    if (refused.size >= mostRefused) refused.clear();
    refused.add(name);
    return undefined;
  }
  const clock = { format, weeks: new Map() };
  clocks.set(name, clock);
  return clock;
}

function openZone(name: string): Intl.DateTimeFormat | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  if (/^[A-Za-z]{1,4}$/.test(name) && !/^(?:utc|gmt|cuba|eire|iran)$/i.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
}

/** A zone changes its clocks at most once a week, and on a whole minute: the change is found by bisection. */
function measure(format: Intl.DateTimeFormat, index: number): Stretch[] {
  const from = index * week;
  const to = from + week;
  const first = offsetOf(format, from);
  const last = offsetOf(format, to - minute);
  if (first === last) return [{ from, to, offset: first }];
  let before = from;
  let after = to - minute;
  while (after - before > minute) {
    const middle = Math.floor((before + after) / 2 / minute) * minute;
    if (offsetOf(format, middle) === first) before = middle;
    else after = middle;
  }
  return [
    { from, to: after, offset: first },
    { from: after, to, offset: last },
  ];
}

/** Milliseconds by which the zone's clocks are ahead of UTC. */
function offsetOf(format: Intl.DateTimeFormat, at: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 1, day: date = 1, hour = 0, minute: minutes = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, date, hour, minutes, second) - Math.floor(at / 1000) * 1000;
}

/** The hour of the week on a person's clock: operators ask at which hour people answer, not at which hour of UTC. */
const hour = 3_600_000;
const hoursAWeek = 168;
/** The epoch began on a Thursday. */
const sinceMonday = 72;

/**
 * An hour from 0 (Monday, 00:00) to 167. If the number's place has several time zones, the middle one of their clocks
 * counts. Null if it has none.
 */
export function localHourOf(place: string, at: number): number | null {
  const [zones = ''] = place.split(';');
  if (!zones) return null;
  const offsets = zones
    .split(',')
    .map((zone) => stretchOf(zone, at).offset)
    .sort((a, b) => a - b);
  const local = at + offsets[Math.floor((offsets.length - 1) / 2)]!;
  return (((Math.floor(local / hour) + sinceMonday) % hoursAWeek) + hoursAWeek) % hoursAWeek;
}
