import { z } from 'zod';
import { withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Engine } from '../../engine/engine.ts';
import { laneStates } from '../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { kept, type LanePoint } from '../../ledger/series/series.ts';
import { createQueues, type Queues } from '../../queues/queues.ts';
import { read } from '../requests/input.ts';
import { roundTo, shownAs } from '../requests/shown.ts';
import { readTimeRange, timeRangeShape } from '../requests/time-range.ts';
import type { ServiceAccess } from '../service/access.ts';
import { keyShape, listKeys, refusedShape, requestsShape, showRequests } from './list.ts';

/**
 * One key: its entry in the list, its series, and how full its queues are: those of the background workers, and of the
 * runs that use the lane now.
 */
const depthShape = z.object({
  waiting: z.int(),
  delayed: z.int(),
  active: z.int().describe('Jobs that a worker has taken; it waits for a token or an answer.'),
  oldest_at: z.date().nullable().describe('When the oldest waiting job was made; null when none waits.'),
  next_at: z.date().nullable().describe('When the first delayed job is due; null when none is delayed.'),
});
type QueueDepth = z.output<typeof depthShape>;

const depthsShape = z
  .object({ dial: depthShape, track: depthShape })
  .describe('Jobs by kind: a call to make, a call to follow until it ends.');
type QueueDepths = z.output<typeof depthsShape>;

type DepthDeps = { ledger: Pick<Ledger, 'lanes'>; engine: Engine; queues: Queues };

/** A queue that is away must not hold up the answer. */
const patienceMs = 2_000;

/** Null when the queue cannot be reached. */
async function depthsOf(deps: DepthDeps, lane: { id: number; bucket: string }): Promise<QueueDepths | null> {
  const reading = readDepths(deps, lane).catch(() => null);
  return withDeadline(reading, patienceMs, () => null);
}

async function readDepths(
  { ledger, engine, queues }: DepthDeps,
  { id, bucket }: { id: number; bucket: string },
): Promise<QueueDepths> {
  const loads = await ledger.lanes.loads();
  const runs = loads.filter((load) => load.laneId === id && load.driver === 'run');
  const own = runs.map((load) => createQueues(engine, load.campaignId));
  try {
    const [dial, track] = await Promise.all(
      (['dial', 'track'] as const).map(async (station) =>
        total(
          await Promise.all([queues, ...own].map((each) => depthOf(engine, each.queue(bucket, station)))),
        ),
      ),
    );
    return { dial: dial!, track: track! };
  } finally {
    await Promise.all(own.map((each) => each.close()));
  }
}

async function depthOf(engine: Engine, queue: ReturnType<Queues['queue']>): Promise<QueueDepth> {
  const [counts, [first], next] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active'),
    queue.getJobs(['waiting'], 0, 0, true),
    engine.nextDue(queue.name),
  ]);
  const { waiting = 0, prioritized = 0, delayed = 0, active = 0 } = counts;
  return {
    waiting: waiting + prioritized,
    delayed,
    active,
    oldest_at: first ? new Date(first.timestamp) : null,
    next_at: next,
  };
}

function total(depths: readonly QueueDepth[]): QueueDepth {
  const sum = (name: 'waiting' | 'delayed' | 'active') => depths.reduce((n, each) => n + each[name], 0);
  const first = (name: 'oldest_at' | 'next_at') => {
    const times = depths.flatMap(({ [name]: at }) => (at ? [at.getTime()] : []));
    return times.length > 0 ? new Date(Math.min(...times)) : null;
  };
  return {
    waiting: sum('waiting'),
    delayed: sum('delayed'),
    active: sum('active'),
    oldest_at: first('oldest_at'),
    next_at: first('next_at'),
  };
}

export const oneKeyAnswer = keyShape
  .extend({
    queues: depthsShape.nullable().describe('Null when the queue cannot be reached, or the key is not set.'),
  })
  .meta({ id: 'OneKey' });
export type OneKey = z.output<typeof oneKeyAnswer>;

type KeyDeps = DepthDeps & { service: ServiceAccess };

export async function showKey({ service, ...deps }: KeyDeps, name: string): Promise<OneKey> {
  const key = (await listKeys(service, deps.engine.bucket)).items.find((each) => each.name === name);
  if (!key) throw await noKey(service, name);
  const lane = service.lanes.find((each) => each.name === name);
  return { ...key, queues: lane ? await depthsOf(deps, lane) : null };
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
const keyPointShape = z
  .object({
    at: z.date().describe('The start of the step.'),
    state: z.enum(laneStates),
    rate: amount.describe('Requests a second that the key was allowed.'),
    limit: amount.nullable().describe('The believed limit, requests a second; null until a limit was met.'),
    sure: amount.describe('From 0 to 1.'),
    probing: z.boolean(),
    calls: z.int().describe('The most calls at once.'),
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
  service: Pick<ServiceAccess, 'ledger' | 'clock' | 'lanes'>,
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
  return shownAs(keyPointShape, point, {
    rate: roundTo(3, point.rate),
    limit: point.believed === null ? null : roundTo(3, point.believed),
    max_calls: point.cap,
    ...showRequests(point),
  });
}

async function noKey({ ledger }: Pick<ServiceAccess, 'ledger'>, name: string): Promise<CarillonError> {
  const names = (await ledger.lanes.list()).map((row) => row.name).join(', ');
  return new CarillonError('key-unknown', `The key ${name} was not found; there is ${names || 'none'}`);
}
