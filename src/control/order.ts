import { CarillonError } from '../base/errors.ts';
import type { Caller, OnUnknown, Order } from '../rules/order.ts';
import { readPhone } from '../rules/phone/phone.ts';
import { quote } from '../rules/phone/phone-text.ts';
import { everyDay, isZone, parseDays, parseWindow, type Window } from '../rules/time/window.ts';
import { normaliseStatus, type Outcome, outcomes } from '../voice/outcomes.ts';

/** Reads an order as people write it, on a command line or in a request, into what the ledger keeps of it. */
export type OrderInput = {
  agent: string;
  from?: readonly string[] | undefined;
  numberIds?: readonly string[] | undefined;
  /** `09:00-20:00`; without days it is every day. */
  window?: string | undefined;
  /** `mon-fri`; without a window they are open from midnight to midnight. */
  days?: string | undefined;
  timezone?: string | undefined;
  maxCalls?: string | number | undefined;
  maxAttempts?: string | number | undefined;
  /** `no-answer=30m,busy=10m`, or the same as an object. */
  retry?: string | Readonly<Record<string, string>> | undefined;
  /** `hold` or `redial`. */
  onUnknown?: string | undefined;
  /** `4s`: how many seconds of delay in a result one request is worth. */
  resultDelay?: string | undefined;
  /** 1 to 100: its part of a key beside other campaigns. */
  weight?: string | number | undefined;
};

const midnight = 1440;
const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const longestRetry = 365 * 86_400;
const retryForm = 'Give an outcome and a time, for example no-answer=30m; the units are s, m, h and d.';

export function readOrder(input: OrderInput): Order {
  const agentId = input.agent.trim();
  if (!agentId) throw wrong('The agent has no name', 'Give the id that the agent has at the voice service.');
  const retry = readRetry(input.retry);
  const maxAttempts =
    count('maximum of attempts', input.maxAttempts, 100) ?? (Object.keys(retry).length > 0 ? 0 : 1);
  if (maxAttempts === 0 || (maxAttempts === 1 && Object.keys(retry).length > 0)) {
    throw wrong(
      'A retry rule was given, but only one attempt is allowed',
      'Allow more than one attempt a person, for example --max-attempts 3 (maxAttempts in a request).',
    );
  }
  return {
    agentId,
    callers: readCallers(input.from ?? [], input.numberIds ?? []),
    timezone: readZone(input.timezone),
    hours: readHours(input.window, input.days),
    maxCalls: count('maximum of calls at once', input.maxCalls, 1_000_000),
    maxAttempts,
    retry,
    onUnknown: readOnUnknown(input.onUnknown),
    resultDelay: readDelay(input.resultDelay),
    weight: count('weight', input.weight, 100) ?? 1,
  };
}

/** The order in short phrases for a person: from whom, when, how many at once, and what is tried again. */
export function describeOrder(order: Order): string[] {
  const { callers, hours, timezone, maxCalls, maxAttempts, retry } = order;
  const names = callers.map((caller) =>
    'number' in caller ? caller.number : `number id ${caller.numberId}`,
  );
  const rules = Object.entries(retry).map(([outcome, seconds]) => `${outcome} after ${span(seconds)}`);
  const place = timezone ? `in ${timezone} where a row names no time zone` : 'in each person’s own time zone';
  return [
    names.length > 0 ? `from ${names.join(', ')}` : 'from the number that the service chooses',
    hours ? `${hoursText(hours)} ${place}` : 'every hour and day',
    ...(maxCalls === null
      ? []
      : [maxCalls === 1 ? 'one call at a time' : `at most ${maxCalls} calls at once`]),
    maxAttempts === 1 || rules.length === 0
      ? 'one attempt, no retry'
      : `up to ${maxAttempts} attempts: ${rules.join(', ')}`,
    ...(order.resultDelay === null ? [] : [`a request is worth ${order.resultDelay} s of delay in a result`]),
    ...(order.weight === 1 ? [] : [`${order.weight} calls for each one of a campaign of weight 1`]),
    ...(order.onUnknown === 'redial' ? ['who may have been called is called again, once'] : []),
  ];
}

function readCallers(numbers: readonly string[], ids: readonly string[]): Caller[] {
  const found = new Map<string, Caller>();
  for (const text of numbers) {
    const reading = readPhone(text);
    if (!reading.ok) {
      throw wrong(
        `The caller number ${quote(text)} is no full international number`,
        'Write it with its "+" and country code, for example +14155550123.',
      );
    }
    found.set(reading.phone, { number: reading.phone });
  }
  for (const text of ids) {
    const numberId = text.trim();
    if (!numberId)
      throw wrong('A number id is empty', 'Give the id that the number has at the voice service.');
    found.set(`id ${numberId}`, { numberId });
  }
  return [...found.values()];
}

