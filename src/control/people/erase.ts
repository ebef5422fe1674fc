import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { finishErasure } from '../../dispatch/sweep.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readAnyPhone } from '../../rules/phone/readings.ts';
import { claim, keptDays, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { country, read, text } from '../requests/input.ts';
import { queryFor } from './find.ts';

/**
 * Erases one person from every campaign, or takes that back. The row's counts stay; the person's data is removed. A
 * keyed hash of the phone remains, so that imports, single calls and the fence know whom not to call.
 */
export const eraseInput = z.strictObject({
  phone: text(300).describe('The phone in any form, or the id of one of the person’s calls or attempts.'),
  country: country.optional().describe('The country of a number in national form: `US`.'),
  lift: z
    .boolean()
    .optional()
    .describe('Takes the erasure back: the person may be called again. The erased data stays erased.'),
});

export const erasedAnswer = z
  .object({
    people: z.int().describe('Rows that were erased now.'),
    campaigns: z.int().describe('How many campaigns the person is on.'),
    pending: z
      .object({
        attempts: z
          .int()
          .describe('Attempts that have not ended: they are hung up, or followed to their end.'),
        until: z.date().nullable().describe('The time by which they are over.'),
      })
      .nullable()
      .describe('Data that the background workers erase later; null when all is erased.'),
    lifted: z.boolean().describe('Whether an erasure was taken back.'),
  })
  .meta({ id: 'Erased' });
export type ErasedPerson = z.output<typeof erasedAnswer>;

type EraseDeps = {
  ledger: Ledger;
  clock: { sleep(ms: number): Promise<void>; monotonic(): number };
};

/** Other transactions end in a moment; a long import does not, so the workers do the rest. */
const patienceMs = 1_000;
const lookMs = 20;

export async function erasePerson(
  deps: EraseDeps,
  body: unknown,
  key?: unknown,
): Promise<Once<ErasedPerson>> {
  const { ledger } = deps;
  const wanted = read(eraseInput, body);
  const request = readKeyed(['erase'], key, {
    ...wanted,
    // A digest of a bare number could be found by trying all of them.
    phone: ledger.erasures.keyOf(wanted.phone),
  });
  return once<ErasedPerson, ErasedPerson>(ledger, request, {
    async again(made) {
      const until = made.pending?.until ?? null;
      const pending = made.pending && { ...made.pending, until: until && new Date(until) };
      const told = { ...made, pending };
      // An erased person can no longer be found by the id of a call.
      const phones = await phonesOf(ledger, wanted).catch(() => []);
      if (!wanted.lift && phones.length > 0) await finish(deps, phones, told);
      return told;
    },
    async act() {
      const phones = await phonesOf(ledger, wanted);
      const others: string[] = [];
      const answer = await ledger.together(async ({ erasures, activity, idempotency }) => {
        await claim(idempotency, request);
        const told = nothing();
        for (const phone of phones) {
          if (wanted.lift) {
            told.lifted = (await erasures.lift(phone)) || told.lifted;
            continue;
          }
          const more = await erasures.ownNumbers(phone);
          add(told, await erasures.erase(phone));
          // The person must not be called on another number either. Their rows are counted already.
          for (const other of more) await erasures.erase(other, phone);
          others.push(...more);
        }
        // Nobody is named: the record would keep the phone that was erased.
        if (told.lifted) await activity.record({ verb: 'person.lift', after: { lifted: true } });
        if (!wanted.lift) {
          const after = { people: told.people, campaigns: told.campaigns };
          await activity.record({ verb: 'person.erase', after });
        }
        if (request) await idempotency.keep(request, told, keptDays);
        return told;
      });
      if (!wanted.lift) await finish(deps, [...phones, ...others], answer);
      return answer;
    },
  });
}

/** Counts what would be erased, before a person is asked. */
export async function countErased(
  ledger: Ledger,
  body: unknown,
): Promise<{ people: number; campaigns: number }> {
  const phones = await phonesOf(ledger, read(eraseInput, body));
  const found = { people: 0, campaigns: 0 };
  for (const phone of phones) {
    const { people, campaigns } = await ledger.erasures.placesOf(phone);
    found.people += people;
    found.campaigns = Math.max(found.campaigns, campaigns);
  }
  return found;
}

/** A call to an erased person is refused before anything is stored. */
export async function refuseErased({ erasures }: Pick<Ledger, 'erasures'>, phone: string): Promise<void> {
  if ((await erasures.among([phone])).size > 0) throw new CarillonError('phone-erased');
}

/**
 * A number that several countries could have written is several phones: the one that the ledger knows is meant, if it
 * is the only one. An unknown phone is erased ahead of time.
 */
async function phonesOf(
  ledger: Ledger,
  { phone, country: where }: z.output<typeof eraseInput>,
): Promise<string[]> {
  const reading = readAnyPhone(phone, where);
  const found = await queryFor(ledger, phone, where);
  const phones = found && 'phone' in found ? found.phone : 'phones' in reading ? reading.phones : [];
  if (phones.length === 1) return phones;
  if (phones.length > 1) {
    const known: string[] = [];
    for (const each of phones) if ((await ledger.erasures.placesOf(each)).people > 0) known.push(each);
    if (known.length === 1) return known;
    throw new CarillonError('request-invalid', 'phone: may be the number of more than one person', {
      remedy: 'Nothing was erased. Write the number with its "+" and country code, or name the country.',
    });
  }
  throw new CarillonError('request-invalid', 'phone: is neither a phone number nor the id of a known call', {
    remedy: 'Nothing was erased. Write the number with its "+" and country code, for example +14155550123.',
  });
}

async function finish({ ledger, clock }: EraseDeps, phones: string[], told: ErasedPerson): Promise<void> {
  const end = clock.monotonic() + patienceMs;
  for (const phone of phones) {
    while (!(await finishErasure(ledger.erasures, phone))) {
      told.pending ??= { attempts: 0, until: null };
      if (told.pending.attempts > 0 || clock.monotonic() > end) return;
      await clock.sleep(lookMs);
    }
  }
  told.pending = null;
}

function nothing(): ErasedPerson {
  return { people: 0, campaigns: 0, pending: null, lifted: false };
}

function add(
  told: ErasedPerson,
  { people, campaigns, live, until }: { people: number; campaigns: number; live: number; until: Date | null },
): void {
  told.people += people;
  told.campaigns = Math.max(told.campaigns, campaigns);
  if (live > 0) told.pending = { attempts: (told.pending?.attempts ?? 0) + live, until };
}
