import { z } from 'zod';
import { CarillonError } from '../base/errors.ts';
import { laneStates } from '../ledger/lanes/verbs.ts';
import { kept, type LanePoint } from '../ledger/series/verbs.ts';
import { read } from './input.ts';
import { keyShape, listKeys } from './keys.ts';
import { type DepthDeps, depthsOf, depthsShape } from './queues/depths.ts';
import type { Service } from './service.ts';
import { readTimeRange, timeRangeShape } from './time-range.ts';

/** One key: as in the list, with its queues and its requests of the last minute; and what it did over time. */
const count = z.int();
const requestsShape = z
  .object({ create: count, poll: count, update: count, numbers: count })
  .describe(
    'Requests by kind: calls made, calls asked for, calls changed or canceled, numbers and agents listed.',
  );
const refusedShape = z
  .object({ rate: count, creates: count, calls: count })
  .describe(
    'Answers with 429, by what they were taken for: the rate, a limit of creates, calls at once, or a rate that was tried on purpose.',
  );

export const oneKeyAnswer = keyShape
  .extend({
    queues: depthsShape.nullable().describe('Null when the queue cannot be reached, or the key is not set.'),
    last_minute: z.object({ requests: requestsShape, refused: refusedShape }),
  })
  .meta({ id: 'OneKey' });
export type OneKey = z.output<typeof oneKeyAnswer>;

type KeyDeps = DepthDeps & { service: Service };

export async function showKey({ service, ...deps }: KeyDeps, name: string): Promise<OneKey> {
  const key = (await listKeys(service, deps.engine.bucket)).items.find((each) => each.name === name);
  if (!key) throw await noKey(service, name);
  const lane = service.lanes.find((each) => each.name === name);
  const now = service.clock.now();
  const range = { since: new Date(now - 60_000), until: new Date(now + 60_000), step: 10 };
  const [queues, points] = await Promise.all([
    lane ? depthsOf(deps, lane) : null,
    lane ? service.ledger.series.lane(lane.id, range) : [],
  ]);
  return { ...key, queues, last_minute: { requests: requestsOf(points), refused: refusedOf(points) } };
}

const stepNames = ['10s', 'minute', '5min', 'hour', 'day'] as const;
const offered = [
  ['10s', kept.laneTens],
  ['minute', kept.laneMinutes],
  ['5min', kept.laneMinutes],
  ['hour', kept.laneMinutes],
  ['day', null],
] as const;

export const keySeriesQuery = z.strictObject({
  ...timeRangeShape,
  step: z
    .enum(stepNames)
    .optional()
    .describe(
      'By default the shortest that makes at most 400 points. Steps of 10 s are kept for 2 hours, minutes for 14 days.',
    ),
});

const amount = z.number();
export const keyPointShape = z
  .object({
    at: z.date().describe('The start of the step.'),
    state: z.enum(laneStates),
    rate: amount.describe('Requests a second that the key was allowed.'),
    limit: amount.nullable().describe('The believed limit, requests a second; null until one was met.'),
    sure: amount.describe('From 0 to 1.'),
    probing: z.boolean(),
    calls: count.describe('The most calls at once.'),
    max_calls: amount.nullable().describe('The believed limit of calls at once.'),
    requests: requestsShape,
    refused: refusedShape,
  })
  .meta({ id: 'KeyPoint' });

export const keySeriesAnswer = z
  .object({
    key: z.string(),
    since: z.date(),
    until: z.date(),
    step: z.enum(stepNames),
    step_seconds: z.int(),
    items: z
      .array(keyPointShape)
      .describe('Steps in which the key worked or changed; it stayed as it was in between.'),
  })
  .meta({ id: 'KeySeries' });
export type KeySeries = z.output<typeof keySeriesAnswer>;

export async function showKeySeries(
  service: Pick<Service, 'ledger' | 'clock' | 'lanes'>,
  key: string,
  input: unknown,
): Promise<KeySeries> {
  const wanted = read(keySeriesQuery, input);
  const row = (await service.ledger.lanes.list()).find((each) => each.name === key);
  if (!row) throw await noKey(service, key);
  const { name, ...range } = readTimeRange(wanted, offered, service.clock.now());
  const points = await service.ledger.series.lane(row.id, range);
  const { since, until, step } = range;
  return { key, since, until, step: name, step_seconds: step, items: points.map(showPoint) };
}

function showPoint(point: LanePoint): z.output<typeof keyPointShape> {
  const { at, state, sure, probing, calls } = point;
  return {
    at,
    state,
    rate: round(point.rate),
    limit: point.believed === null ? null : round(point.believed),
    sure,
    probing,
    calls,
    max_calls: point.cap,
    requests: requestsOf([point]),
    refused: refusedOf([point]),
  };
}

function requestsOf(points: readonly LanePoint[]): OneKey['last_minute']['requests'] {
  const add = (pick: (point: LanePoint) => number) => points.reduce((sum, point) => sum + pick(point), 0);
  return {
    create: add((point) => point.creates),
    poll: add((point) => point.polls),
    update: add((point) => point.updates),
    numbers: add((point) => point.numbers),
  };
}

function refusedOf(points: readonly LanePoint[]): OneKey['last_minute']['refused'] {
  const add = (pick: (point: LanePoint) => number) => points.reduce((sum, point) => sum + pick(point), 0);
  return {
    rate: add((point) => point.refusedRate),
    creates: add((point) => point.refusedCreates),
    calls: add((point) => point.refusedCalls),
  };
}

async function noKey({ ledger }: Pick<Service, 'ledger'>, name: string): Promise<CarillonError> {
  const names = (await ledger.lanes.list()).map((row) => row.name).join(', ');
  return new CarillonError('key-unknown', `The key ${name} was not found; there is ${names || 'none'}`);
}

function round(n: number): number {
  return Math.round(n * 1_000) / 1_000;
}
