import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { numberRests } from '../../ledger/caller-numbers/caller-numbers.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { wholeOf } from '../requests/page.ts';
import type { ServiceAccess } from '../service/access.ts';
import { failedKeys, listNumbers } from '../service/account.ts';

/** The numbers of the keys' accounts, with their calls over all campaigns, and which of them rest. */
export const restShape = {
  rest: z
    .enum(numberRests)
    .nullable()
    .describe(
      'Why it rests: `hand` (a person said so), `answers` (people answer it less), `short` (its calls turned short).',
    ),
  rested_at: z.date().nullable(),
  returns_at: z.date().nullable().describe('When it returns by itself; null where a person returns it.'),
  sure: z
    .number()
    .nullable()
    .describe('How sure it is, from 0 to 1, that a number that rests by its answers has turned.'),
};
const number = z
  .looseObject({
    key: z.string(),
    id: z.string(),
    phone_number: z.string(),
    at_once: z.int().describe('Calls in progress, over all campaigns.'),
    calls_24h: z.int().describe('Calls of the last 24 hours that may have rung.'),
    calls: z.int().describe('Calls that have ended.'),
    answer_rate: z
      .number()
      .nullable()
      .describe('Of its last calls, a few thousand at most: how many were answered. Null without any.'),
    short_rate: z
      .number()
      .nullable()
      .describe('Of the answered ones among them: how many were short. Null without any.'),
    ...restShape,
  })
  .describe(
    'The service’s own record of the number, with the key that sees it and what is known of its calls.',
  );
export const numbersAnswer = wholeOf(number).extend({ failed: failedKeys });
type ShownNumbers = z.output<typeof numbersAnswer>;
export type ShownNumber = ShownNumbers['items'][number];

export async function showNumbers(service: ServiceAccess): Promise<ShownNumbers> {
  const { items, failed } = await listNumbers(service);
  const lines = await service.ledger.callerNumbers.list(items.map(({ id }) => id));
  return {
    items: items.map(({ key, ...record }, nth) => {
      const { live, today, calls, lately, short, rest, restedAt, returnsAt, sure } = lines[nth]!;
      const isTurned = rest === 'answers' || rest === 'short';
      return {
        key,
        ...record,
        at_once: live,
        calls_24h: today,
        calls,
        answer_rate: lately,
        short_rate: short,
        rest,
        rested_at: restedAt,
        returns_at: returnsAt,
        sure: isTurned ? sure : null,
      };
    }),
    next: null,
    failed,
  };
}

/** A person rests a caller number, or returns one that rests. Each may be repeated. */
export const restedAnswer = z.object({
  phone_number: z.string().describe('E.164, or its id where it has no phone.'),
  was: z.enum(numberRests).nullable().describe('Why it rested before; null if it did not.'),
  rest: z.literal('hand').nullable(),
});
type Rested = z.output<typeof restedAnswer>;

/** No campaign calls from it until a person returns it. */
export const restNumber = (service: ServiceAccess, named: string) => setRest(service, named, 'hand');

/** Whatever it rested for: it calls at once, and what spoke against it is forgotten. */
export const returnNumber = (service: ServiceAccess, named: string) => setRest(service, named, null);

async function setRest(service: ServiceAccess, named: string, rest: 'hand' | null): Promise<Rested> {
  const reading = readPhone(named);
  const name = reading.ok ? reading.phone : named.trim();
  const set = () =>
    service.ledger.together(async ({ callerNumbers, activity }) => {
      const done = await callerNumbers.rest(name, rest);
      if (done && done.was !== rest) {
        const change = { before: { rest: done.was }, after: { rest } };
        const verb = rest === null ? 'number.return' : 'number.rest';
        await activity.record({ verb, subject: done.name, ...change });
      }
      return done;
    });
  let done = await set();
  if (done === null) {
    // No list was read yet, or it was rented since.
    await listNumbers(service);
    done = await set();
  }
  if (done === null) throw new CarillonError('number-unknown', `The caller number ${named} was not found`);
  return { phone_number: done.name, was: done.was, rest };
}
