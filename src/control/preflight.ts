import { CarillonError } from '../base/errors.ts';
import type { Caller } from '../rules/order.ts';
import type { VoiceClient } from '../voice/client.ts';
import type { PhoneNumber } from '../voice/wire.ts';

/** What can be checked before anybody is called: that a key is accepted, and that the caller number is known. */
export type KeyCheck =
  | { name: string; state: 'accepted' }
  | { name: string; state: 'denied' | 'unreachable' | 'faulty'; message: string };

export type Preflight = { keys: KeyCheck[]; requests: number };

/** `token` waits for one of the key's tokens: a check is a request like any other. */
export async function checkService(
  clients: ReadonlyMap<string, VoiceClient>,
  callers: readonly Caller[],
  token: (key: string) => Promise<void>,
): Promise<Preflight> {
  const keys: KeyCheck[] = [];
  const known: PhoneNumber[] = [];
  let requests = 0;
  for (const [name, client] of clients) {
    await token(name);
    const found =
      callers.length > 0 ? await findNumbers(client, callers, () => token(name)) : await askOnce(client);
    requests += found.requests;
    known.push(...found.numbers);
    keys.push(found.fault ? { name, ...stateOf(found.fault) } : { name, state: 'accepted' });
  }
  return { keys: judgeKeys(keys, callers, known), requests };
}

function judgeKeys(keys: KeyCheck[], callers: readonly Caller[], known: readonly PhoneNumber[]): KeyCheck[] {
  const accepted = keys.filter((key) => key.state === 'accepted');
  if (accepted.length === 0) {
    const worst = keys.find((key) => key.state === 'denied') ?? keys[0]!;
    const message = 'message' in worst ? worst.message : '';
    if (worst.state === 'denied') {
      throw new CarillonError('key-denied', `The service does not accept the key ${worst.name}: ${message}`);
    }
    if (worst.state === 'unreachable')
      throw new CarillonError('service-unreachable', `The voice service cannot be reached: ${message}`);
    // A service that is busy or ill at this moment is waited for by the run itself; only its words are passed on.
    return keys;
  }
  for (const caller of callers) {
    const isKnown = known.some((each) =>
      'number' in caller
        ? each.phone_number.replace(/[^+\d]/g, '') === caller.number
        : each.id === caller.numberId,
    );
    if (!isKnown) {
      const shown = 'number' in caller ? `--from ${caller.number}` : `--number-id ${caller.numberId}`;
      throw new CarillonError('caller-unknown', `${shown} is not among the account’s phone numbers`);
    }
  }
  return keys;
}

type Found = { numbers: PhoneNumber[]; requests: number; fault: { kind: string; message: string } | null };

async function askOnce(client: VoiceClient): Promise<Found> {
  const answer = await client.listNumbers({ limit: 1 });
  return answer.ok
    ? { numbers: answer.value, requests: 1, fault: null }
    : { numbers: [], requests: 1, fault: answer.fault };
}

async function findNumbers(
  client: VoiceClient,
  callers: readonly Caller[],
  token: () => Promise<void>,
): Promise<Found> {
  const numbers: PhoneNumber[] = [];
  let requests = 0;
  for await (const page of client.allNumbers()) {
    requests += 1;
    if (!page.ok) return { numbers, requests, fault: page.fault };
    numbers.push(...page.value);
    const missing = callers.some(
      (caller) =>
        !numbers.some((each) =>
          'number' in caller ? each.phone_number === caller.number : each.id === caller.numberId,
        ),
    );
    if (!missing) break;
    await token();
  }
  return { numbers, requests, fault: null };
}

function stateOf(fault: { kind: string; message: string }): {
  state: 'denied' | 'unreachable' | 'faulty';
  message: string;
} {
  const state = fault.kind === 'denied' ? 'denied' : fault.kind === 'unreachable' ? 'unreachable' : 'faulty';
  return { state, message: fault.message };
}
