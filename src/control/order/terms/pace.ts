import { z } from 'zod';
import { quote } from '../../../rules/phone/phone-text.ts';
import { text } from '../../requests/input.ts';
import { field, limit, numeral, readNumber, wrong } from '../term.ts';

/** How fast a campaign is dialled, relative to others, and how late its results may be. */
const unitsOfDelay: Record<string, number> = { s: 1, m: 60 };

export const pace = {
  maxCalls: limit('max_calls', {
    flag: '--max-calls <n>',
    help: 'calls at once for this campaign (default: no limit)',
    form: { label: 'Calls at once', help: 'For this campaign. The service’s own limit also applies.' },
    what: 'maximum of calls at once',
    most: 1_000_000,
    tell(maxCalls) {
      if (maxCalls === null) return null;
      return maxCalls === 1 ? 'one call at a time' : `at most ${maxCalls} calls at once`;
    },
  }),

  weight: field('weight', numeral(), {
    flag: '--weight <n>',
    help: 'share of the key relative to other campaigns, 1-100 (default: 1)',
    form: { label: 'Weight', help: 'Its share of the key relative to other campaigns, 1 to 100.' },
    read: (weight) => readNumber('weight', weight, 100) ?? 1,
    answer: z.int(),
    tell: (weight) => (weight === 1 ? null : `weight ${weight} on its keys`),
  }),

  resultDelay: field('result_delay', text(20), {
    flag: '--result-delay <time>',
    help: 'accept results this much later to save a status request (default: 3s)',
    form: { label: 'Result delay', help: 'How much later a result may arrive to save a request.' },
    read: (result_delay) => readDelay(result_delay),
    answer: z.string().nullable(),
    show: (resultDelay) => (resultDelay === null ? null : `${resultDelay}s`),
    tell: (resultDelay) =>
      resultDelay === null ? null : `results up to ${resultDelay} s later to save requests`,
  }),
};

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
