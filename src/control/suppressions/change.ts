import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type {
  NewSuppression,
  SuppressionSource,
  SuppressionsAdded,
} from '../../ledger/suppressions/suppressions.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { readUntil } from '../../rules/time/instant.ts';
import { claim, keptDays, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { country, read, text } from '../requests/input.ts';
import { type HangUpWait, hungUpShape } from '../stopping/hang-ups.ts';
import { awaitLastSends, type LastSendsDeps } from '../stopping/last-sends.ts';

/** Puts phones on the list of those that must not be called, and takes them off it. */
export const phones = z.array(text(64)).min(1).max(10_000);
export const suppressInput = z.strictObject({
  phones,
  campaign: text(300).optional(),
  until: text(100).optional().describe('A time, a date or a span such as `30d`; for ever without it.'),
  reason: text(500).optional(),
  hang_up: z.boolean().optional(),
  source: z.enum(['api', 'manual']).optional().describe('`manual`: a person decided it, not a program.'),
  all_numbers: z
    .boolean()
    .optional()
    .describe('Also the other numbers of the people who have one of these phones.'),
  country: country.optional(),
});
export const unsuppressInput = z.strictObject({
  phones,
  campaign: text(300).optional(),
  country: country.optional(),
});

export type SuppressDeps = LastSendsDeps & { clock: { now(): number } };

export const suppressedAnswer = z.object({
  phones: z.int(),
  added: z.int(),
  known: z.int().describe('Phones that were already on the list.'),
  skipped: z.int().describe('Rows that waited and will not be called.'),
  hang_ups: hungUpShape.optional().describe('Only if calls in progress were to be hung up.'),
});
export const unsuppressedAnswer = z.object({ phones: z.int(), removed: z.int(), unknown: z.int() });

export type Suppressed = z.output<typeof suppressedAnswer>;
type Unsuppressed = z.output<typeof unsuppressedAnswer>;

type SuppressMade = SuppressionsAdded & { phones: number };

/** When it answers, no more calls to these phones begin: from any campaign, or from the one that is named. */
export async function suppress(
  deps: SuppressDeps,
  body: unknown,
  door: SuppressionSource,
  hangUp: HangUpWait,
  key?: unknown,
): Promise<Once<Suppressed>> {
  const { ledger, clock } = deps;
  const wanted = read(suppressInput, body);
  const given = readPhones(wanted.phones, wanted.country);
  const numbers = wanted.all_numbers ? await ledger.suppressions.allNumbers(given) : given;
  const scope = await scopeOf(ledger, wanted.campaign);
  const { hang_up = false, source = door } = wanted;
  const request = readKeyed(['suppress'], key, { ...wanted, phones: numbers, campaign: scope });
  const finish = async ({ phones, added, skipped, calls }: SuppressMade): Promise<Suppressed> => {
    const quiet = awaitLastSends(deps, { phones: numbers, campaigns: scope === null ? null : [scope] });
    const [hungUp] = await Promise.all([hang_up && hangUp(calls), quiet]);
    const done = { phones, added, known: phones - added, skipped };
    return hungUp ? { ...done, hang_ups: hungUp } : done;
  };
  return once<Suppressed, SuppressMade>(ledger, request, {
    again: finish,
    async act() {
      const until = wanted.until === undefined ? null : readEnd(wanted.until, clock.now());
      const reason = wanted.reason ?? null;
      const entries = numbers.map((phone): NewSuppression => ({ phone, source, reason, until }));
      const made = await ledger.together(async ({ suppressions, activity, idempotency }) => {
        await claim(idempotency, request);
        const told = await suppressions.add(entries, scope, hang_up);
        const { added, skipped } = told;
        const after = { ...phonesOf(numbers), source, added, skipped, until, hang_up };
        await activity.record({ verb: 'suppression.add', ...subjectOf(numbers), campaign: scope, after });
        const made = { ...told, phones: numbers.length } satisfies SuppressMade;
        if (request) await idempotency.keep(request, made, keptDays);
        return made;
      }, 'long');
      return finish(made);
    },
  });
}

/** Rows that were skipped stay skipped. */
export async function unsuppress({ ledger }: { ledger: Ledger }, body: unknown): Promise<Unsuppressed> {
  const wanted = read(unsuppressInput, body);
  const numbers = readPhones(wanted.phones, wanted.country);
  const scope = await scopeOf(ledger, wanted.campaign);
  const removed = await ledger.together(async ({ suppressions, activity }) => {
    const removed = await suppressions.remove(numbers, scope);
    const before = { ...phonesOf(numbers), removed };
    const subject = subjectOf(numbers);
    if (removed > 0)
      await activity.record({ verb: 'suppression.remove', ...subject, campaign: scope, before });
    return removed;
  });
  return { phones: numbers.length, removed, unknown: numbers.length - removed };
}

/** How many the activity names, masked. */
const mostNamed = 20;
const phonesOf = (numbers: readonly string[]) => ({
  count: numbers.length,
  phones: numbers.slice(0, mostNamed),
});
const subjectOf = (numbers: readonly string[]) => ({ subject: numbers.length === 1 ? numbers[0]! : null });

/** The id of the campaign that may not call them; null is every campaign. */
export async function scopeOf(ledger: Ledger, campaign: string | undefined): Promise<string | null> {
  return campaign === undefined ? null : (await ledger.campaigns.get(campaign)).id;
}

/** All or none: if one is wrong, the list may not be what was meant. */
export function readPhones(texts: readonly string[], where: string | undefined): string[] {
  const numbers = texts.map((given) => {
    const reading = readPhone(given, where);
    if (reading.ok) return reading.phone;
    throw new CarillonError('request-invalid', `The phone number ${reading.reason}`, {
      remedy:
        'Nothing was changed. Write each number with its "+" and country code, for example +14155550123.',
    });
  });
  return [...new Set(numbers)];
}

export function readEnd(given: string, now: number): Date {
  const at = readUntil(given, now);
  if (at === null) {
    throw new CarillonError('request-invalid', `The end "${given}" is neither a time nor a span`, {
      remedy: 'Nothing was changed. Give a time such as 2027-03-31T18:00:00Z, a date, or a span such as 30d.',
    });
  }
  if (at > now) return new Date(at);
  throw new CarillonError('request-invalid', `The end "${given}" has passed`, {
    remedy: 'Nothing was changed. Give a time in the future, or leave it out for ever.',
  });
}
