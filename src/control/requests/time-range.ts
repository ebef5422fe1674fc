import { CarillonError } from '../../base/errors.ts';
import type { TimeRange } from '../../ledger/series/series.ts';
import { readInstant, readUntil } from '../../rules/time/instant.ts';
import { text } from './input.ts';

/** The span of a series, and its steps: never more points than a chart can show. */
export const steps = { '10s': 10, minute: 60, '5min': 300, hour: 3_600, day: 86_400 } as const;
type StepName = keyof typeof steps;
const mostPoints = 1_500;

export const timeRangeShape = {
  since: text(100).optional().describe('From this time on; by default an hour ago.'),
  until: text(100).optional().describe('Before this time; by default now.'),
};

/** The shortest step with at most this many points is the default. */
const fewPoints = 400;

export type Wanted<S extends StepName> = {
  since?: string | undefined;
  until?: string | undefined;
  step?: S | undefined;
};

/** `offered` has the steps from short to long, with how many seconds each is kept; null is for ever. */
export function readTimeRange<S extends StepName>(
  wanted: Wanted<S>,
  offered: readonly (readonly [S, number | null])[],
  now: number,
): TimeRange & { name: S } {
  const until = Math.min(timeOf('until', wanted.until) ?? now, now);
  const since = timeOf('since', wanted.since) ?? until - 3_600_000;
  if (since >= until)
    throw new CarillonError('request-invalid', 'since: must be before until, and not in the future');
  const isKept = ([, seconds]: readonly [S, number | null]) =>
    seconds === null || since >= now - seconds * 1_000;
  const pointsOf = ([step]: readonly [S, number | null]) => (until - since) / 1_000 / steps[step];
  const name =
    wanted.step ??
    (offered.find((each) => isKept(each) && pointsOf(each) <= fewPoints) ?? offered.at(-1)!)[0];
  if (pointsOf([name, null]) > mostPoints)
    throw new CarillonError(
      'request-invalid',
      `step: since to until is more than ${mostPoints} steps of ${name}`,
      { remedy: 'Ask for a longer step or a shorter time.' },
    );
  const step = steps[name];
  return { name, step, since: floorTo(since, step), until: new Date(until) };
}

/** A step is shown whole. */
function floorTo(ms: number, seconds: number): Date {
  return new Date(Math.floor(ms / seconds / 1_000) * seconds * 1_000);
}

export function timeOf(field: string, given: string | undefined): number | null {
  if (given === undefined) return null;
  const at = readInstant(given, null);
  if (at !== null) return at;
  throw new CarillonError('request-invalid', `${field}: must be a time such as 2026-03-01T09:00:00Z`);
}

/** When something that is ordered ends: a time to come. */
export function readEnd(given: string, now: number): Date {
  const at = readUntil(given, now);
  if (at === null) {
    throw new CarillonError('request-invalid', `The end "${given}" is neither a time nor a span`, {
      remedy: 'Nothing was changed. Give a time such as 2027-03-31T18:00:00Z, a date, or a span such as 30d.',
    });
  }
  if (at > now) return new Date(at);
  throw new CarillonError('request-invalid', `The end "${given}" has passed`, {
    remedy: 'Nothing was changed. Give a time in the future, or leave it out for ever.',
  });
}
