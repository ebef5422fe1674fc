import type { Readable } from 'node:stream';
import { z } from 'zod';
import { CarillonError } from '../base/errors.ts';
import { openCsv } from '../intake/csv.ts';
import { parseMap } from '../intake/options.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Suppression } from '../ledger/people/verbs.ts';
import { readPhone } from '../rules/phone/phone.ts';
import { country, read, text } from './input.ts';
import { type Page, pageInput, readPage } from './page.ts';

/** Phones that must not be called. It takes effect at once, in every campaign. */
const phones = z.array(text(64)).min(1).max(10_000);
const addInput = z.strictObject({ phones, reason: text(500).optional(), country: country.optional() });
const removeInput = z.strictObject({ phones, country: country.optional() });
const importInput = z.strictObject({
  reason: text(500).optional(),
  country: country.optional(),
  map: text(2_000).optional(),
});
const listInput = z.strictObject(pageInput);

export type ShownSuppression = { phone: string; reason: string | null; created_at: Date };
/** `known` were already on the list; `skipped` rows waited and will not be called. */
export type Suppressed = { phones: number; added: number; known: number; skipped: number };
export type Unsuppressed = { phones: number; removed: number; unknown: number };

export async function listSuppressions({ people }: Ledger, input: unknown): Promise<Page<ShownSuppression>> {
  return readPage(
    read(listInput, input),
    { schema: z.tuple([z.string().max(20)]), of: ({ phone }: Suppression) => [phone] },
    (after, most) => people.suppressions(after?.[0] ?? '', most),
    ({ phone, reason, createdAt }) => ({ phone, reason, created_at: createdAt }),
  );
}

export async function suppress({ people }: Ledger, body: unknown): Promise<Suppressed> {
  const wanted = read(addInput, body);
  const numbers = readPhones(wanted.phones, wanted.country);
  const { added, skipped } = await people.suppress(numbers, wanted.reason ?? null);
  return { phones: numbers.length, added, known: numbers.length - added, skipped };
}

/** Rows that were skipped stay skipped. */
export async function unsuppress({ people }: Ledger, body: unknown): Promise<Unsuppressed> {
  const wanted = read(removeInput, body);
  const numbers = readPhones(wanted.phones, wanted.country);
  const removed = await people.unsuppress(numbers);
  return { phones: numbers.length, removed, unknown: numbers.length - removed };
}

/** All or none: if one is wrong, the list may not be what was meant. */
function readPhones(texts: readonly string[], where: string | undefined): string[] {
  const numbers = texts.map((given, at) => {
    const reading = readPhone(given, where);
    if (reading.ok) return reading.phone;
    throw new CarillonError('request-invalid', `phones.${at}: ${reading.reason}`, {
      remedy:
        'Nothing was changed. Write each number with its "+" and country code, for example +14155550123.',
    });
  });
  return [...new Set(numbers)];
}

export type SuppressedFile = Suppressed & { rejected: number };

/** Every phone of a CSV file. An unreadable row may be someone who must not be called, so `refused` hears of each. */
export async function suppressFile(
  { people }: Ledger,
  source: { path: string } | { stream: Readable },
  input: unknown,
  refused: (row: number, reason: string) => void,
): Promise<SuppressedFile> {
  const wanted = read(importInput, input);
  const map = wanted.map === undefined ? undefined : parseMap(wanted.map);
  const intake = await openCsv(source, { country: wanted.country, map });
  const done = { phones: 0, added: 0, known: 0, skipped: 0, rejected: 0 };
  try {
    for await (const { accepted, rejected } of intake.batches) {
      for (const { row, reason } of rejected) {
        // A number that stands twice is not a fault here.
        if (reason.startsWith('duplicate of ')) continue;
        done.rejected += 1;
        refused(row, reason);
      }
      if (accepted.length === 0) continue;
      const { added, skipped } = await people.suppress(
        accepted.map((row) => row.phone),
        wanted.reason ?? null,
      );
      done.phones += accepted.length;
      done.added += added;
      done.known += accepted.length - added;
      done.skipped += skipped;
    }
  } finally {
    await intake.close();
  }
  return done;
}
