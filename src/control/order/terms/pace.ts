import { z } from 'zod';
import { flags, numeral, readNumber, term } from '../term.ts';

/** How fast a campaign is dialled, relative to others. */
export const pace = {
  maxCalls: term({
    fields: {
      max_calls: numeral().register(flags, {
        flag: '--max-calls <n>',
        help: 'calls at once for this campaign (default: no limit)',
      }),
    },
    read: ({ max_calls }) => readNumber('maximum of calls at once', max_calls, 1_000_000),
    answer: { max_calls: z.int().nullable() },
    show: (maxCalls) => ({ max_calls: maxCalls }),
    tell(maxCalls) {
      if (maxCalls === null) return null;
      return maxCalls === 1 ? 'one call at a time' : `at most ${maxCalls} calls at once`;
    },
  }),

  weight: term({
    fields: {
      weight: numeral().register(flags, {
        flag: '--weight <n>',
        help: 'share of the key relative to other campaigns, 1-100 (default: 1)',
      }),
    },
    read: ({ weight }) => readNumber('weight', weight, 100) ?? 1,
    answer: { weight: z.int() },
    show: (weight) => ({ weight }),
    tell: (weight) => (weight === 1 ? null : `weight ${weight} on its keys`),
  }),
};
