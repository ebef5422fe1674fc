import { z } from 'zod';
import { roles } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import { type ActivityRow, activityVerbs } from '../../ledger/activity/activity.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { read, text, timeCursor } from '../requests/input.ts';
import { type Page, pageInput, pageOf, readPage } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { timeOf } from '../requests/time-range.ts';

/** The record of who changed what: searched, newest first. */
export const activityQuery = z.strictObject({
  ...pageInput,
  who: text(100).optional().describe('Only changes by this token.'),
  verb: z
    .string()
    .regex(
      /^[a-z]+(\.[a-z]+)?(,[a-z]+(\.[a-z]+)?)*$/,
      'must be a verb such as campaign.pause, or its first word',
    )
    .max(500)
    .optional()
    .describe('A verb such as `campaign.pause`, or its first word for all of them; several with commas.'),
  subject: text(300).optional().describe('Only changes of the thing with this id.'),
  campaign: text(300).optional().describe('Its id or its name.'),
  since: text(100).optional(),
  until: text(100).optional(),
});

const shownActivity = z
  .object({
    id: z.string(),
    at: z.date(),
    who: z
      .string()
      .describe(
        'A token’s name, or a person’s address at the login provider; `API_TOKEN`, `API_READ_TOKEN`, `loopback`, `cli`; or `carillon` for a process itself.',
      ),
    person: z.string().nullable().describe('The name of the person behind it, where it was known then.'),
    role: z.enum(roles),
    address: z.string().nullable().describe('An IP address, or user@host of a command.'),
    verb: z.string(),
    subject: z.string().nullable().describe('The id of what was changed.'),
    campaign: z
      .string()
      .nullable()
      .describe('Null when the change is about no campaign, or the campaign was deleted.'),
    campaign_id: z.string().nullable(),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Activity' });
export const activityAnswer = pageOf(shownActivity);
export type ShownActivity = z.output<typeof shownActivity>;

export async function listActivity(ledger: Ledger, input: unknown): Promise<Page<ShownActivity>> {
  const wanted = read(activityQuery, input);
  const [since, until] = [timeOf('since', wanted.since), timeOf('until', wanted.until)];
  if (since !== null && until !== null && until <= since)
    throw new CarillonError('request-invalid', 'until: is not after since');
  const filter = {
    who: wanted.who ?? null,
    verbs: wanted.verb === undefined ? null : [...new Set(wanted.verb.split(',').flatMap(verbsOf))],
    subject: wanted.subject ?? null,
    campaignId: await campaignOf(ledger, wanted.campaign),
    since: since === null ? null : new Date(since),
    until: until === null ? null : new Date(until),
  };
  return readPage(
    wanted,
    { schema: z.tuple([timeCursor, z.int()]), of: ({ place, id }: ActivityRow) => [place, id] },
    (before, most) => {
      const place = before && { at: before[0], id: before[1] };
      return ledger.activity.page(place, most, filter);
    },
    show,
  );
}

/** The verb itself, or all of a noun. */
function verbsOf(wanted: string): string[] {
  const verbs = activityVerbs.filter((verb) => verb === wanted || verb.startsWith(`${wanted}.`));
  if (verbs.length > 0) return verbs;
  throw new CarillonError('request-invalid', `verb: nothing is recorded as ${wanted}`, {
    remedy: '/api/docs lists the verbs, such as campaign.pause; campaign means all of its verbs.',
  });
}

/** A campaign that was deleted is found by its id. */
async function campaignOf(ledger: Ledger, ref: string | undefined): Promise<string | null> {
  if (ref === undefined) return null;
  const found = await ledger.campaigns.find(ref);
  if (found) return found.id;
  if (z.uuid().safeParse(ref).success) return ref;
  throw new CarillonError('campaign-unknown', `The campaign ${ref} was not found`);
}

function show(row: ActivityRow): ShownActivity {
  return shownAs(shownActivity, row, {
    id: String(row.id),
    before: row.before as ShownActivity['before'],
    after: row.after as ShownActivity['after'],
  });
}
