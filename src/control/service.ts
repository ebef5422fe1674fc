import type { Clock } from '../base/clock.ts';
import type { PollSooner } from '../dispatch/hang-up.ts';
import type { AskDeps } from '../lane/ask.ts';
import type { Lane } from '../lane/lane.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OptOutRule } from '../voice/opt-out.ts';
import type { CallInput } from '../voice/profile.ts';

/** The voice service as a person's verb reaches it: within the budgets of the keys, and with queues if there are any. */
export type Service = AskDeps & {
  ledger: Ledger;
  baseUrl: string;
  lanes: readonly Lane[];
  clock: Clock;
  outcomeOf(status: string | null | undefined): string | null;
  /** Where the profile says that a person wants no more calls. */
  optOut: readonly OptOutRule[];
  /** The body that the profile sends to cancel a call. */
  cancelBody(): Record<string, unknown>;
  /** The body of a create, as the profile has it. */
  createBody(input: CallInput): Record<string, unknown>;
  /** How long a call is followed at most. */
  deadlineMs: number;
  /** Adds jobs for these attempts; without a queue, the reconciler adds them. */
  addJobs(lane: Lane, station: 'dial' | 'track', attempts: string[]): Promise<void>;
  /** Has a call in progress asked for sooner than planned. `run`: the campaign of the active run that follows it. */
  pollSooner: PollSooner;
  /** Hangs up what is due now on the keys of this process; without keys, other processes do it. */
  hangUp(): Promise<void>;
};
