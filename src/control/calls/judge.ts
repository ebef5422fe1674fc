import { z } from 'zod';
import { currentActor } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import { type FirstCall, type JudgementLine, judgements } from '../../ledger/judgements/judgements.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { outcomes } from '../../voice/outcomes.ts';
import { campaignItem, showJudged } from '../campaigns/show.ts';
import { read, text } from '../requests/input.ts';
import { mostCalls, wholeOf } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';
import { awaitLastSends, type LastSendsDeps } from '../stopping/hang-ups.ts';

/** A listener's judgement of a call, and the calls that a campaign paused to have judged. */
export const judgeInput = z.strictObject({
  as: z
    .enum(judgements)
    .describe(
      '`fine`, `wrong`, or `opt-out`: the person wants no more calls, and gets none from any campaign.',
    ),
  note: text(500).optional().describe('Why, in a few words.'),
});

export const judgementShape = z
  .object({ as: z.enum(judgements), note: z.string().nullable(), by: z.string(), at: z.date() })
  .meta({ id: 'Judgement' });
type ShownJudgement = z.output<typeof judgementShape>;

/** A call can be judged again: the last word counts, and a suppression stays until it is lifted. */
export async function judgeCall(
  deps: LastSendsDeps,
  attempt: string,
  body: unknown,
): Promise<ShownJudgement> {
  const { as, note = null } = read(judgeInput, body);
  const { ledger } = deps;
  const found = await ledger.reports.attempt(attempt);
  if (!found) throw new CarillonError('attempt-unknown', `The attempt ${attempt} was not found`);
  const { kept, phone } = await ledger.together(async ({ judgements, activity }) => {
    const before = await judgements.of(attempt);
    const kept = await judgements.keep(attempt, as, note, currentActor().name);
    if (!kept) return { kept, phone: null };
    const phone = as === 'opt-out' ? await judgements.optOut(attempt) : null;
    await activity.record({
      verb: 'call.judge',
      subject: attempt,
      campaign: found.campaignId,
      ...(before ? { before: { as: before.judgement } } : {}),
      after: { as },
    });
    return { kept, phone };
  }, 'long');
  if (!kept)
    throw new CarillonError(
      'attempt-state',
      `Only a call that has ended can be judged; the attempt ${attempt} is ${found.state}`,
    );
  if (phone !== null) await awaitLastSends(deps, { phones: [phone] });
  return showJudgement(kept);
}

export function showJudgement({ judgement, note, by, at }: JudgementLine): ShownJudgement {
  return { as: judgement, note, by, at };
}

export const firstQuery = z.strictObject({
  said: text(200)
    .optional()
    .describe('Only calls whose transcript contains this; case and accents do not matter.'),
  limit: mostCalls,
});

const firstCallShape = z
  .object({
    attempt: z.string(),
    recipient: z.string(),
    row: z.int(),
    phone: z.string(),
    name: z.string().nullable(),
    outcome: z.enum(outcomes).nullable(),
    duration: z.number().nullable(),
    ended_at: z.date(),
    has_transcript: z.boolean(),
    has_recording: z.boolean(),
    judgement: judgementShape.nullable(),
  })
  .meta({ id: 'FirstCall' });

export const firstAnswer = wholeOf(firstCallShape)
  .extend({
    judged: campaignItem.shape.first_judged,
  })
  .meta({ id: 'FirstCalls' });
export type FirstAnswer = z.output<typeof firstAnswer>;

/** The calls to the people whom the campaign called before it paused, if somebody spoke in them. */
export async function listFirst(
  { ledger }: { ledger: Pick<Ledger, 'campaigns' | 'judgements' | 'reports'> },
  campaign: string,
  query: unknown,
): Promise<FirstAnswer> {
  const { said = null, limit } = read(firstQuery, query);
  const { id } = await ledger.campaigns.get(campaign);
  const [lines, standing] = await Promise.all([
    ledger.judgements.first(id, limit, said),
    ledger.reports.standing(id),
  ]);
  return { items: lines.map(showFirst), next: null, judged: showJudged(standing) };
}

function showFirst(call: FirstCall): z.output<typeof firstCallShape> {
  return shownAs(firstCallShape, call, {
    attempt: call.id,
    recipient: String(call.recipientId),
    outcome: call.outcome as z.output<typeof firstCallShape>['outcome'],
    has_transcript: call.transcript,
    has_recording: call.recording,
    judgement: call.judgement === null ? null : showJudgement(call),
  });
}
