import type { Clock } from '../clock.ts';
import type { LaneState } from '../ledger/lanes.ts';
import type { VoiceClient } from '../voice/client.ts';
import type { Gate } from './gate.ts';
import type { Governor } from './governor.ts';
import type { Hands } from './hands.ts';
import type { Pacer } from './pacer.ts';
import type { Price } from './price.ts';

/** A lane as this process has it: one key with its client, its pace and its tokens. */
export type LaneDesk = {
  readonly id: number;
  readonly name: string;
  /** The lane's name in the engine. */
  readonly bucket: string;
  readonly client: VoiceClient;
  readonly governor: Governor;
  readonly pacer: Pacer;
  /** Passed by every request at the moment it leaves. */
  readonly gate: Gate;
  /** What a request is worth here, for those who plan polls. */
  readonly price: Price;
  /** How many dial jobs are taken ahead of their tokens. */
  readonly hands: Hands;
  /** As the ledger last said; the ledger is asked again before every create. */
  state: LaneState;
  /** Attempts that were planned on the lane when the planner last looked. */
  backlog: number;
};

/** What every station needs from the outside. */
export type Tools = {
  clock: Clock;
  /** Somebody's place has become free, or a lane has changed: plan at once. */
  nudge(): void;
};
