import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Lane } from '../../lane/lane.ts';
import type { Answer, VoiceClient } from '../../voice/client.ts';
import type { Fault } from '../../voice/faults.ts';

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
