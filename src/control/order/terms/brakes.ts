import { z } from 'zod';
import type { StopAt } from '../../../rules/order.ts';
import { quote } from '../../../rules/phone/phone-text.ts';
import { text } from '../../input.ts';
import { flags, numeral, readNumber, term, wrong } from '../term.ts';
import { readSpan, shortSpan } from './retry-text.ts';

/** When a campaign pauses by itself, and when one that is done continues. */
const leastSeconds = 10;
const mostSeconds = 3_600;

export const brakes = {
  first: term({
    fields: {
      first: numeral().register(flags, {
        flag: '--first <n>',
        help: 'call this many people, then pause until the campaign is resumed (default: call everyone)',
      }),
    },
    read: ({ first }) => readNumber('number of people to call first', first, 10_000),
    answer: { first: z.int().nullable() },
    show: (first) => ({ first }),
    tell: (first) =>
      first === null ? null : `the first ${first === 1 ? 'person' : `${first} people`}, then a pause`,
  }),

  evergreen: term({
    fields: {
      evergreen: z.boolean().register(flags, {
        flag: '--evergreen',
        help: 'when the campaign is done, continue by itself as soon as people are added (default: wait to be started)',
      }),
    },
    read: ({ evergreen }) => evergreen ?? false,
    answer: { evergreen: z.boolean() },
    show: (evergreen) => ({ evergreen }),
    tell: (evergreen) => (evergreen ? 'people added later are called too' : null),
  }),

  stopAt: term({
    fields: {
      stop_at: text(40).register(flags, {
        flag: '--stop-at <share>',
        help: 'pause when this share of the calls of a time failed, such as 50%/2m (default: never)',
      }),
    },
    read: ({ stop_at }) => readStopAt(stop_at),
    answer: { stop_at: z.string().nullable() },
    show: (stopAt) => ({ stop_at: stopAt && `${stopAt.percent}%/${shortSpan(stopAt.seconds)}` }),
    tell: (stopAt) =>
      stopAt && `a pause when ${stopAt.percent}% of the calls in ${shortSpan(stopAt.seconds)} failed`,
  }),
};

function readStopAt(given: string | undefined): StopAt | null {
  if (given === undefined) return null;
  const [, share, time] = /^(\d{1,3}(?:\.\d{1,2})?)\s*%\s*\/(.*)$/.exec(given.trim()) ?? [];
  const percent = Number(share);
  const seconds = readSpan(time ?? '');
  const isTime = seconds !== null && seconds >= leastSeconds && seconds <= mostSeconds;
  if (percent > 0 && percent <= 100 && isTime) return { percent, seconds };
  throw wrong(
    `The share of failed calls at which to stop is not valid: ${quote(given)}`,
    'Give a share above 0% and up to 100%, and a time of 10s to 1h, for example 50%/2m.',
  );
}