function readHours(window: string | undefined, days: string | undefined): Window | null {
  if (window === undefined && days === undefined) return null;
  const times = window === undefined ? { from: 0, to: midnight } : parseWindow(window);
  const hours = {
    from: times.from,
    to: times.to,
    days: days === undefined ? [...everyDay] : parseDays(days),
  };
  const always = hours.from === 0 && hours.to === midnight && hours.days.length === everyDay.length;
  return always ? null : hours;
}

function readDelay(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, digits, unit] = /^(\d{1,4}(?:\.\d{1,3})?)(s|m)?$/.exec(text.trim()) ?? [];
  const seconds = Number(digits) * units[unit ?? 's']!;
  if (seconds >= 0.1 && seconds <= 600) return seconds;
  throw wrong(
    `The result delay ${quote(text)} must be between 0.1s and 10m`,
    'Say how many seconds of delay in a result one request is worth, for example 4s.',
  );
}

function readOnUnknown(text: string | undefined): OnUnknown {
  if (text === undefined || text === 'hold' || text === 'redial') return text ?? 'hold';
  throw wrong(
    `The rule for unknown attempts is ${quote(text)}`,
    'Give hold (a person decides) or redial (they are called again, once, at the risk of a second call).',
  );
}

function readZone(text: string | undefined): string | null {
  if (text === undefined) return null;
  const zone = text.trim();
  if (isZone(zone)) return zone;
  throw wrong(
    `The time zone ${quote(text)} is not known`,
    'Give a name of the IANA database, for example America/New_York or Europe/Berlin.',
  );
}

function readRetry(input: OrderInput['retry']): Record<string, number> {
  const pairs = typeof input === 'string' ? splitRetry(input) : Object.entries(input ?? {});
  const rules: Record<string, number> = {};
  for (const [name, text] of pairs) {
    const outcome = normaliseStatus(name) as Outcome;
    if (!outcomes.includes(outcome)) {
      throw wrong(
        `The retry rule names ${quote(name)}, which is no outcome`,
        `The outcomes are ${outcomes.join(', ')}.`,
      );
    }
    if (outcome in rules) throw wrong(`The retry rule names ${outcome} twice`, 'Name each outcome once.');
    rules[outcome] = seconds(outcome, text);
  }
  return rules;
}

function splitRetry(text: string): [string, string][] {
  const parts = text.split(',').filter((part) => part.trim());
  if (parts.length === 0) throw wrong('The retry rule is empty', retryForm);
  return parts.map((part) => {
    const [name, time, more] = part.split('=');
    if (!name || time === undefined || more !== undefined) {
      throw wrong(`The retry rule ${quote(part)} is not understood`, retryForm);
    }
    return [name, time];
  });
}

function seconds(outcome: Outcome, text: string): number {
  const match = /^(\d{1,9})\s*([smhd])$/i.exec(text.trim());
  const value = match ? Number(match[1]) * units[match[2]!.toLowerCase()]! : 0;
  if (value >= 1 && value <= longestRetry) return value;
  throw wrong(
    `The retry rule for ${outcome} has the time ${quote(text)}, which is no time from 1s to 365d`,
    retryForm,
  );
}

function count(what: string, value: string | number | undefined, most: number): number | null {
  if (value === undefined) return null;
  const number = typeof value === 'string' && !/^\s*\d+\s*$/.test(value) ? Number.NaN : Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw wrong(`The ${what} is ${quote(String(value))}`, `Give a whole number from 1 to ${most}.`);
}

function hoursText({ from, to, days }: Window): string {
  const times = from === 0 && to === midnight ? 'all day' : `${clock(from)}-${clock(to)}`;
  return `${times} ${daysText(days)}`;
}

/** `Mon-Fri`, `Mon, Wed`, `every day`: days that follow each other are drawn together. */
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

function span(total: number): string {
  if (total % 86_400 === 0) return total === 86_400 ? '1 day' : `${total / 86_400} days`;
  if (total % 3_600 === 0) return `${total / 3_600} h`;
  if (total % 60 === 0) return `${total / 60} min`;
  return `${total} s`;
}

function wrong(message: string, remedy: string): CarillonError {
  return new CarillonError('usage-invalid', message, { remedy });
}
