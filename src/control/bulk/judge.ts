import { z } from 'zod';
import type { BulkPerson, BulkVerb } from '../../ledger/bulk/bulk.ts';
import { isErased } from '../../ledger/erasures/erasures.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { filterShape } from '../people/filter.ts';
import { text } from '../requests/input.ts';
import { tookCall } from '../unknowns/show.ts';

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
export type WantedBulk = z.output<typeof bulkInput>;

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
