import type { ShownForecast } from '../../control/campaigns/forecast.ts';
import { count, duration } from './summary.ts';

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
