import { z } from 'zod';
import { retryTimes } from '../../../rules/retry.ts';
import { text } from '../../requests/input.ts';
import { choice, field, numeral, readNumber, toggle } from '../term.ts';
import { readNextNumber, readRetry, rulesText, rulesWords } from './retry-text.ts';

/** How often a person is tried, and after which outcomes. */
export const tries = {
  maxAttempts: field('max_attempts', numeral(), {
    flag: '--max-attempts <n>',
    help: 'attempts per person (default: 1)',
    form: {
      label: 'Attempts per person',
      help: 'With 1, nobody is called again. A higher number also retries people whose calls have ended.',
    },
    read: (max_attempts) => readNumber('maximum of attempts', max_attempts, 100) ?? 1,
    answer: z.int(),
    tell(maxAttempts, { retry, nextNumber = {} }) {
      const rules = rulesWords(retry);
      if (maxAttempts === 1 || rules.length + Object.keys(nextNumber).length === 0)
        return 'one attempt, no retry';
      return `up to ${maxAttempts} attempts${rules.length === 0 ? '' : `: ${rules.join(', ')}`}`;
    },
  }),

  retry: field('retry', z.union([text(2_000), z.record(z.string(), text(1_000))]), {
    flag: '--retry <rules>',
    help: 'when to try again, by outcome, such as no-answer=30m/2h/1d,busy=10m (default: never)',
    form: {
      kind: 'retry',
      label: 'After which outcomes',
      help: 'Such as no-answer=30m/2h/1d, busy=10m.',
    },
    read: (retry) => readRetry(retry),
    answer: z.record(z.string(), z.string()),
    show: (retry) => rulesText(retry),
  }),

  nextNumber: field('next_number', z.union([text(500), z.record(z.string(), text(100))]), {
    flag: '--next-number <rules>',
    help: 'when to try a person’s next phone number, such as no-answer=now,busy=30m (default: at the next attempt)',
    form: {
      label: 'When to try a person’s next number',
      help: 'For people with several: after a call that reached nobody, such as no-answer=now,busy=30m. Each call counts as an attempt.',
    },
    read: (next_number) => readNextNumber(next_number),
    answer: z.record(z.string(), z.string()),
    show: (nextNumber) => rulesText(nextNumber),
    tell(nextNumber) {
      const rules = rulesWords(nextNumber);
      return rules.length === 0 ? null : `a person’s next number: ${rules.join(', ')}`;
    },
  }),

  retryWhen: choice('retry_when', retryTimes, {
    flag: '--retry-when <when>',
    help: 'same, or spread: try again in another part of the person’s day (default: same)',
    form: {
      label: 'When to try again',
      choices: { same: 'When the rule says', spread: 'In another part of the day' },
    },
    what: 'time of the next attempt',
    remedy:
      'Give same (at the time that the retry rule says) or spread (in another part of the person’s day).',
    tell: (retryWhen, order) =>
      retryWhen === 'spread' && retries(order) ? 'tried again in another part of the day' : null,
  }),

  retryFirst: toggle('retry_first', {
    flag: '--retry-first',
    help: 'call people who are due again before those who were never called (default: they take turns)',
    form: {
      label: 'People who are due again go first',
      help: 'Otherwise they take turns with people who were never called.',
    },
    tell: (retryFirst, order) => (retryFirst && retries(order) ? 'retries first' : null),
  }),
};

function retries({ maxAttempts, retry }: { maxAttempts: number; retry: object }): boolean {
  return maxAttempts > 1 && Object.keys(retry).length > 0;
}
