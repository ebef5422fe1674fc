import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { numberRests } from '../../ledger/caller-numbers/caller-numbers.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import type { ServiceAccess } from '../service/access.ts';
import { listNumbers } from '../service/account.ts';

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
