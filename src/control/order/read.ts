import { CarillonError } from '../../base/errors.ts';
import type { Caller, OnUnknown, Order } from '../../rules/order.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { quote } from '../../rules/phone/phone-text.ts';
import { everyDay, isZone, parseDays, parseWindow, type Window } from '../../rules/time/window.ts';
import { normaliseStatus, type Outcome, outcomes } from '../../voice/outcomes.ts';
import type { OrderInput } from './schema.ts';

/** Reads an order as people write it, on a command line or in a request, into what the ledger keeps of it. */
const midnight = 1440;
const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const longestRetry = 365 * 86_400;
const retryForm = 'Give an outcome and a time, for example no-answer=30m; the units are s, m, h and d.';

export function readOrder(input: OrderInput): Order {
  const agentId = input.agent.trim();
  if (!agentId) throw wrong('The agent has no name', 'Give the id that the agent has at the voice service.');
  const retry = readRetry(input.retry);
  const maxAttempts =
    count('maximum of attempts', input.max_attempts, 100) ?? (Object.keys(retry).length > 0 ? 0 : 1);
  if (maxAttempts === 0 || (maxAttempts === 1 && Object.keys(retry).length > 0)) {
    throw wrong(
      'A retry rule was given, but only one attempt is allowed',
      'Allow more than one attempt a person, for example --max-attempts 3 (max_attempts in a request).',
    );
  }
  return {
    agentId,
    callers: readCallers(input.from ?? [], input.number_ids ?? []),
    timezone: readZone(input.timezone),
    hours: readHours(input.window, input.days),
    maxCalls: count('maximum of calls at once', input.max_calls, 1_000_000),
    maxAttempts,
    retry,
    onUnknown: readOnUnknown(input.on_unknown),
    resultDelay: readDelay(input.result_delay),
    weight: count('weight', input.weight, 100) ?? 1,
  };
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

function wrong(message: string, remedy: string): CarillonError {
  return new CarillonError('usage-invalid', message, { remedy });
}
