import { z } from 'zod';
import type { LiveCall } from '../../ledger/calls/calls.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { callerText } from '../../rules/order.ts';
import { read, text } from '../requests/input.ts';
import { mostCalls, wholeOf } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';

/** The calls in progress now, longest first. */
const phases = ['dialing', 'ringing', 'talking'] as const;
type Phase = (typeof phases)[number];

export const liveQuery = z.strictObject({
  campaign: text(300).optional().describe('Only of this campaign, by its name or its id.'),
  key: text(100).optional().describe('Only on this key.'),
  limit: mostCalls,
});

const liveCallShape = z
  .object({
    attempt: z.string(),
    phase: z
      .enum(phases)
      .describe(
        '`dialing` while the service has not answered the create; `ringing` until it says that somebody is on the line.',
      ),
    status: z.string().nullable().describe('In the service’s words, as it last reported.'),
    dialed_at: z.date(),
    placed_at: z.date().nullable(),
    call_id: z.string().nullable(),
    campaign: z.string(),
    campaign_id: z.string(),
    recipient: z.string(),
    row: z.int(),
    phone: z.string(),
    name: z.string().nullable(),
    number: z.int().describe('The first try at the person is 1.'),
    agent: z.string().nullable(),
    from: z.string().nullable(),
    key: z.string(),
  })
  .meta({ id: 'LiveCall' });

export const liveAnswer = wholeOf(liveCallShape)
  .extend({
    counts: z
      .object({ dialing: z.int(), ringing: z.int(), talking: z.int() })
      .describe('All of them by phase, including those beyond the limit.'),
  })
  .meta({ id: 'LiveCalls' });
type LiveAnswer = z.output<typeof liveAnswer>;

type LiveDeps = { ledger: Pick<Ledger, 'calls' | 'campaigns'>; baseUrl: string };

export async function listLive({ ledger, baseUrl }: LiveDeps, query: unknown): Promise<LiveAnswer> {
  const { campaign, key = null, limit } = read(liveQuery, query);
  const wanted = { campaign: campaign ? (await ledger.campaigns.get(campaign)).id : null, key };
  const lines = await ledger.calls.live(baseUrl, wanted, limit);
  // A list that is not cut off has them all.
  const known =
    lines.length < limit
      ? lines.map(({ state, status }) => ({ state, status, n: 1 }))
      : await ledger.calls.liveCounts(baseUrl, wanted);
  const counts: Record<Phase, number> = { dialing: 0, ringing: 0, talking: 0 };
  for (const { state, status, n } of known) counts[phaseOf(state, status)] += n;
  return { items: lines.map(showLive), next: null, counts };
}

/** Services have their own words for a conversation; any other word of a call in progress is a phase before it. */
const talking =
  /^(?:in[-_ ]?progress|ongoing|active|answered|connected|live|in[-_ ]?call|started|speaking|talking)/i;

function phaseOf(state: LiveCall['state'], status: string | null): Phase {
  if (state === 'dialing') return 'dialing';
  return status !== null && talking.test(status) ? 'talking' : 'ringing';
}

function showLive(call: LiveCall): z.output<typeof liveCallShape> {
  return shownAs(liveCallShape, call, {
    attempt: call.id,
    phase: phaseOf(call.state, call.status),
    recipient: String(call.recipientId),
    from: callerText(call.caller),
  });
}
