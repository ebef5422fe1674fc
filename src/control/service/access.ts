import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { PollSooner } from '../../dispatch/hang-up.ts';
import type { Lane } from '../../lane/lane.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CallInput, Described } from '../../voice/call.ts';
import type { Hook, HookRead } from '../../voice/hooks.ts';
import type { OptOutRule } from '../../voice/opt-out.ts';
import type { AskDeps } from './ask.ts';

/**
 * The voice service as a person's verb reaches it: within the budgets of the keys, and with queues if there are any.
 */
export type ServiceAccess = AskDeps & {
  ledger: Ledger;
  baseUrl: string;
  lanes: readonly Lane[];
  clock: Clock;
  /** Where the profile says that a person wants no more calls. */
  optOut: readonly OptOutRule[];
  /** The call that a webhook of the service is about, and whether it comes from the service. */
  readHook(hook: Hook): HookRead;
  /** The header that carries the key, in place of `{key}`. */
  auth: Readonly<{ header: string; value: string }>;
  /** Whether the service tells what a call cost. */
  tellsCost: boolean;
  /** A create as it would be sent, without the key. */
  describe(input: CallInput): Described;
  /** Why the service may not be sent this override; null if it may. */
  overrideFault(override: unknown): string | null;
  /** The longest time for which a call is followed. */
  deadlineMs: number;
  /** Adds jobs for these attempts; without a queue, the reconciler adds them. */
  addJobs(lane: Lane, station: 'dial' | 'track', attempts: string[]): Promise<void>;
  /** Polls a call in progress sooner than planned. `run` is the campaign of the active run that follows it. */
  pollSooner: PollSooner;
  /** Hangs up what is due now on the keys of this process; without keys, other processes do it. */
  hangUp(): Promise<void>;
};

/** Refuses an override that would decide whom a call reaches, from where, or who hears of it. */
export function checkOverride(
  { overrideFault }: Pick<ServiceAccess, 'overrideFault'>,
  override: unknown,
): void {
  const message = overrideFault(override);
  if (message === null) return;
  throw new CarillonError('usage-invalid', message, {
    remedy:
      'Leave it out: the order has terms of its own for whom it calls and from where; the rest is set at the service.',
    issues: [{ path: 'override', message }],
  });
}
