import { z } from 'zod';
import type { OnUnknown } from '../../../rules/order.ts';
import { quote } from '../../../rules/phone/phone-text.ts';
import { normaliseStatus, type Outcome, outcomes } from '../../../voice/outcomes.ts';
import { text } from '../../input.ts';
import { flags, numeral, readNumber, term, wrong } from '../term.ts';

/** How often a person is tried, after which outcomes, what to do about unknown calls, and how late results may be. */
const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const longestRetry = 365 * 86_400;
const retryForm = 'Give an outcome and a time, for example no-answer=30m; the units are s, m, h and d.';

export const tries = {
  maxAttempts: term({
    fields: {
      max_attempts: numeral().register(flags, {
        flag: '--max-attempts <n>',
        help: 'attempts per person (default: 1)',
      }),
    },
    read: ({ max_attempts }) => readNumber('maximum of attempts', max_attempts, 100) ?? 1,
    show: (maxAttempts) => ({ max_attempts: maxAttempts }),
    tell(maxAttempts, { retry }) {
      const rules = Object.entries(retry).map(([outcome, seconds]) => `${outcome} after ${span(seconds)}`);
      return maxAttempts === 1 || rules.length === 0
        ? 'one attempt, no retry'
        : `up to ${maxAttempts} attempts: ${rules.join(', ')}`;
    },
  }),

  retry: term({
    fields: {
      retry: z.union([text(500), z.record(z.string(), text(20))]).register(flags, {
        flag: '--retry <rules>',
        help: 'when to try again, by outcome, such as no-answer=30m,busy=10m (default: never)',
      }),
    },
    read: ({ retry }) => readRetry(retry),
    show: (retry) => ({
      retry: Object.fromEntries(Object.entries(retry).map(([name, seconds]) => [name, shortSpan(seconds)])),
    }),
  }),

  onUnknown: term({
    fields: {
      on_unknown: text(20).register(flags, {
        flag: '--on-unknown <what>',
        help: 'what to do when a call’s outcome is unknown: hold, or redial once (may call twice) (default: hold)',
      }),
    },
    read: ({ on_unknown }) => readOnUnknown(on_unknown),
    show: (onUnknown) => ({ on_unknown: onUnknown }),
    tell: (onUnknown) => (onUnknown === 'redial' ? 'unknown calls are redialled once' : null),
  }),

  resultDelay: term({
    fields: {
      result_delay: text(20).register(flags, {
        flag: '--result-delay <time>',
        help: 'accept results this much later to save a status request (default: 3s)',
      }),
    },
    read: ({ result_delay }) => readDelay(result_delay),
    show: (resultDelay) => ({ result_delay: resultDelay === null ? null : `${resultDelay}s` }),
    tell: (resultDelay) =>
      resultDelay === null ? null : `results up to ${resultDelay} s later to save requests`,
  }),
};

function readDelay(given: string | undefined): number | null {
  if (given === undefined) return null;
  const [, digits, unit] = /^(\d{1,4}(?:\.\d{1,3})?)(s|m)?$/.exec(given.trim()) ?? [];
  const seconds = Number(digits) * units[unit ?? 's']!;
  if (seconds >= 0.1 && seconds <= 600) return seconds;
  throw wrong(
    `The result delay ${quote(given)} must be between 0.1s and 10m`,
    'Give how much later a result may arrive to save a request, for example 4s.',
  );
}

function readOnUnknown(given: string | undefined): OnUnknown {
  if (given === undefined || given === 'hold' || given === 'redial') return given ?? 'hold';
  throw wrong(
    `The rule for unknown attempts is not valid: ${quote(given)}`,
    'Give hold (a person decides) or redial (call again once, at the risk of a second call).',
  );
}

function readRetry(input: string | Record<string, string> | undefined): Record<string, number> {
  const pairs = typeof input === 'string' ? splitRetry(input) : Object.entries(input ?? {});
  const rules: Record<string, number> = {};
  for (const [name, given] of pairs) {
    const outcome = normaliseStatus(name) as Outcome;
    if (!outcomes.includes(outcome)) {
      throw wrong(
        `The retry rule names ${quote(name)}, which is not an outcome`,
        `The outcomes are ${outcomes.join(', ')}.`,
      );
    }
    if (outcome in rules) throw wrong(`The retry rule names ${outcome} twice`, 'Name each outcome once.');
    rules[outcome] = readSpan(outcome, given);
  }
  return rules;
}

function splitRetry(given: string): [string, string][] {
  const parts = given.split(',').filter((part) => part.trim());
  if (parts.length === 0) throw wrong('The retry rule is empty', retryForm);
  return parts.map((part) => {
    const [name, time, more] = part.split('=');
    if (!name || time === undefined || more !== undefined) {
      throw wrong(`The retry rule ${quote(part)} is not understood`, retryForm);
    }
    return [name, time];
  });
}

function readSpan(outcome: Outcome, given: string): number {
  const match = /^(\d{1,9})\s*([smhd])$/i.exec(given.trim());
  const value = match ? Number(match[1]) * units[match[2]!.toLowerCase()]! : 0;
  if (value >= 1 && value <= longestRetry) return value;
  throw wrong(
    `The retry rule for ${outcome} has the time ${quote(given)}, which must be between 1s and 365d`,
    retryForm,
  );
}

function span(total: number): string {
  if (total % 86_400 === 0) return total === 86_400 ? '1 day' : `${total / 86_400} days`;
  if (total % 3_600 === 0) return `${total / 3_600} h`;
  if (total % 60 === 0) return `${total / 60} min`;
  return `${total} s`;
}

/** In the largest unit that divides it, as an order takes it. */
function shortSpan(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
