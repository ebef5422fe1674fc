import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { type CampaignPoint, kept, type LaneLimit, type TimeRange } from '../../ledger/series/series.ts';
import { outcomes } from '../../voice/outcomes.ts';
import { read } from '../requests/input.ts';
import { roundTo } from '../requests/shown.ts';
import { readTimeRange, timeRangeShape } from '../requests/time-range.ts';

/** A campaign over time, or all of them, read from a few rows that the tallies' loop keeps. */
const stepNames = ['minute', '5min', 'hour', 'day'] as const;
const offered = [
  ['minute', kept.campaignMinutes],
  ['5min', kept.campaignMinutes],
  ['hour', null],
  ['day', null],
] as const;

export const campaignSeriesQuery = z.strictObject({
  ...timeRangeShape,
  step: z
    .enum(stepNames)
    .optional()
    .describe(
      'By default the shortest that makes at most 400 points. Minutes are kept for 30 days. Days are of UTC.',
    ),
});

export const allSeriesQuery = z.strictObject({
  ...timeRangeShape,
  step: z
    .enum(['hour', 'day'])
    .optional()
    .describe('By default the shorter that makes at most 400 points. Days are of UTC.'),
});

const amount = z.number();

const campaignPointShape = z
  .object({
    at: z.date().describe('The start of the step.'),
    begun: z.int().describe('Calls that began, and attempts that became unknown.'),
    calls: z.int().describe('Calls that ended.'),
    connects: z.int().describe('Calls that were answered.'),
    outcomes: z.partialRecord(z.enum(outcomes), z.int()),
    cost: amount
      .nullable()
      .describe('Null where the service told none. A cost that comes late counts when it comes.'),
    requests: z
      .object({ create: z.int(), poll: z.int() })
      .describe('Requests for the campaign’s calls. Those to change or cancel a call are not counted here.'),
    refused: z.int().describe('Answers with 429.'),
    limit: amount
      .nullable()
      .describe(
        'The believed limits of all open keys together, requests a second; null while none of them met one.',
      ),
    result_lag: z
      .object({ mean: amount, max: amount })
      .nullable()
      .describe('Seconds from a call’s end, as the service reports it, to its settlement; null without one.'),
  })
  .meta({ id: 'CampaignPoint' });
type ShownCampaignPoint = z.output<typeof campaignPointShape>;

const spanShape = {
  since: z.date(),
  until: z.date(),
  step: z.enum(stepNames),
  step_seconds: z.int(),
  items: z.array(campaignPointShape).describe('One for each step, also where nothing happened.'),
};

export const campaignSeriesAnswer = z
  .object({ campaign: z.string(), ...spanShape })
  .meta({ id: 'CampaignSeries' });
type CampaignSeries = z.output<typeof campaignSeriesAnswer>;

export const allSeriesAnswer = z.object(spanShape).meta({ id: 'AllSeries' });
export type AllSeries = z.output<typeof allSeriesAnswer>;

type Read = { ledger: Ledger; clock: { now(): number } };

export async function showCampaignSeries(
  { ledger, clock }: Read,
  nameOrId: string,
  input: unknown,
): Promise<CampaignSeries> {
  const wanted = read(campaignSeriesQuery, input);
  const { id, name: campaign } = await ledger.campaigns.get(nameOrId);
  const range = readTimeRange(wanted, offered, clock.now());
  return { campaign, ...(await showSeries(ledger, range, ledger.series.campaign(id, range))) };
}

export async function showAllSeries({ ledger, clock }: Read, input: unknown): Promise<AllSeries> {
  const wanted = read(allSeriesQuery, input);
  const range = readTimeRange(wanted, offered.slice(2), clock.now());
  return showSeries(ledger, range, ledger.series.campaigns(range));
}

async function showSeries(
  ledger: Ledger,
  { name, since, until, step }: TimeRange & { name: AllSeries['step'] },
  read: Promise<CampaignPoint[]>,
): Promise<AllSeries> {
  const [known, laneLimits] = await Promise.all([read, ledger.series.limits({ since, until, step })]);
  const points = new Map(known.map((point) => [point.at.getTime(), point]));
  const limitAt = limitsOf(laneLimits);
  const items: ShownCampaignPoint[] = [];
  for (let at = since.getTime(); at < until.getTime(); at += step * 1_000)
    items.push({ ...showPoint(new Date(at), points.get(at)), limit: limitAt(at) });
  return { since, until, step: name, step_seconds: step, items };
}

/** The rate of all keys together, for rising times: a key without a new row is as it was before. */
function limitsOf(rows: readonly LaneLimit[]): (at: number) => number | null {
  const limits = new Map<number, number | null>();
  let next = 0;
  return (at) => {
    for (let row = rows[next]; row && row.at.getTime() <= at; row = rows[++next])
      limits.set(row.lane, row.state === 'open' ? row.believed : null);
    const known = [...limits.values()].filter((limit) => limit !== null);
    return known.length === 0
      ? null
      : roundTo(
          4,
          known.reduce((sum, limit) => sum + limit, 0),
        );
  };
}

function showPoint(at: Date, point: CampaignPoint | undefined): Omit<ShownCampaignPoint, 'limit'> {
  const { begun = 0, calls = 0, creates = 0, polls = 0, refused = 0 } = point ?? {};
  return {
    at,
    begun,
    calls,
    connects: point?.answered ?? 0,
    outcomes: point ? outcomesOf(point) : {},
    cost: point && point.costed > 0 ? roundTo(4, point.cost) : null,
    requests: { create: creates, poll: polls },
    refused,
    result_lag:
      point && point.lags > 0
        ? { mean: roundTo(4, point.lagSum / point.lags), max: roundTo(4, point.lagMax) }
        : null,
  };
}

function outcomesOf({ noAnswer, ...point }: CampaignPoint): ShownCampaignPoint['outcomes'] {
  const counted = outcomes.map((name) => [name, name === 'no-answer' ? noAnswer : point[name]] as const);
  return Object.fromEntries(counted.filter(([, n]) => n > 0));
}
