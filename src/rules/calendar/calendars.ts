import type { Policy, PolicyInForce } from '../policy/policy.ts';
import { type Calendar, compileCalendar, type Times } from './calendar.ts';

/** The calendars of a process: each order's is compiled once under the policy in force. */
export type CalendarOf = (times: Times | null) => Calendar | null;

const mostKept = 1_000;

export function createCalendars(policyInForce: PolicyInForce, lastingMs = 0): CalendarOf {
  let policy: Policy | null = null;
  const made = new Map<string, Calendar | null>();
  return (times) => {
    const now = policyInForce();
    if (now !== policy || made.size >= mostKept) made.clear();
    policy = now;
    const key = JSON.stringify(times);
    const known = made.get(key);
    if (known !== undefined) return known;
    const calendar = compileCalendar(times, policy, lastingMs);
    made.set(key, calendar);
    return calendar;
  };
}
