import type { Clock, Random } from '../base/clock.ts';
import type { MaxCalls } from '../base/config/keys.ts';
import type { Bucket } from '../engine/engine.ts';
import type { LaneRow, LaneState } from '../ledger/lanes/lanes.ts';
import type { Published } from '../rules/limit/belief.ts';
import type { VoiceClient } from '../voice/client.ts';
import { createGovernor, createsOf, type Governor, type RefusalCause } from './governor.ts';
import { createLiveCounter, type LiveCounter } from './live-count.ts';
import { createDirectoryLearner, type DirectoryLearner } from './numbers-and-agents.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { createSecondCap } from './per-second-cap.ts';
import { createPollPrice, type PollPrice } from './poll-price.ts';
import { createSendGate, type SendGate } from './send-gate.ts';
import type { Seat } from './shared-budget.ts';

/** A lane in this process: one key with its client, its pace and its tokens. */
export type Lane = {
  readonly id: number;
  readonly name: string;
  /** The lane's name in the engine. */
  readonly bucket: string;
  readonly client: VoiceClient;
  /** Looks up what the service wants in another form. */
  readonly directory: DirectoryLearner;
  /** Reads the service's own count of calls. */
  readonly liveCounter: LiveCounter;
  /** Only the records of calls tell that the account has no credit. */
  readonly creditOnRecord: boolean;
  readonly governor: Governor;
  readonly pacer: Pacer;
  /** Every request passes it at the moment it leaves. */
  readonly sendGate: SendGate;
  /** The worth of a request on this lane, for planning polls. */
  readonly pollPrice: PollPrice;
  /** How many dial jobs are taken ahead of their tokens. */
  readonly prefetch: Prefetch;
  /** The state as last read from the ledger, which is read again before every create. */
  state: LaneState;
  /** This process no longer has its key: it makes no more calls, and follows those that it made. */
  leaving: boolean;
  /**
   * Attempts that were planned on the lane when the planner last looked, less those that this process dialled since.
   */
  backlog: number;
};

type LaneOptions = {
  row: LaneRow;
  client: VoiceClient;
  /** The engine's tokens, and the lane's name there. */
  tokens: Bucket;
  bucket: string;
  /** Requests a second that the operator fixed, or null to learn them; the burst applies only to a fixed rate. */
  rate: number | null;
  burst: number;
  /** The owner's number of calls at once. */
  calls?: MaxCalls | null | undefined;
  published?: Published | undefined;
  /** Whether the owner fixed the interval of the polls. */
  keepsBeat: boolean;
  /** Its place among the keys of its account. */
  seat?: Seat | undefined;
  /** The lane's calls in progress, from the ledger. */
  inFlight(): Promise<number>;
  /** The same of all keys of its account. */
  inAccount?: (() => Promise<number>) | undefined;
  onUncounted?: ((why: string) => void) | undefined;
  onRefused?: ((cause: RefusalCause) => void) | undefined;
  onAway?: ((restMs: number, why: string | undefined) => void) | undefined;
  clock: Clock;
  random: Random;
};

export function createLane(options: LaneOptions): Lane {
  const { row, tokens, bucket, rate, clock } = options;
  const governor = createGovernor({
    bucket: tokens,
    lane: bucket,
    fixed: rate,
    burst: options.burst,
    calls: options.calls,
    published: options.published,
    inFlight: options.inFlight,
    onRefused: options.onRefused,
    onAway: options.onAway,
    onRest: (ms, kind) => (kind === 'create' ? pacer.pauseCreates(ms) : pacer.pause(ms)),
    seat: options.seat,
    clock,
    random: options.random,
  });
  const burst = rate === null ? 1 : options.burst;
  const secondCap = createSecondCap(governor.most, clock, burst);
  const pacer = createPacer({
    bucket: tokens,
    lane: bucket,
    tokens: governor.tokens,
    turn: () => options.seat?.budget.turn() ?? null,
    pace: governor.pace,
    createPace: governor.createPace,
    createsLane: createsOf(bucket),
    keepsBeat: options.keepsBeat,
    secondCap,
    clock,
  });
  const sendGate = createSendGate({ pacer, pace: governor.pace, secondCap, clock });
  return {
    id: row.id,
    name: row.name,
    bucket,
    client: options.client,
    governor,
    pacer,
    sendGate,
    directory: createDirectoryLearner({ client: options.client, sendGate, governor, clock }),
    liveCounter: createLiveCounter({
      client: options.client,
      sendGate,
      governor,
      calls: options.calls,
      made: options.inAccount ?? options.inFlight,
      onFailed: options.onUncounted,
      clock,
    }),
    creditOnRecord: options.client.creditOnRecord,
    pollPrice: createPollPrice(),
    prefetch: createPrefetch(),
    state: row.state,
    leaving: false,
    backlog: 0,
  };
}

/**
 * How many dial jobs a worker takes at a time. No other worker can take one of these: if the worker dies, they wait
 * until its lock expires. So a worker takes only the jobs that it is sending or can send soon.
 */
type Prefetch = {
  /** Notes how long it took from a token to the record of the answer. */
  note(tookMs: number): void;
  /** How many to take at this rate a second, and never more than `most`. */
  jobsAt(rate: number, most: number): number;
};

/** How much work may wait for its tokens: enough that no token waits for a job, even with a slow queue. */
const waitSeconds = 1;
/** Assumed until a first answer shows how long one takes. */
const firstTookMs = 500;

export function createPrefetch(): Prefetch {
  let tookMs = firstTookMs;
  return {
    note(took) {
      tookMs += (took - tookMs) * 0.1;
    },
    // Twice the mean, because some take longer than others.
    jobsAt: (rate, most) => Math.min(most, 2 + Math.ceil(rate * (waitSeconds + (2 * tookMs) / 1_000))),
  };
}
