import { z } from 'zod';
import { type OnUnknown, onUnknowns } from '../../../rules/order.ts';
import { quote } from '../../../rules/phone/phone-text.ts';
import { type RetryWhen, retryTimes } from '../../../rules/retry.ts';
import { text } from '../../input.ts';
import { flags, numeral, readNumber, term, wrong } from '../term.ts';
import { readRetry, retryText, retryWords } from './retry-text.ts';

/** How often a person is tried, after which outcomes, what to do about unknown calls, and how late results may be. */
const unitsOfDelay: Record<string, number> = { s: 1, m: 60 };

export const tries = {
  maxAttempts: term({
    fields: {
      max_attempts: numeral().register(flags, {
        flag: '--max-attempts <n>',
        help: 'attempts per person (default: 1)',
      }),
    },
    read: ({ max_attempts }) => readNumber('maximum of attempts', max_attempts, 100) ?? 1,
    answer: { max_attempts: z.int() },
    show: (maxAttempts) => ({ max_attempts: maxAttempts }),
    tell(maxAttempts, { retry }) {
      const rules = retryWords(retry);
      return maxAttempts === 1 || rules.length === 0
        ? 'one attempt, no retry'
        : `up to ${maxAttempts} attempts: ${rules.join(', ')}`;
    },
  }),

  retry: term({
    fields: {
      retry: z.union([text(2_000), z.record(z.string(), text(1_000))]).register(flags, {
        flag: '--retry <rules>',
        help: 'when to try again, by outcome, such as no-answer=30m/2h/1d,busy=10m (default: never)',
      }),
    },
    read: ({ retry }) => readRetry(retry),
    answer: { retry: z.record(z.string(), z.string()) },
    show: (retry) => ({ retry: retryText(retry) }),
  }),

  retryWhen: term({
    fields: {
      retry_when: text(20).register(flags, {
        flag: '--retry-when <when>',
        help: 'same, or spread: try again in another part of the person’s day (default: same)',
        values: retryTimes,
      }),
    },
    read: ({ retry_when }) => readWhen(retry_when),
    answer: { retry_when: z.enum(retryTimes) },
    show: (retryWhen) => ({ retry_when: retryWhen }),
    tell: (retryWhen, order) =>
      retryWhen === 'spread' && retries(order) ? 'tried again in another part of the day' : null,
  }),

  retryFirst: term({
    fields: {
      retry_first: z.boolean().register(flags, {
        flag: '--retry-first',
        help: 'people who are due again go before those who were never called (default: they take turns)',
      }),
    },
    read: ({ retry_first }) => retry_first ?? false,
    answer: { retry_first: z.boolean() },
    show: (retryFirst) => ({ retry_first: retryFirst }),
    tell: (retryFirst, order) => (retryFirst && retries(order) ? 'retries first' : null),
  }),

  onUnknown: term({
    fields: {
      on_unknown: text(20).register(flags, {
        flag: '--on-unknown <what>',
        help: 'what to do when a call’s outcome is unknown: hold, or redial once (may call twice) (default: hold)',
        values: onUnknowns,
      }),
    },
    read: ({ on_unknown }) => readOnUnknown(on_unknown),
    answer: { on_unknown: z.enum(onUnknowns) },
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
    answer: { result_delay: z.string().nullable() },
    show: (resultDelay) => ({ result_delay: resultDelay === null ? null : `${resultDelay}s` }),
    tell: (resultDelay) =>
      resultDelay === null ? null : `results up to ${resultDelay} s later to save requests`,
  }),
};

function retries({ maxAttempts, retry }: { maxAttempts: number; retry: object }): boolean {
  return maxAttempts > 1 && Object.keys(retry).length > 0;
}

function readWhen(given: string | undefined): RetryWhen {
  if (given === undefined || given === 'same' || given === 'spread') return given ?? 'same';
  throw wrong(
    `The time of the next attempt is not valid: ${quote(given)}`,
    'Give same (at the time that the retry rule says) or spread (in another part of the person’s day).',
  );
}

function readDelay(given: string | undefined): number | null {
  if (given === undefined) return null;
  const [, digits, unit] = /^(\d{1,4}(?:\.\d{1,3})?)(s|m)?$/.exec(given.trim()) ?? [];
  const seconds = Number(digits) * unitsOfDelay[unit ?? 's']!;
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
