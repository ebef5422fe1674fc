import { quote } from '../../../rules/phone/phone-text.ts';
import { normaliseStatus, type Outcome, outcomes } from '../../../voice/outcomes.ts';
import { wrong } from '../term.ts';

/** Reads and shows the delays after which people are tried again, by outcome: `no-answer=30m/2h/1d,busy=10m`. */
type Rules<Delay> = Record<string, Delay>;
/** What a rule is called, and how it is written. */
type RuleForm = { what: string; form: string };

const units: Record<string, number> = { d: 86_400, h: 3_600, m: 60, s: 1 };
const longest = 365 * 86_400;
const mostDelays = 100;
/** Outcomes after which the person's next number is tried: the ledger turns to it after the same ones. */
const nobodyReached: readonly Outcome[] = ['no-answer', 'busy', 'failed', 'voicemail'];
const retryRule: RuleForm = {
  what: 'The retry rule',
  form: 'Give an outcome and how long to wait after it; several waits are for the first, second and third time, for example no-answer=30m/2h/1d. The units are s, m, h and d.',
};
const nextRule: RuleForm = {
  what: 'The rule for the next number',
  form: 'Give an outcome and when the next number is tried after it: now, or a time such as 30m, for example no-answer=now,busy=30m.',
};

export function readRetry(input: string | Rules<string> | undefined): Rules<number[]> {
  return readRules(input, retryRule, (outcome, given) => {
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
        retryRule.form,
      );
    });
  });
}

/** How long to wait before a person's next number, by outcome: `no-answer=now,busy=30m`. */
export function readNextNumber(input: string | Rules<string> | undefined): Rules<number> {
  return readRules(input, nextRule, (outcome, given) => {
    if (!nobodyReached.includes(outcome)) {
      throw wrong(
        `The rule for the next number names ${outcome}, after which no other number is tried`,
        `It is for ${nobodyReached.join(', ')}.`,
      );
    }
    const seconds = given.trim().toLowerCase() === 'now' ? 0 : readSpan(given);
    if (seconds !== null) return seconds;
    throw wrong(`The rule for the next number has the time ${quote(given)} for ${outcome}`, nextRule.form);
  });
}

function readRules<Delay>(
  input: string | Rules<string> | undefined,
  { what, form }: RuleForm,
  readDelay: (outcome: Outcome, given: string) => Delay,
): Rules<Delay> {
  const pairs = typeof input === 'string' ? splitRule(input, what, form) : Object.entries(input ?? {});
  const rules: Rules<Delay> = {};
  for (const [name, given] of pairs) {
    const outcome = readOutcome(name, `${what} names`);
    if (outcome in rules) throw wrong(`${what} names ${outcome} twice`, 'Name each outcome once.');
    rules[outcome] = readDelay(outcome, given);
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

/** `90s`, `30m`, `2h`, `1d` in seconds; null for anything else. */
export function readSpan(given: string): number | null {
  const match = /^(\d{1,9})\s*([smhd])$/i.exec(given.trim());
  const value = match ? Number(match[1]) * units[match[2]!.toLowerCase()]! : 0;
  return value >= 1 && value <= longest ? value : null;
}

/** The rules as an order takes them. */
export function rulesText(rules: Readonly<Rules<number | readonly number[]>>): Rules<string> {
  return Object.fromEntries(
    Object.entries(rules).map(([name, delays]) => [
      name,
      [delays]
        .flat()
        .map((seconds) => (seconds === 0 ? 'now' : shortSpan(seconds)))
        .join('/'),
    ]),
  );
}

/** The rules for a person: `no-answer after 30 min, then 2 h`. */
export function rulesWords(rules: Readonly<Rules<number | readonly number[]>>): string[] {
  return Object.entries(rules).map(([outcome, delays]) =>
    delays === 0
      ? `${outcome} at once`
      : `${outcome} after ${[delays].flat().map(spanWords).join(', then ')}`,
  );
}

function spanWords(seconds: number): string {
  const [n, unit] = spanIn(seconds);
  return unit === 'd' ? `${n} ${n === 1 ? 'day' : 'days'}` : `${n} ${unit === 'm' ? 'min' : unit}`;
}

/** The span in the largest unit that divides it. */
export const shortSpan = (seconds: number) => spanIn(seconds).join('');

function spanIn(seconds: number): [n: number, unit: string] {
  const [unit, size] = Object.entries(units).find(([, each]) => seconds % each === 0)!;
  return [seconds / size, unit];
}
