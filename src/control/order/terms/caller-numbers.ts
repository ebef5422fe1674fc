import { z } from 'zod';
import {
  type Caller,
  callerChoices,
  callerText,
  type ListedCallers,
  type Order,
} from '../../../rules/order.ts';
import { readPhone } from '../../../rules/phone/phone.ts';
import { quote } from '../../../rules/phone/phone-text.ts';
import { text } from '../../requests/input.ts';
import { choice, flags, limit, term, wrong } from '../term.ts';

/** The numbers that a campaign calls from, which of them calls a person, and how much each may call. */
/** Caller numbers to show; if there are more, the first three are shown. */
const mostTold = 6;

export const callerNumbers = {
  callers: term({
    fields: {
      from: z
        .array(text(300))
        .max(1_000)
        .register(flags, {
          flag: '--from <number>',
          help: 'caller number in E.164, or all, or a field of the list, as in label:sales; several take turns (default: the service chooses)',
          many: true,
          form: { kind: 'callers', label: 'Caller numbers', help: 'They take turns.' },
        }),
      number_ids: z
        .array(text(200))
        .max(1_000)
        .register(flags, {
          flag: '--number-id <id>',
          help: 'caller number by its id at the service; several take turns',
          many: true,
          form: { label: 'Caller numbers by id', help: 'Their ids at the service.', askedBy: 'from' },
        }),
    },
    read: ({ from = [], number_ids = [] }) => readCallers(from, number_ids),
    answer: { from: z.array(z.string()), number_ids: z.array(z.string()) },
    show: (callers) => ({
      from: callers.flatMap((each) => ('numberId' in each ? [] : [callerText(each)!])),
      number_ids: callers.flatMap((each) => ('numberId' in each ? [each.numberId] : [])),
    }),
    tell(callers) {
      const names = callers.map((each) => {
        if ('listed' in each)
          return each.listed === 'all' ? 'all listed numbers' : `numbers with ${each.listed}`;
        return 'number' in each ? each.number : `number id ${each.numberId}`;
      });
      if (names.length === 0) return 'from the number that the service chooses';
      const others = names.length > mostTold ? ` and ${names.length - 3} more` : '';
      return `from ${(others ? names.slice(0, 3) : names).join(', ')}${others}`;
    },
  }),

  caller: choice('caller', callerChoices, {
    flag: '--caller <how>',
    help: 'which number calls a person: rotate, local (from near the person) or sticky (the one the person knows) (default: rotate)',
    form: {
      label: 'Which number calls',
      choices: {
        rotate: 'They take turns',
        local: 'From near the person',
        sticky: 'The one the person knows',
      },
    },
    what: 'choice of the caller number',
    remedy:
      'Give rotate (they take turns), local (from near the person) or sticky (the one that the person knows).',
    tell(caller) {
      if (caller === 'rotate') return null;
      return caller === 'local' ? 'a number from near the person' : 'the number that the person knows';
    },
  }),

  perNumberCalls: limit('per_number_calls', {
    flag: '--per-number-calls <n>',
    help: 'calls at once from each caller number, over all campaigns (default: no limit)',
    form: { label: 'Calls at once per number' },
    what: 'maximum of calls at once per number',
    most: 100_000,
    tell: (most) => (most === null ? null : `at most ${most} at once from each number`),
  }),

  perNumberDay: limit('per_number_day', {
    flag: '--per-number-day <n>',
    help: 'calls in 24 hours from each caller number, over all campaigns (default: no limit)',
    form: { label: 'Calls in 24 hours per number', help: 'Over all campaigns.' },
    what: 'maximum of calls in 24 hours per number',
    most: 1_000_000,
    tell: (most) => (most === null ? null : `at most ${most} in 24 hours from each number`),
  }),
};

/** Says what has no meaning without caller numbers. */
export function checkPool({ callers, caller, perNumberCalls, perNumberDay }: Order): void {
  if (callers.length > 0) return;
  const [field, what] =
    perNumberCalls !== null
      ? ['per_number_calls', 'Calls at once per number are limited']
      : perNumberDay !== null
        ? ['per_number_day', 'Calls in 24 hours per number are limited']
        : caller !== 'rotate'
          ? ['caller', `The number is to be chosen by ${caller}`]
          : [null, ''];
  if (field === null) return;
  throw wrong(
    `${what}, but the service chooses the number`,
    'Name the numbers with --from +E164 or --from all, or `from` in a request.',
    field,
  );
}

/** A field of the service's list and its value. */
const fieldForm = /^[a-z_]\w{0,63}:\s*\S.*$/i;

function readCallers(numbers: readonly string[], ids: readonly string[]): (Caller | ListedCallers)[] {
  const found = new Map<string, Caller | ListedCallers>();
  for (const given of numbers) {
    const words = given.trim().toLowerCase();
    if (words === 'all' || fieldForm.test(words)) {
      const listed = words.replace(/:\s*/, ':');
      found.set(listed, { listed });
      continue;
    }
    const reading = readPhone(given);
    if (!reading.ok) {
      throw wrong(
        `The caller number ${quote(given)} is not a full international number`,
        'Write it with its "+" and country code, for example +14155550123; or give all, or a field that `carillon numbers` shows, such as label:sales.',
      );
    }
    found.set(reading.phone, { number: reading.phone });
  }
  for (const given of ids) {
    const numberId = given.trim();
    if (!numberId)
      throw wrong('A number id is empty', 'Give the id that the number has at the voice service.');
    found.set(`id ${numberId}`, { numberId });
  }
  return [...found.values()];
}
