import type { ShownForecast } from '../../control/campaigns/forecast.ts';
import type { CountedWait, WaitReason } from '../../rules/wait-reason.ts';
import { timeText } from '../terminal/table.ts';
import { count, duration } from './summary.ts';

/** Why people wait, and when a campaign will end, in words. */

/**
 * Why rows wait, for a person: `412 wait for 15:00:00Z (09:00 in America/Chicago); 3 for a retry, the next at
 * 14:05:00Z`.
 */
export function waitsLine(waits: readonly CountedWait[], now: number): string | null {
  if (waits.length === 0) return null;
  const parts = waits.map((wait) => `${count(wait.n)} ${wordsOf(wait, now)}`);
  const [first, ...others] = parts;
  const verb = waits[0]!.n === 1 ? 'waits' : 'wait';
  return [first!.replace(' ', ` ${verb} `), ...others].join('; ');
}

/** Why one row waits: `for the gap of the contact rules until 14:05:00Z`. */
export function waitText(reason: WaitReason, until: Date | null, now: number): string {
  return wordsOf({ reason, until, n: 1, place: '' }, now);
}

function wordsOf({ reason, n, until, place }: CountedWait, now: number): string {
  const by = (single: 'at' | 'until') =>
    until ? `${n === 1 ? ` ${single}` : ', the next at'} ${untilText(until, now)}` : '';
  switch (reason) {
    case 'draft':
      return 'for the campaign to start';
    case 'paused':
      return 'for the campaign to continue';
    case 'canceled':
      return 'to be skipped: the campaign was canceled';
    case 'no-run':
      return 'for a run of the campaign';
    case 'retry':
      return `for a retry${by('at')}`;
    case 'callback':
      return `for the call back that they asked for${by('at')}`;
    case 'window':
      return until ? `for ${clockIn(until, place, now)}` : 'for their window';
    case 'start':
      return `for the start of the campaign${by('at')}`;
    case 'date':
      return `for a date on which calls are allowed${by('until')}`;
    case 'legal-hours':
      return until ? `for the legal hours, ${clockIn(until, place, now)}` : 'for the legal hours';
    case 'cap':
      return `for a cap of the contact rules${by('until')}`;
    case 'gap':
      return `for the gap of the contact rules${by('until')}`;
    case 'conversation':
      return `for the pause after a conversation${by('until')}`;
    case 'phone-in-use':
      return 'for another call to the same phone to end';
    case 'no-credit':
      return 'for credit';
    case 'rate':
      return 'for the rate of the keys';
    case 'calls':
      return 'for a call to end: no more may be in progress at once';
    case 'number':
      return `for a caller number: all are full or rest${by('until')}`;
    case 'refused':
      return 'for the service, which takes no calls now';
    case 'budget':
      return until ? `for the budget${by('until')}` : 'for the budget';
  }
}

const dayMs = 86_400_000;

/** The time of day, and the date unless it is today: tomorrow's 08:00 would look like a time that has passed. */
export function untilText(at: Date, now: number): string {
  const [date, time] = timeText(at).split(' ');
  return date === timeText(new Date(now)).slice(0, 10) ? time! : `${date} ${time}`;
}

/** The same time on the person's clock, if that is known and differs. */
function clockIn(at: Date, place: string, now: number): string {
  const [zones = ''] = place.split(';');
  const here = untilText(at, now);
  if (!zones || zones.includes(',')) return here;
  const far = at.getTime() - now >= dayMs;
  const clockOf = (zone?: string) =>
    at.toLocaleString('en-GB', {
      ...(zone ? { timeZone: zone } : {}),
      hour: '2-digit',
      minute: '2-digit',
      ...(far ? { weekday: 'short', day: 'numeric', month: 'short' } : {}),
    });
  const there = clockOf(zones);
  return there === clockOf() ? here : `${here} (${there} in ${zones})`;
}

/** A forecast for a person: `about 2 h 10 min (1 h 50 min to 2 h 40 min), about 410 calls, cost about 12.30`. */
export function forecastWords(shown: ShownForecast, now: number): string {
  const calls = `about ${count(shown.calls)} ${shown.calls === 1 ? 'call' : 'calls'}`;
  const cost = shown.cost === null ? 'cost not known yet' : `cost about ${shown.cost.toFixed(2)}`;
  const { uncalled } = shown;
  const parts = [timeLeft(shown, now) ?? noTime(shown), calls, cost];
  if (uncalled)
    parts.push(
      `about ${count(uncalled)} ${uncalled === 1 ? 'person is' : 'people are'} not called before it ends`,
    );
  return parts.join(', ');
}

/** Why the end cannot be forecast. */
function noTime({ limited_by, reason }: ShownForecast): string {
  const words = reason === null ? '' : ` (${reason})`;
  if (limited_by === 'credit') return `the end cannot be forecast: no key has credit${words}`;
  if (limited_by === 'refused') return `the end cannot be forecast: the service takes no calls${words}`;
  if (limited_by === 'budget') return reason ?? 'the budget ends first';
  return 'the end cannot be forecast';
}

/** `about 2 h 10 min (1 h 50 min to 2 h 40 min)`; null when it is unknown. */
function timeLeft({ ends_at }: ShownForecast, now: number): string | null {
  const { p10, p50, p90 } = ends_at;
  if (!p10 || !p50 || !p90) return null;
  const [low, middle, high] = [p10, p50, p90].map((at) => roughly((at.getTime() - now) / 1_000));
  return low === high ? `about ${middle}` : `about ${middle} (${low} to ${high})`;
}

/** `2 h 10 min`: the middle only. */
export function middleLeft({ ends_at: { p50 } }: ShownForecast, now: number): string | null {
  return p50 && roughly((p50.getTime() - now) / 1_000);
}

/** Rounded to about two digits: a forecast is not more exact. */
function roughly(seconds: number): string {
  const s = Math.max(1, seconds);
  const step = s < 60 ? 5 : s < 600 ? 30 : s < 3_600 ? 60 : s < 36_000 ? 600 : s < 172_800 ? 3_600 : 86_400;
  return s < 5 ? 'a few seconds' : spanText(Math.max(step, Math.round(s / step) * step));
}

function spanText(seconds: number): string {
  if (seconds >= 172_800) return `${Math.round(seconds / 86_400)} days`;
  return duration(seconds).replace(/ 0 (?:s|min)$/, '');
}

const limits = {
  rate: 'the rate of the keys',
  window: 'the clock: hours, dates and the times of retries',
  calls: 'the calls at once',
  credit: 'credit: no key has any',
  policy: 'the contact rules',
  number: 'the caller numbers: each has a limit of calls in 24 hours',
  refused: 'the service: it takes no calls on any key',
  budget: 'money: the budget ends before the list',
} as const;

export function limitWords({ limited_by }: ShownForecast): string {
  return limits[limited_by];
}
