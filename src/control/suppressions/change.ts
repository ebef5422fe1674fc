import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { csvLine } from '../../export/csv.ts';
import { type Target, writeLines } from '../../export/target.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type NewSuppression,
  type Suppression,
  type SuppressionSource,
  type SuppressionsAdded,
  suppressionSources,
} from '../../ledger/suppressions/suppressions.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { claim, keptDays, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { country, read, text } from '../requests/input.ts';
import { allItems, type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { readEnd } from '../requests/time-range.ts';
import { awaitLastSends, type HangUpWait, hungUpShape, type LastSendsDeps } from '../stopping/hang-ups.ts';

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

/** The phones that must not be called: searched, and written to a file. */
const shownSuppression = z
  .object({
    phone: z.string(),
    name: z.string().nullable().describe('Of the person whom a list has with this phone, the latest one.'),
    source: z.enum(suppressionSources),
    campaign: z.string().nullable().describe('Null is every campaign.'),
    until: z.date().nullable().describe('Null is for ever.'),
    reason: z.string().nullable(),
    created_at: z.date(),
  })
  .meta({ id: 'Suppression' });

const namelessSuppression = shownSuppression.omit({ name: true });

export type ShownSuppression = z.output<typeof shownSuppression>;
export const suppressionsAnswer = pageOf(shownSuppression);

const onePhone = text(64);
export const suppressionsQuery = z.strictObject({
  ...pageInput,
  phone: z.union([onePhone, z.array(onePhone).min(1).max(1_000)]).optional(),
  source: z.enum(suppressionSources).optional(),
  campaign: text(300).optional(),
  country: country.optional(),
});

/** The list also has suppressions that have ended. */
export async function listSuppressions(ledger: Ledger, input: unknown): Promise<Page<ShownSuppression>> {
  const { items, next } = await readList(ledger, input);
  const names = await ledger.suppressions.names(items.map(({ phone }) => phone));
  return { items: items.map((each) => ({ ...each, name: names.get(each.phone) ?? null })), next };
}

async function readList(ledger: Ledger, input: unknown): Promise<Page<Omit<ShownSuppression, 'name'>>> {
  const wanted = read(suppressionsQuery, input);
  const filter = {
    phones: wanted.phone === undefined ? null : readPhones([wanted.phone].flat(), wanted.country),
    source: wanted.source ?? null,
    campaignId: await scopeOf(ledger, wanted.campaign),
  };
  return readPage(
    wanted,
    {
      schema: z.tuple([text(20), z.uuid()]),
      of: ({ phone, scope }: Suppression) => [phone, scope],
    },
    (after, most) =>
      ledger.suppressions.page({ phone: after?.[0] ?? '', scope: after?.[1] ?? first }, most, filter),
    (row: Suppression) => shownAs(namelessSuppression, row, {}),
  );
}

/** Sorts before every scope. */
const first = '00000000-0000-0000-0000-000000000000';

/** The columns of an exported list, which an import of it reads again. */
const listColumns = ['phone', 'reason', 'until', 'source', 'only_campaign'] as const;

/** Writes the whole list as CSV; returns how many lines. */
export function exportSuppressions(ledger: Ledger, target: Target): Promise<number> {
  const pages = allItems((cursor) => readList(ledger, { cursor, limit: 1_000 }));
  return writeLines(target, csvLine(listColumns), pages, ({ phone, reason, until, source, campaign }) =>
    csvLine([phone, reason, until, source, campaign]),
  );
}
