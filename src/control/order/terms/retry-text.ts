import { quote } from '../../../rules/phone/phone-text.ts';
import { normaliseStatus, type Outcome, outcomes } from '../../../voice/outcomes.ts';
import { wrong } from '../term.ts';

/** Reads and shows the delays after which people are tried again, by outcome: `no-answer=30m/2h/1d,busy=10m`. */
type Delays = Record<string, number[]>;

const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const longest = 365 * 86_400;
const mostDelays = 100;
/** Outcomes after which the person's next number is tried: the ledger turns to it after the same ones. */
const nobodyReached: readonly Outcome[] = ['no-answer', 'busy', 'failed', 'voicemail'];
const form =
  'Give an outcome and how long to wait after it; several waits are for the first, second and third time, for example no-answer=30m/2h/1d. The units are s, m, h and d.';
const nextForm =
  'Give an outcome and when the next number is tried after it: now, or a time such as 30m, for example no-answer=now,busy=30m.';

export function readRetry(input: string | Record<string, string> | undefined): Delays {
  const pairs =
    typeof input === 'string' ? splitRule(input, 'The retry rule', form) : Object.entries(input ?? {});
  const rules: Delays = {};
  for (const [name, given] of pairs) {
    const outcome = readOutcome(name, 'The retry rule names');
    if (outcome in rules) throw wrong(`The retry rule names ${outcome} twice`, 'Name each outcome once.');
    rules[outcome] = readDelays(outcome, given);
  }
  return rules;
}

/** `what` begins the message: where the name was found. */
export function readOutcome(name: string, what: string): Outcome {
  const outcome = normaliseStatus(name) as Outcome;
  if (outcomes.includes(outcome)) return outcome;
  throw wrong(`${what} ${quote(name)}, which is not an outcome`, `The outcomes are ${outcomes.join(', ')}.`);
}

/** `what` begins the message. */
function splitRule(given: string, what: string, form: string): [string, string][] {
  const parts = given.split(',').filter((part) => part.trim());
  if (parts.length === 0) throw wrong(`${what} is empty`, form);
  return parts.map((part) => {
    const [name, times, more] = part.split('=');
    if (!name || times === undefined || more !== undefined) {
      throw wrong(`${what}, ${quote(part)}, is not understood`, form);
    }
    return [name, times];
  });
}

function readDelays(outcome: Outcome, given: string): number[] {
  const times = given.split('/');
  if (times.length > mostDelays) {
    throw wrong(
      `The retry rule for ${outcome} has ${times.length} times`,
      `Give at most ${mostDelays}; the last one is repeated.`,
    );
  }
  return times.map((time) => {
    const seconds = readSpan(time);
    if (seconds !== null) return seconds;
    throw wrong(
      `The retry rule for ${outcome} has the time ${quote(time)}, which must be between 1s and 365d`,
      form,
    );
  });
}

/** `90s`, `30m`, `2h`, `1d` in seconds; null for anything else. */
export function readSpan(given: string): number | null {
  const match = /^(\d{1,9})\s*([smhd])$/i.exec(given.trim());
  const value = match ? Number(match[1]) * units[match[2]!.toLowerCase()]! : 0;
  return value >= 1 && value <= longest ? value : null;
}

/** How long to wait before a person's next number, by outcome: `no-answer=now,busy=30m`. */
export function readNextNumber(input: string | Record<string, string> | undefined): Record<string, number> {
  const pairs =
    typeof input === 'string'
      ? splitRule(input, 'The rule for the next number', nextForm)
      : Object.entries(input ?? {});
  const rules: Record<string, number> = {};
  for (const [name, given] of pairs) {
    const outcome = readOutcome(name, 'The rule for the next number names');
    if (!nobodyReached.includes(outcome)) {
      throw wrong(
        `The rule for the next number names ${outcome}, after which no other number is tried`,
        `It is for ${nobodyReached.join(', ')}.`,
      );
    }
    const seconds = given.trim().toLowerCase() === 'now' ? 0 : readSpan(given);
    if (seconds === null) {
      throw wrong(`The rule for the next number has the time ${quote(given)} for ${outcome}`, nextForm);
    }
    rules[outcome] = seconds;
  }
  return rules;
}

export function nextNumberText(rules: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rules).map(([name, seconds]) => [name, seconds === 0 ? 'now' : shortSpan(seconds)]),
  );
}

export function nextNumberWords(rules: Readonly<Record<string, number>>): string[] {
  return Object.entries(rules).map(
    ([outcome, seconds]) => `${outcome} ${seconds === 0 ? 'at once' : `after ${spanWords(seconds)}`}`,
  );
}

/** The rules as an order takes them. */
export function retryText(rules: Readonly<Delays>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rules).map(([name, delays]) => [name, delays.map(shortSpan).join('/')]),
  );
}

/** The rules for a person: `no-answer after 30 min, then 2 h`. */
export function retryWords(rules: Readonly<Delays>): string[] {
  return Object.entries(rules).map(
    ([outcome, delays]) => `${outcome} after ${delays.map(spanWords).join(', then ')}`,
  );
}

function spanWords(total: number): string {
  if (total % 86_400 === 0) return total === 86_400 ? '1 day' : `${total / 86_400} days`;
  if (total % 3_600 === 0) return `${total / 3_600} h`;
  if (total % 60 === 0) return `${total / 60} min`;
  return `${total} s`;
}

/** The span in the largest unit that divides it. */
export function shortSpan(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
