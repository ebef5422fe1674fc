import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Change } from '../../ledger/activity/activity.ts';
import { type BulkPerson, type BulkVerb, bulkVerbs, type NewBulkAct } from '../../ledger/bulk/bulk.ts';
import { isErased } from '../../ledger/erasures/erasures.ts';
import type { KeyedRequest } from '../../ledger/idempotency/idempotency.ts';
import type { Ledger, Together } from '../../ledger/ledger.ts';
import type { PeopleFilter } from '../../ledger/search/search.ts';
import { filterShape, findFilter, isWhole } from '../people/filter.ts';
import { claim, keptDays, type Once, once, readKeyed } from '../requests/idempotency.ts';
import { read, text } from '../requests/input.ts';
import { readEnd } from '../requests/time-range.ts';
import { tookCall } from '../unknowns/show.ts';
import { type ShownBulk, showBulk } from './show.ts';

/** Begins an act on everyone whom a filter finds, once a person has confirmed how many they are; and stops one. */
type BulkDeps = { ledger: Ledger; clock: { now(): number } };

export const countedBulk = z
  .object({
    act: z.enum(bulkVerbs),
    dry_run: z.literal(true),
    people: z.int().describe('How many the filter finds: the number to confirm.'),
    able: z.int().describe('How many of them are eligible now.'),
    passed: z.record(z.string(), z.int()).describe('How many would be passed over, by reason.'),
  })
  .meta({ id: 'CountedBulkAct' });
export type CountedBulk = z.output<typeof countedBulk>;

/** Small enough that no call waits behind a piece; smaller still when the service is asked about each call. */
const pieceSize = 500;
const retrySize = 2_000;
const askedSize = 5;

export type BulkMade = { bulk: string };

export async function beginBulk(
  { ledger, clock }: BulkDeps,
  body: unknown,
  source: BulkOptions['source'] = 'api',
  key?: unknown,
): Promise<Once<CountedBulk | ShownBulk>> {
  const wanted = read(bulkInput, body);
  const request = wanted.dry_run ? null : readKeyed(['bulk'], key, body);
  return once<CountedBulk | ShownBulk, BulkMade>(ledger, request, {
    again: async ({ bulk }) => ((await ledger.bulk.get(bulk)) ? showBulk(ledger, bulk) : null),
    async act() {
      const { act, confirm, dry_run: isTrial = false } = wanted;
      const filter = await findFilter(ledger, wanted.filter);
      if (act !== 'export' && filter.campaign === null && isWhole(filter)) throw nobodyNamed();
      const options = optionsOf(wanted, clock.now(), source);
      const people = await findPeople(ledger, filter);
      if (isTrial) {
        const preview = await previewBulk(ledger, act, options, people);
        return { act, dry_run: true, people: people.length, ...preview };
      }
      // An export changes nobody.
      if (confirm === undefined && act !== 'export') throw unconfirmed(people.length);
      if (confirm !== undefined && people.length > confirm) throw more(people.length, confirm);
      const { filter: asked } = body as { filter: unknown };
      const id = await storeBulk(ledger, { act, asked, filter, options, people }, request);
      return showBulk(ledger, id);
    },
  });
}

/** `told` is what the activity records at the act's end, if it is another verb; the beginning is then not recorded. */
export async function storeBulk(
  ledger: Ledger,
  made: Omit<NewBulkAct, 'size' | 'told'> & { options: BulkOptions },
  request: KeyedRequest | null,
  told?: Change,
  still?: (verbs: Together) => Promise<void>,
): Promise<string> {
  const size = made.options.as === 'called' ? askedSize : made.act === 'retry' ? retrySize : pieceSize;
  return ledger.together(async (verbs) => {
    await still?.(verbs);
    const { bulk, activity, idempotency } = verbs;
    await claim(idempotency, request);
    const { act, asked: filter, people } = made;
    const { campaign } = made.filter;
    const end = { verb: 'bulk.end', campaign, after: { act } } as const;
    const id = await bulk.create({ ...made, told: told ?? end, size });
    const after = { act, filter, found: people.length };
    if (!told) await activity.record({ verb: 'bulk.start', subject: id, campaign, after });
    if (request) await idempotency.keep(request, { bulk: id } satisfies BulkMade, keptDays);
    return id;
  }, 'long');
}

/** The current batch is finished; the rest stays as it is. */
export async function stopBulk({ ledger }: Pick<BulkDeps, 'ledger'>, id: string): Promise<ShownBulk> {
  const { state } = await showBulk(ledger, id);
  if (state === 'running' && (await ledger.bulk.end(id, 'stopped', null, 'stopped by a person')))
    await ledger.activity.record({ verb: 'bulk.stop', subject: id });
  return showBulk(ledger, id);
}

/** Each person once, ordered by id, because the act itself does not change that order. */
export async function findPeople(
  { search }: Pick<Ledger, 'search'>,
  filter: PeopleFilter,
): Promise<number[]> {
  const found: number[] = [];
  for await (const ids of search.all(filter)) found.push(...ids);
  const sorted = Float64Array.from(found).sort();
  return Array.from(sorted).filter((id, at) => id !== sorted[at - 1]);
}

function optionsOf(wanted: WantedBulk, now: number, door: BulkOptions['source']): BulkOptions {
  const { until, hang_up: hangUp, ...others } = { until: undefined, hang_up: undefined, ...wanted };
  const end = until === undefined ? undefined : readEnd(until, now).toISOString();
  return bulkOptions.parse({ source: door, ...others, until: end, hangUp });
}

function nobodyNamed(): CarillonError {
  return new CarillonError('request-invalid', 'filter: must not be empty, which would mean everyone', {
    remedy: 'Name at least a campaign, a state or an outcome.',
  });
}

