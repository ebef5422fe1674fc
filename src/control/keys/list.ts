import { z } from 'zod';
import { withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import type { SameKeys } from '../../dispatch/trust/same-keys.ts';
import type { Bucket } from '../../engine/engine.ts';
import type { Lane } from '../../lane/lane.ts';
import { showView } from '../../lane/limit-view.ts';
import { type LaneLine, laneStates } from '../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LaneLately } from '../../ledger/series/series.ts';
import { rounded } from '../campaigns/budget.ts';
import { wholeOf } from '../requests/page.ts';
import { roundTo, shownAs } from '../requests/shown.ts';
import { act, faultError, type ServiceAccess } from '../service/access.ts';

/** The keys: the state of each, and opening one that the service had refused. */
const amount = z.number();

const count = z.int();
export const requestsShape = z
  .object({ create: count, poll: count, update: count, numbers: count })
  .describe(
    'Requests by kind: calls made, calls asked for, calls changed or canceled, numbers and agents listed.',
  );
export const refusedShape = z
  .object({ rate: count, creates: count, calls: count })
  .describe(
    'Answers with 429, by what they were taken for: the rate, a limit of creates, calls at once, or a rate that was tried on purpose.',
  );

const beliefShape = z
  .object({
    limit: amount.nullable().describe('Requests a second; null until a limit was met.'),
    sure: amount.describe('From 0 to 1.'),
    since: z.iso.datetime(),
    window_ms: amount.nullable(),
    max_calls: amount.nullable().describe('Calls at once.'),
    creates: amount.nullable().describe('Creates a second, if they have a limit of their own.'),
    probing: z.boolean(),
    account: z.array(z.string()).nullable().describe('The keys that it shares the limit with.'),
  })
  .describe('The believed limits of the service.');

export const keyShape = z
  .object({
    name: z.string(),
    present: z
      .boolean()
      .describe(
        'Whether this process has the key. If not, calls made with it are only followed to their end.',
      ),
    processes: z.array(z.string()).describe('The processes that have it, as host:pid.'),
    state: z.enum(laneStates),
    reason: z.string().nullable(),
    since: z.date(),
    probe_at: z
      .date()
      .nullable()
      .describe('When a key that rests without credit or with failures is probed next.'),
    losses: amount.describe(
      'Creates that got no answer or that of a failing service, minus those answered well.',
    ),
    rate: amount.nullable().describe('Requests a second.'),
    rate_from: z.enum(['fixed', 'learned', 'first guess']).nullable(),
    rests_ms: amount,
    call_limit: z
      .object({
        most: count.describe('Calls at once of the key, as VOICE_MAX_CALLS says.'),
        kept: count.describe('How many of them are kept free for calls that come in.'),
        inbound: count
          .nullable()
          .describe(
            'Calls that came in, as the service told within the last minute; null where it told nothing.',
          ),
        now: count.describe('How many calls may be in progress now that Carillon made.'),
      })
      .nullable()
      .describe('Null without VOICE_MAX_CALLS, and for a key that this process does not have.'),
    belief: beliefShape.nullable(),
    credit: z
      .object({
        spent: amount.describe('What its calls have cost since it last had credit again.'),
        lasted: amount.describe('What they cost in the period before that, until the credit ended.'),
        minutes: amount
          .nullable()
          .describe(
            'For how long the credit lasts at the pace of the last ten minutes, if as much was added as the time before; null where nothing was spent in them.',
          ),
      })
      .nullable()
      .describe('How far the credit reaches. Null until it has ended twice, and while it is out.'),
    planned: z.int(),
    parked: z.int(),
    differs: z
      .array(
        z.object({
          process: z.string().describe('host:pid'),
          what: z.enum(['secret', 'rate']),
          holder: z
            .string()
            .nullable()
            .describe('A process with the one in force; null where a person confirmed it.'),
        }),
      )
      .describe(
        'Processes that do not dial, because their secret or VOICE_RATE for it is not that of those that dial.',
      ),
    calling: z.int(),
    last_minute: z.object({ requests: requestsShape, refused: refusedShape }),
    cost_1h: amount.describe('What its calls of the last hour have cost, as far as the service has told it.'),
    closed_s: z.int().describe('Seconds of the last hour in which it made no calls, as it was not open.'),
  })
  .meta({ id: 'Key' });
export type Key = z.output<typeof keyShape>;
export const keysAnswer = wholeOf(keyShape);

/** How long to wait for what other processes learned; an unreachable queue must not hold up the answer. */
const refreshMs = 1_000;

export async function listKeys(
  { ledger, lanes }: Pick<ServiceAccess, 'ledger' | 'lanes'>,
  tokens: Bucket,
): Promise<{ items: Key[]; next: null }> {
  const [rows, lately, differing, processes] = await Promise.all([
    ledger.lanes.list(),
    ledger.series.lately(),
    ledger.processes.differing(),
    ledger.processes.here(),
  ]);
  const holders = new Map<string, string[]>();
  for (const { host, pid, keys } of processes)
    for (const key of keys) holders.set(key, [...(holders.get(key) ?? []), `${host}:${pid}`]);
  const read = await inTime(Promise.all(lanes.map((lane) => readPace(lane, tokens))));
  const latelyOf = new Map(lately.map((each) => [each.lane, each]));
  const items = rows.map((row): Key => {
    const at = lanes.findIndex((lane) => lane.id === row.id);
    const last = latelyOf.get(row.id) ?? nothing;
    return shownAs(keyShape, row, {
      present: at >= 0,
      processes: holders.get(row.name) ?? [],
      ...(at < 0 ? noPace : (read?.[at] ?? ownPace(lanes[at]!))),
      credit: creditOf(row, last.cost),
      last_minute: showRequests(last),
      cost_1h: rounded(last.costHour),
      closed_s: last.closed,
      differs: differing.flatMap(({ key, process, what, holder }) =>
        key === row.name ? [{ process, what, holder }] : [],
      ),
    });
  });
  return { items, next: null };
}

/** No service tells its credit: it is what lasted until the last 402, less what was spent since. */
function creditOf({ state, creditSpent, creditLasted }: LaneLine, lately: number): Key['credit'] {
  if (state === 'out_of_credit' || creditSpent === null || creditLasted === null) return null;
  const left = Math.max(0, creditLasted - creditSpent);
  const minutes = lately > 0 ? Math.round((left / lately) * 10) : null;
  return { spent: rounded(creditSpent), lasted: rounded(creditLasted), minutes };
}

/** Requests by kind, and answers with 429 by their cause. */
export function showRequests(
  of: Omit<LaneLately, 'lane' | 'cost' | 'costHour' | 'closed'>,
): Key['last_minute'] {
  return {
    requests: { create: of.creates, poll: of.polls, update: of.updates, numbers: of.numbers },
    refused: { rate: of.refusedRate, creates: of.refusedCreates, calls: of.refusedCalls },
  };
}

/** A lane that was added since. */
const nothing: LaneLately = {
  lane: 0,
  cost: 0,
  costHour: 0,
  closed: 0,
  creates: 0,
  polls: 0,
  updates: 0,
  numbers: 0,
  refusedRate: 0,
  refusedCreates: 0,
  refusedCalls: 0,
};

type Pace = Pick<Key, 'rate' | 'rate_from' | 'rests_ms' | 'call_limit' | 'belief'>;
const noPace: Pace = { rate: null, rate_from: null, rests_ms: 0, call_limit: null, belief: null };

async function readPace(lane: Lane, tokens: Bucket): Promise<Pace> {
  const [reading, memory] = await Promise.all([
    tokens.read(lane.governor.tokens()),
    tokens.readState(lane.bucket),
    lane.governor.refresh(),
  ]);
  const own = ownPace(lane);
  const first = own.rate_from === 'learned' && memory.version === 0;
  return { ...own, rate_from: first ? 'first guess' : own.rate_from, rests_ms: reading?.restMs ?? 0 };
}

/** What this process alone knows of its pace. */
function ownPace({ governor, pacer }: Lane): Pace {
  const { rate, learned } = governor.limit();
  return {
    rate: roundTo(3, rate),
    rate_from: learned ? 'learned' : 'fixed',
    rests_ms: Math.ceil(pacer.restsMs()),
    call_limit: governor.view().calls,
    belief: showView(governor.view()),
  };
}

/** Reads what other processes have learned about these lanes. */
export async function refreshLanes(lanes: readonly Lane[]): Promise<void> {
  await inTime(Promise.all(lanes.map((lane) => lane.governor.refresh())));
}

async function inTime<T>(reading: Promise<T>): Promise<T | null> {
  return withDeadline(
    reading.catch(() => null),
    refreshMs,
    () => null,
  );
}

export const resumedAnswer = z.object({
  name: z.string(),
  was: z.enum(laneStates),
  state: z.enum(laneStates),
  resumed: z.int().describe('Attempts that were parked on the key.'),
});
type Resumed = z.output<typeof resumedAnswer>;

/** Asks the service first: a key that it still refuses stays closed. */
export async function resumeKey(service: ServiceAccess, name: string): Promise<Resumed> {
  const { ledger, lanes } = service;
  const lane = lanes.find((each) => each.name === name);
  if (!lane)
    throw unknownKey(
      name,
      lanes.map((each) => each.name),
    );
  const answer = await act(lane, service, (client) => client.check());
  if (!answer.ok) throw faultError(answer.fault, name, `The key ${name} could not be checked`);
  const was = (await ledger.lanes.list()).find((row) => row.id === lane.id)?.state ?? lane.state;
  const attempts = was === 'open' ? [] : await ledger.lanes.open(lane.id);
  if (was !== 'open') {
    const after = { state: 'open', resumed: attempts.length };
    await ledger.activity.record({ verb: 'key.resume', subject: name, before: { state: was }, after });
  }
  lane.state = 'open';
  if (attempts.length > 0) await service.addJobs(lane, 'dial', attempts);
  return { name, was, state: 'open', resumed: attempts.length };
}

export const confirmedAnswer = z.object({
  name: z.string(),
  differ: z
    .array(z.string())
    .describe('Processes (host:pid) that differ, and do not dial until they are restarted.'),
});
export type Confirmed = z.output<typeof confirmedAnswer>;

/**
 * A person says that this process has the right secret and rate; processes that differ stop dialling until a restart.
 */
export async function confirmKey(
  { ledger, sameKeys }: { ledger: Ledger; sameKeys: Pick<SameKeys, 'marks'> },
  name: string,
): Promise<Confirmed> {
  const marks = await sameKeys.marks();
  if (!Object.hasOwn(marks, name)) throw unknownKey(name, Object.keys(marks));
  await ledger.together(async ({ activity, processes }) => {
    await processes.confirmKey(name, marks[name]!);
    await activity.record({ verb: 'key.confirm', subject: name, after: { rate: marks[name]!.rate } });
  });
  const differing = await ledger.processes.differing();
  return { name, differ: differing.flatMap(({ key, process }) => (key === name ? [process] : [])) };
}

function unknownKey(name: string, names: readonly string[]): CarillonError {
  return new CarillonError(
    'key-unknown',
    `The key ${name} was not found; VOICE_API_KEYS has ${names.join(', ')}`,
  );
}
