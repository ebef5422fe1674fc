import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ReportSums } from '../../ledger/reports/reports.ts';
import type { Sums } from '../../ledger/tallies/tallies.ts';
import { outcomes } from '../../voice/outcomes.ts';
import { read } from '../requests/input.ts';
import { roundTo } from '../requests/shown.ts';

/**
 * How a campaign's calls ended, in total or by one part, and how well they are answered, in two figures that are the
 * same everywhere: answered calls of ended calls, and people reached of people called. A person who waits for a retry
 * has been called.
 */
const share = z.number().nullable();

const callAnswers = {
  calls: z.int().describe('Calls that have ended.'),
  connect_rate: share.describe(
    'The share of ended calls that were answered, from 0 to 1; null without a call.',
  ),
};

const peopleAnswers = {
  people_called: z
    .int()
    .describe('People who had a call that has ended, even if they now wait for another attempt.'),
  people_reached: z.int().describe('How many of them answered a call, the last one or an earlier one.'),
  reach_rate: share.describe(
    'The share of people called who were reached, from 0 to 1; null while nobody was called.',
  ),
};

export const answersShape = z
  .object({ ...callAnswers, answered: z.int().describe('Calls that were answered.'), ...peopleAnswers })
  .meta({ id: 'Answers' });

function showCallAnswers(calls: number, answered: number): { calls: number; connect_rate: number | null } {
  return { calls, connect_rate: rateOf(answered, calls) };
}

function showPeopleAnswers({ called, reached }: Sums['answers']) {
  return { people_called: called, people_reached: reached, reach_rate: rateOf(reached, called) };
}

export function showAnswers(answers: Sums['answers']): z.output<typeof answersShape> {
  const { calls, answered } = answers;
  return { ...showCallAnswers(calls, answered), answered, ...showPeopleAnswers(answers) };
}

function rateOf(part: number, whole: number): number | null {
  return whole > 0 ? roundTo(6, part / whole) : null;
}

/** A report is read from sums that the settlements keep. */
export const reportParts = ['hour', 'day', 'weekday', 'caller', 'agent', 'attempt'] as const;
export type ReportPart = (typeof reportParts)[number];

export const reportQuery = z.strictObject({ by: z.enum(reportParts).optional() });

const reportNumbers = z.object({
  ...callAnswers,
  outcomes: z.partialRecord(z.enum(outcomes), z.int()),
  cost: z.number().nullable().describe('Null while the service has told no cost.'),
  cost_per_connect: z.number().nullable().describe('The cost per answered call.'),
  mean_duration: z
    .number()
    .nullable()
    .describe('Seconds, over the calls whose duration the service reports.'),
});
export type ReportNumbers = z.output<typeof reportNumbers>;

export const reportAnswer = z
  .object({
    campaign: z.string(),
    by: z.enum(reportParts).nullable(),
    items: z.array(
      z
        .object({
          value: z
            .string()
            .nullable()
            .describe('Null where it is not known; of a caller number, where the service chose it.'),
        })
        .extend(reportNumbers.shape),
    ),
    total: reportNumbers.extend(peopleAnswers),
  })
  .meta({ id: 'Report' });
export type Report = z.output<typeof reportAnswer>;

export async function reportCampaign(ledger: Ledger, nameOrId: string, given: unknown): Promise<Report> {
  const { by = null } = read(reportQuery, given);
  const { id, name } = await ledger.campaigns.get(nameOrId);
  const part = by === 'weekday' ? 'hour' : (by ?? 'attempt');
  const sums = await ledger.reports.report(id, part);
  const groups = new Map<string, ReportSums[]>();
  for (const each of by === null ? [] : sums) {
    const key = keyOf(by!, each.value);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const items = [...groups]
    .sort(([a], [b]) => orderOf(by!, a, b))
    .map(([value, each]) => ({ value: value === '' ? null : value, ...numbersOf(each) }));
  const { answers } = await ledger.reports.standing(id);
  return { campaign: name, by, items, total: { ...numbersOf(sums), ...showPeopleAnswers(answers) } };
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The ledger keeps the hour of the week; a report shows the hour of the day, or the weekday. */
function keyOf(by: ReportPart, value: string): string {
  if (value === '') return value;
  if (by === 'hour') return String(Number(value) % 24).padStart(2, '0');
  return by === 'weekday' ? weekdays[Math.floor(Number(value) / 24)]! : value;
}

/** Unknown parts are last. */
function orderOf(by: ReportPart, a: string, b: string): number {
  if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1;
  if (by === 'weekday') return weekdays.indexOf(a) - weekdays.indexOf(b);
  return a.localeCompare(b, 'en', { numeric: true });
}

function numbersOf(sums: readonly ReportSums[]): ReportNumbers {
  const add = (pick: (each: ReportSums) => number) => sums.reduce((total, each) => total + pick(each), 0);
  const ended: ReportNumbers['outcomes'] = {};
  for (const outcome of outcomes) {
    const n = add((each) => (each.outcome === outcome ? each.calls : 0));
    if (n > 0) ended[outcome] = n;
  }
  const calls = add((each) => each.calls);
  const answered = ended.answered ?? 0;
  const cost = add((each) => each.costed) > 0 ? add((each) => each.cost) : null;
  const timed = add((each) => each.timed);
  return {
    ...showCallAnswers(calls, answered),
    outcomes: ended,
    cost: cost === null ? null : roundTo(6, cost),
    cost_per_connect: cost !== null && answered > 0 ? roundTo(6, cost / answered) : null,
    mean_duration: timed > 0 ? roundTo(6, add((each) => each.seconds) / timed) : null,
  };
}
