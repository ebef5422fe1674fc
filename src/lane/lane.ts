import type { Clock, Random } from '../base/clock.ts';
import type { Bucket } from '../engine/engine.ts';
import type { LaneRow, LaneState } from '../ledger/lanes/verbs.ts';
import type { VoiceClient } from '../voice/client.ts';
import { createDeparture, type Departure } from './departure.ts';
import { createGovernor, type Governor } from './governor.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { createPollPrice, type PollPrice } from './poll-price.ts';
import { createPrefetch, type Prefetch } from './prefetch.ts';
import { createSecondCap } from './second-cap.ts';

/** A lane as this process has it: one key with its client, its pace and its tokens. */
export type Lane = {
  readonly id: number;
  readonly name: string;
  /** The lane's name in the engine. */
  readonly bucket: string;
  readonly client: VoiceClient;
  readonly governor: Governor;
  readonly pacer: Pacer;
  /** Passed by every request at the moment it leaves. */
  readonly departure: Departure;
  /** What a request is worth here, for those who plan polls. */
  readonly pollPrice: PollPrice;
  /** How many dial jobs are taken ahead of their tokens. */
  readonly prefetch: Prefetch;
  /** As the ledger last said; the ledger is asked again before every create. */
  state: LaneState;
  /** Attempts that were planned on the lane when the planner last looked. */
  backlog: number;
};

export type LaneOptions = {
  /** The lane as it stands in the ledger. */
  row: LaneRow;
  client: VoiceClient;
  /** The engine's tokens, and the lane's name there. */
  tokens: Bucket;
  bucket: string;
  /** Requests a second that the operator fixed, or null to learn them; the burst counts for a fixed rate only. */
  rate: number | null;
  burst: number;
  /** Whether the owner fixed the beat of the polls. */
  keepsBeat: boolean;
  /** How many calls the lane has under way, as the ledger knows it. */
  inFlight(): Promise<number>;
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
    inFlight: options.inFlight,
    onRest: (ms) => pacer.pause(ms),
    clock,
    random: options.random,
  });
  const burst = rate === null ? 1 : options.burst;
  const secondCap = createSecondCap(() => governor.limit().rate, clock, burst);
  const pacer = createPacer({
    bucket: tokens,
    lane: bucket,
    pace: governor.pace,
    keepsBeat: options.keepsBeat,
    secondCap,
    clock,
  });
  return {
    id: row.id,
    name: row.name,
    bucket,
    client: options.client,
    governor,
    pacer,
    departure: createDeparture({ pacer, pace: governor.pace, secondCap, clock }),
    pollPrice: createPollPrice(),
    prefetch: createPrefetch(),
    state: row.state,
    backlog: 0,
  };
}
