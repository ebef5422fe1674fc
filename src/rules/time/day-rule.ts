import { stretchOf } from './zone-clock.ts';

/** A rule that opens hours of local days, and when it opens and closes in one time zone. */
export type DayRule = {
  word: ClockRule;
  /** Whether people who may be in one of these states are bound by it. */
  binds(states: readonly string[]): boolean;
  /** The open parts of a local day, given in days since 1970-01-01. */
  open(day: number): readonly Minutes[];
  /** Why it is closed on that day, for a person. */
  why(day: number): Why;
  /** The rule needs only the date: a number of no place is judged by the dates of the whole earth. */
  byDate?: boolean;
};

/** The rules that close by the clock; docs/guides/policy.md explains the words. */
export type ClockRule = 'start' | 'ended' | 'window' | 'date' | 'legal-hours';

/**
 * `[from, to)` in minutes since the local midnight; hours that start in the evening may end after the next midnight.
 */
export type Minutes = readonly [from: number, to: number];
/** `source`: what the citation adds to the text, so that nobody reads the same twice. */
export type Why = { text: string; citation: string | null; source?: string };

const minute = 60_000;
const minutesADay = 1440;
const dayMs = minutesADay * minute;

/** The zone of a number that belongs to no place: nobody knows its local time, so no hour of it is open. */
export const nowhere = '';

export const wholeDay: readonly Minutes[] = [[0, minutesADay]];

/** The first instant from `at` on at which the rule is open in the zone; past `end` if there is none before it. */
export function opensIn(rule: DayRule, zone: string, at: number, end: number): number {
  if (zone === nowhere) return end + 1;
  let time = at;
  while (time <= end) {
    const { offset, to } = stretchOf(zone, time);
    const { day, since } = localTime(time + offset);
    const next = nextMinute(rule, day, since / minute);
    if (next * minute <= since) return time;
    // Stop at a clock change on the way, and count the rest from there.
    time = Math.min(day * dayMs + next * minute - offset, to);
  }
  return time;
}

/** The first instant from `at` on at which it is closed in the zone; past `end` if there is none before it. */
export function closesIn(rule: DayRule, zone: string, at: number, end: number): number {
  if (zone === nowhere) return at;
  let time = at;
  while (time <= end) {
    const { offset, to } = stretchOf(zone, time);
    const { day, since } = localTime(time + offset);
    const last = lastMinute(rule, day, since / minute);
    if (last === null) return time;
    time = Math.min(day * dayMs + last * minute - offset, to);
  }
  return time;
}

/** The local day of an instant, in days since 1970-01-01. */
export function dayIn(zone: string, at: number): number {
  return localTime(at + stretchOf(zone || 'UTC', at).offset).day;
}

/** The epoch began on a Thursday: ISO weekdays, Monday is 1 and Sunday 7. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

function localTime(local: number): { day: number; since: number } {
  const day = Math.floor(local / dayMs);
  return { day, since: local - day * dayMs };
}

/** The next open minute of the day, at most the present one if it is open now; midnight if it does not open today. */
function nextMinute(rule: DayRule, day: number, now: number): number {
  let next = minutesADay;
  for (const [from, to] of rule.open(day)) if (now < to) next = Math.min(next, from);
  if (next <= now) return next;
  return rule.open(day - 1).some(([, to]) => now < to - minutesADay) ? now : next;
}

/** The minute of the day at which the hours that are open now end; null when it is closed. */
function lastMinute(rule: DayRule, day: number, now: number): number | null {
  let last: number | null = null;
  for (const [from, to] of rule.open(day)) if (from <= now && now < to) last = Math.max(last ?? 0, to);
  for (const [, to] of rule.open(day - 1)) {
    if (now < to - minutesADay) last = Math.max(last ?? 0, to - minutesADay);
  }
  return last;
}
