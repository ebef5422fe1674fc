import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { PollSooner } from '../../dispatch/hang-up.ts';
import type { Lane } from '../../lane/lane.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CallInput, Described } from '../../voice/call.ts';
import type { Answer, VoiceClient } from '../../voice/client.ts';
import type { Fault } from '../../voice/faults.ts';
import type { Hook, HookRead } from '../../voice/hooks.ts';
import type { OptOutRule } from '../../voice/opt-out.ts';

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

/** Sends one request that a person asked for: it uses the key's own budget and waits out a 429. */
export type AskDeps = {
  clock: Clock;
  note(line: string): void;
  /** The longest wait for a key that rests, and of a question for its turn. */
  patienceMs?: number;
  /** Ends the wait when the client is gone. */
  signal?: AbortSignal;
  /** Counts a question against its sender; call the function when it is answered. Throws when there are too many. */
  begin?(): () => void;
};

type Send<T> = (client: VoiceClient) => Promise<Answer<T>>;
export type Asking = <T>(lane: Lane, deps: AskDeps, send: Send<T>) => Promise<Answer<T>>;

/** A question: calls and polls come first, and it ends when nobody waits for the answer. */
export const ask: Asking = async (lane, deps, send) => {
  const end = deps.begin?.();
  const answered = new AbortController();
  const stop = new AbortController();
  const leave = () => stop.abort();
  deps.signal?.addEventListener('abort', leave, { once: true });
  if (deps.patienceMs !== undefined) void deps.clock.sleep(deps.patienceMs, answered.signal).then(leave);
  if (deps.signal?.aborted) leave();
  try {
    return await sendIn(lane, deps, send, 'ask', stop.signal);
  } finally {
    answered.abort();
    deps.signal?.removeEventListener('abort', leave);
    end?.();
  }
};

/** A change that a person ordered: it waits like a poll, and is not taken back. */
export const act: Asking = (lane, deps, send) => sendIn(lane, deps, send, 'poll', undefined);

async function sendIn<T>(
  lane: Lane,
  deps: AskDeps,
  send: Send<T>,
  kind: 'ask' | 'poll',
  signal: AbortSignal | undefined,
): Promise<Answer<T>> {
  const rest = async (ms: number) => {
    if (deps.patienceMs !== undefined && ms > deps.patienceMs)
      throw busy(`The key ${lane.name} rests for ${Math.ceil(ms / 1_000)} s, as the service asked`);
    deps.note(`The key ${lane.name} rests ${(ms / 1_000).toFixed(1)} s, as the service asked; waiting.`);
    await deps.clock.sleep(ms, signal);
  };
  for (;;) {
    const passage = await lane.sendGate.enter(kind, signal);
    if (signal?.aborted) throw busy(`All requests of the key ${lane.name} are needed for its calls`);
    if (!passage.ok) {
      await rest(passage.restMs);
      continue;
    }
    const answer = await send(lane.client);
    if (answer.ok) lane.governor.clean(false, answer.ms);
    if (answer.ok || answer.fault.kind !== 'busy') return answer;
    await rest(await lane.governor.busy(answer.fault.retryAfterMs, answer.ms));
  }
}

function busy(message: string): CarillonError {
  return new CarillonError('key-busy', message);
}

/** A fault as an error for a person, with the remedy. */
export function faultError(fault: Fault, key: string, what: string): CarillonError {
  switch (fault.kind) {
    case 'denied':
      return new CarillonError('key-denied', `The service does not accept the key ${key}: ${fault.message}`);
    case 'unreachable':
      return new CarillonError('service-unreachable', `${what}: ${fault.message}`);
    case 'refused':
      return new CarillonError(
        fault.invalid ? 'request-invalid' : 'service-answer',
        `${what}: ${fault.message}`,
        { remedy: 'Compare the request with the service’s answer.' },
      );
    default:
      return new CarillonError('service-answer', `${what}: ${fault.message}`);
  }
}

/** What a key's fault means and its remedy, in the same words for a run, its dry run and `doctor`. */
export function judgeFault(fault: Fault): { state: 'warn' | 'fail'; detail: string; remedy: string } {
  const { kind, message } = fault;
  if (kind === 'denied') {
    const detail = `the service does not accept it: ${message}`;
    return { state: 'fail', detail, remedy: 'Put a valid key into VOICE_API_KEYS.' };
  }
  if (kind === 'busy')
    return { state: 'warn', detail: message, remedy: 'The service is busy: try again in a while.' };
  if (kind === 'unreachable')
    return { state: 'fail', detail: message, remedy: 'Check VOICE_BASE_URL and the network.' };
  if (kind === 'refused' && fault.missing) return { state: 'fail', ...wrongAddress(message) };
  const remedy = 'Check that VOICE_BASE_URL is the service’s address, with its version.';
  return { state: 'fail', detail: message, remedy };
}

/** The address lacks something that every service has. */
export function wrongAddress(words: string): { detail: string; remedy: string } {
  return {
    detail: `VOICE_BASE_URL does not seem to be the service’s address: ${words}`,
    remedy: 'Check it against the service’s documentation, with its version and nothing after it.',
  };
}