function unconfirmed(people: number): CarillonError {
  return new CarillonError('request-invalid', `confirm: is missing; the filter finds ${people} people`, {
    remedy: 'Send the same with `"dry_run": true` first, then with its number of people as `confirm`.',
  });
}

function more(people: number, confirm: number): CarillonError {
  return new CarillonError(
    'bulk-more',
    `The filter now finds ${people} people, but ${confirm} were confirmed`,
    { remedy: `Nothing was done. Send it with "confirm": ${people}, if that is what you want.` },
  );
}

/** Whether an act can be done to a person, or the word for why not: the preview and the act both use it. */
type Refusals = (person: BulkPerson, options: Pick<BulkOptions, 'now' | 'as'>) => string | null;

const refusals: Record<BulkVerb, Refusals> = {
  retry(person, { now }) {
    return notOfList(person) ?? notAgain(person, now) ?? (person.barred ? 'suppressed' : null);
  },
  skip(person) {
    if (person.kind === 'calls') return 'single_call';
    if (['waiting', 'queued', 'parked'].includes(person.state)) return null;
    return person.state === 'calling' ? 'too_late' : person.state;
  },
  suppress: ({ phone }) => (isErased(phone) ? 'erased' : null),
  resolve(person, { as }) {
    if (person.state !== 'unknown') return person.state;
    if (as !== 'not-called') return null;
    // The service took the call, so it was made.
    if (tookCall({ callId: person.callId, reason: person.unknownAs! })) return 'called';
    return person.free ? null : 'too_early';
  },
  export: () => null,
};

/** Only people who are done are tried again: nobody who is being called, or whose call is unknown. */
function notAgain({ state, outcome, reason, held, later }: BulkPerson, now: boolean): string | null {
  if (state === 'done') return outcome === null ? 'no_outcome' : reason === 'removed' ? 'removed' : null;
  if (state !== 'waiting' || outcome === null) return state;
  // The time is the person's own.
  if (held === 'callback' && later) return 'callback';
  if (held && held !== 'callback') return 'held';
  return later ? (now ? null : 'later') : 'waiting';
}

/** Why nobody on this campaign may be freed. */
function notOfList({ kind, campaignState, ours }: BulkPerson): string | null {
  if (kind === 'calls') return 'single_call';
  if (campaignState === 'canceled') return 'canceled';
  return ours ? null : 'elsewhere';
}

/** The eligible people; the others are counted by why not. */
export function ableOf(
  act: BulkVerb,
  options: Pick<BulkOptions, 'now' | 'as'>,
  people: readonly BulkPerson[],
  pass: (reason: string) => void,
): BulkPerson[] {
  return people.filter((person) => {
    const why = refusals[act](person, options);
    if (why !== null) pass(why);
    return why === null;
  });
}

type Preview = { able: number; passed: Record<string, number> };

const pageSize = 10_000;

/** Says what the act would do to these people now. */
export async function previewBulk(
  { bulk }: Pick<Ledger, 'bulk'>,
  act: BulkVerb,
  options: BulkOptions,
  people: readonly number[],
): Promise<Preview> {
  if (act === 'export') return { able: people.length, passed: {} };
  const passed: Record<string, number> = {};
  const pass = (reason: string) => {
    passed[reason] = (passed[reason] ?? 0) + 1;
  };
  let able = 0;
  for (let at = 0; at < people.length; at += pageSize)
    able += ableOf(act, options, await bulk.look(people.slice(at, at + pageSize)), pass).length;
  return { able, passed };
}

/** The acts that a person may order for everyone whom a filter finds. */
const shape = {
  filter: z.strictObject(filterShape).describe('As in `GET /api/calls`.'),
  dry_run: z.boolean().optional().describe('Only counts the people, and says how many are eligible.'),
  confirm: z
    .int()
    .min(0)
    .optional()
    .describe('The number of people that the dry run found; the act is refused if there are more.'),
};

const retry = z.strictObject({
  act: z.literal('retry'),
  ...shape,
  now: z
    .boolean()
    .optional()
    .describe(
      'People who wait for another attempt are called now, not at the planned time. Hours and contact rules still apply.',
    ),
});
const skip = z.strictObject({ act: z.literal('skip'), ...shape });
const suppressing = z.strictObject({
  act: z.literal('suppress'),
  ...shape,
  until: text(100).optional().describe('A time, a date or a span such as 30d; for ever without it.'),
  reason: text(500).optional(),
  source: z.enum(['api', 'manual']).optional().describe('`manual`: a person decided it, not a program.'),
  hang_up: z.boolean().optional().describe('Their calls in progress are hung up too.'),
});
const resolving = z.strictObject({
  act: z.literal('resolve'),
  ...shape,
  as: z.enum(['called', 'not-called']),
  reason: text(500).optional(),
});
const exporting = z.strictObject({ act: z.literal('export'), ...shape });

export const bulkInput = z.discriminatedUnion('act', [retry, skip, suppressing, resolving, exporting]);
type WantedBulk = z.output<typeof bulkInput>;

/** The options that an act needs besides the people. */
export const bulkOptions = z.object({
  /** An instant, because a person's `30d` counts from when they said it. */
  until: z.string().nullable().default(null),
  reason: z.string().nullable().default(null),
  hangUp: z.boolean().default(false),
  as: z.enum(['called', 'not-called']).nullable().default(null),
  now: z.boolean().default(false),
  source: z.enum(['api', 'manual']).default('api'),
});
export type BulkOptions = z.output<typeof bulkOptions>;
export const noOptions: BulkOptions = bulkOptions.parse({});
