import type { Forecast } from '../api/ask.ts';
import { useNow } from './values.tsx';
import { exact, formatIn, isNightIn, isSameClock, timeText, toMinute } from './words.ts';

/** The time on a person's clock: now, and in the title with its zone, also at another moment. */
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const formats = new Map<string, Intl.DateTimeFormat | null>();

function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = formatIn(zone, { weekday: 'short', ...toMinute });
  formats.set(zone, made);
  return made;
}

/** Zones with the same clock are told once, the first one names them. */
export function clocksOf(zones: readonly string[], at: number) {
  const clocks = new Map<string, string[]>();
  const here = weekday.format(at);
  for (const zone of zones) {
    const whole = formatOf(zone)?.format(at);
    if (whole === undefined) continue;
    // The day is told only where it is another one than here.
    const text = whole.startsWith(here) ? whole.slice(here.length).replace(/^[.,]?\s+/, '') : whole;
    const same = clocks.get(text);
    if (same) same.push(zone);
    else clocks.set(text, [zone]);
  }
  return [...clocks].map(([text, those]) => ({
    text,
    zone: those[0]!,
    words: `${text} in ${those.join(', ')}`,
  }));
}

/** `America/New_York` as `New York`. */
export const placeOf = (zone: string) => zone.replace(/^.*\//, '').replaceAll('_', ' ');

/** `, 10:58 AM in New York` beside a time here; empty where their clock is the viewer's, or not known. */
export function thereText(zones: readonly string[], at: string): string {
  const [there] = clocksOf(zones, Date.parse(at));
  return there && !isSameClock(there.zone, at) ? ` here, ${there.text} in ${placeOf(there.zone)}` : '';
}

/** `first call 5:00 PM here, 9:00 AM in New York`; null where the next call may begin at once, or nobody knows when. */
export function nextCallText(ahead: Pick<Forecast, 'next_call'> | null | undefined, made = 0): string | null {
  const { at, timezones } = ahead?.next_call ?? { at: '', timezones: [] };
  if (!(Date.parse(at) > Date.now() + 60_000)) return null;
  return `${made === 0 ? 'first' : 'next'} call ${timeText(at)}${thereText(timezones, at)}`;
}

/** Their clock now; where they may be in several zones, the first one and how many others there are. */
export function TheirTime({ zones, inWords }: { zones: readonly string[]; inWords?: boolean }) {
  const now = useNow();
  const clocks = clocksOf(zones, now);
  const [first] = clocks;
  if (!first) return <span title="Nobody knows where this person is">–</span>;
  const isLate = isNightIn(first.zone, now);
  return (
    <span
      title={clocks.map(({ words }) => words).join('; ')}
      className={`whitespace-nowrap ${isLate ? 'text-warn' : ''}`}
    >
      {first.text}
      {inWords && ` in ${placeOf(first.zone)}${isLate ? ': at night' : ''}`}
      {clocks.length > 1 && <span className="text-quiet"> or {clocks.length - 1} more</span>}
    </span>
  );
}

/** A moment by the viewer's clock, with the person's in the title. */
export function TimeBoth({ at, zones }: { at: string; zones: readonly string[] }) {
  const there = clocksOf(zones, Date.parse(at)).map(({ words }) => words);
  const yours = `${exact.format(new Date(at))}, your time`;
  return (
    <time dateTime={at} title={[yours, ...there].join('; ')} className="whitespace-nowrap">
      {timeText(at)}
    </time>
  );
}
