import { z } from 'zod';
import { filterShape } from '../people/filter.ts';
import { text } from '../requests/input.ts';

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
