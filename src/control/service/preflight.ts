import type { Config } from '../../base/config/config.ts';
import { isLoopback } from '../../base/config/networks.ts';
import { untilAborted, withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Lane } from '../../lane/lane.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { knownNumber, namedNumber, wordsOf } from '../../rules/caller-numbers.ts';
import type { Caller, ListedCallers } from '../../rules/order.ts';
import type { ServiceNumber } from '../../voice/call.ts';
import type { VoiceClient } from '../../voice/client.ts';
import type { Fault } from '../../voice/faults.ts';
import { pagesOf } from '../../voice/lists.ts';
import { isCaller } from '../../voice/numbers-and-agents.ts';
import type { ServiceAccess } from './access.ts';

/** Checks before anyone is called: that a key is accepted, and that the caller number is known. */
export type KeyCheck =
  | { name: string; state: 'accepted' }
  | {
      name: string;
      state: 'denied' | 'unreachable' | 'faulty';
      message: string;
      detail: string;
      remedy: string;
    };

export type Preflight = {
  keys: KeyCheck[];
  requests: number;
  /** The numbers of each key; `whole` when all pages were read. */
  listed: { name: string; numbers: ServiceNumber[]; whole: boolean }[];
};
type Pool = readonly (Caller | ListedCallers)[];

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

/** A doubt about the address that can be found without a request; null when there is none. */
export function judgeAddress({ voice }: Pick<Config, 'voice'>): { detail: string; remedy: string } | null {
  const { protocol, hostname, pathname } = new URL(voice.baseUrl!);
  if (protocol === 'http:' && !isLoopback(hostname))
    return { detail: `${voice.baseUrl} sends the keys in the clear`, remedy: 'Use https://.' };
  const isStandard = (voice.service ?? 'standard') === 'standard' && voice.profilePath === undefined;
  if (isStandard && !/\/v\d+$/.test(pathname))
    return {
      detail: `${voice.baseUrl} does not end in a version`,
      remedy: 'The interface’s paths begin with /v1: add it.',
    };
  return null;
}

/** The same in one line. */
export function addressLines(config: Pick<Config, 'voice'>): string[] {
  const doubt = judgeAddress(config);
  return doubt ? [`Warning: ${doubt.detail}. ${doubt.remedy}`] : [];
}

/** The keys that a run starts without, one line each. */
export function keyLines(keys: readonly KeyCheck[]): string[] {
  return keys.flatMap((key) =>
    key.state === 'accepted' ? [] : [`The key ${key.name}: ${key.detail}. ${key.remedy}`],
  );
}

/**
 * `token` waits for a token of the key, because a check is a request like any other; false when the key rests too long.
 * The signal ends every wait at once.
 */
export async function checkService(
  clients: ReadonlyMap<string, VoiceClient>,
  callers: Pool,
  token: (key: string) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<Preflight> {
  const found = await Promise.all(
    [...clients].map(async ([name, client]) => ({
      name,
      ...(await askNumbers(client, callers, clients.size > 1, () => token(name), signal)),
    })),
  );
  if (signal?.aborted) throw new CarillonError('interrupted', 'Interrupted before anybody was called');
  const keys = found.map(
    ({ name, fault }): KeyCheck => (fault ? { name, ...stateOf(fault) } : { name, state: 'accepted' }),
  );
  const known = found.every(({ numbers }) => numbers === null)
    ? null
    : found.flatMap(({ numbers }) => numbers ?? []);
  const lost = found.find(({ fault }) => fault?.kind === 'refused' && fault.missing)?.fault;
  if (lost && found.every(({ fault }) => fault !== null)) {
    const { detail, remedy } = wrongAddress(lost.message);
    throw new CarillonError('config-invalid', detail, { remedy });
  }
  const requests = found.reduce((sum, each) => sum + each.requests, 0);
  const listed = found.flatMap(({ name, numbers, whole }) =>
    numbers === null ? [] : [{ name, numbers, whole }],
  );
  return { keys: judgeKeys(keys, callers, known), requests, listed };
}

/** If `addJobs` is missing, the reconciler adds the jobs. */
type KeysToCheck = Pick<ServiceAccess, 'ledger' | 'lanes' | 'clock' | 'patienceMs'> &
  Partial<Pick<ServiceAccess, 'addJobs' | 'note'>> & { signal?: AbortSignal };

/** Asks with every key; the answer opens or closes its lane. Returns the number of requests. */
export async function checkKeys(
  { ledger, lanes, clock, patienceMs, addJobs, note, signal }: KeysToCheck,
  callers: Pool,
): Promise<number> {
  const laneOf = (name: string) => lanes.find((each) => each.name === name)!;
  const clients = new Map(lanes.map((lane) => [lane.name, lane.client]));
  const token = async (name: string) => {
    for (let waits = 0; !signal?.aborted; waits++) {
      const passage = await untilAborted(laneOf(name).sendGate.enter('poll'), signal);
      if (!passage) return false;
      if (passage.ok) return true;
      if (patienceMs !== undefined && passage.restMs > patienceMs) return false;
      if (waits === 0) note?.(restLine(name, passage.restMs));
      await clock.sleep(passage.restMs, signal);
    }
    return false;
  };
  const checked = await checkService(clients, callers, token, signal);
  for (const line of keyLines(checked.keys)) note?.(line);
  await learnPool(ledger, checked, callers, laneOf);
  const rows = await ledger.lanes.list();
  for (const key of checked.keys) {
    const lane = laneOf(key.name);
    if (key.state === 'accepted' && rows.find((row) => row.id === lane.id)?.state === 'denied') {
      const attempts = await ledger.lanes.open(lane.id);
      lane.state = 'open';
      if (attempts.length > 0) await addJobs?.(lane, 'dial', attempts);
    }
    if (key.state === 'denied') {
      await ledger.lanes.deny(lane.id, key.message);
      lane.state = 'denied';
    }
  }
  return checked.requests;
}

/** The ledger chooses among the numbers, and must know which key has which. */
async function learnPool(
  { callerNumbers }: Pick<Ledger, 'callerNumbers'>,
  { listed }: Preflight,
  callers: Pool,
  laneOf: (name: string) => Lane,
): Promise<void> {
  const named = callers.flatMap((each) => ('number' in each ? [namedNumber(each.number)] : []));
  await callerNumbers.learn(named, null);
  for (const { name, numbers, whole } of listed)
    await callerNumbers.learn(numbers.map(knownNumber), whole ? laneOf(name).id : null);
}

/** A silent wait looks like a program that hangs. */
export function restLine(key: string, restMs: number): string {
  return `Waiting ${(restMs / 1_000).toFixed(1)} s for the key ${key}: it rests, or other requests are first.`;
}

/** The same before background workers dial. If the service is away, the campaign waits for it with them. */
export async function checkOrder(service: ServiceAccess, callers: Pool): Promise<number> {
  const unchecked = (why: string) => {
    service.note(`${why}. The campaign is dialled when it answers.`);
    return 0;
  };
  const checked = checkKeys(service, callers).catch((error: unknown) => {
    if (error instanceof CarillonError && error.code === 'service-unreachable')
      return unchecked(error.message);
    throw error;
  });
  if (service.patienceMs === undefined) return checked;
  return withDeadline(checked, service.patienceMs, () => unchecked('The voice service does not answer'));
}

function judgeKeys(keys: KeyCheck[], callers: Pool, known: readonly ServiceNumber[] | null): KeyCheck[] {
  const accepted = keys.filter((key) => key.state === 'accepted');
  if (accepted.length === 0) {
    const worst = keys.find((key) => key.state === 'denied') ?? keys[0]!;
    const message = 'message' in worst ? worst.message : '';
    if (worst.state === 'denied') {
      throw new CarillonError('key-denied', `The service does not accept the key ${worst.name}: ${message}`);
    }
    if (worst.state === 'unreachable')
      throw new CarillonError('service-unreachable', `The voice service cannot be reached: ${message}`);
    // A run waits for a busy or failing service anyway; only the words are passed on.
    return keys;
  }
  // A key that did not answer may be the one that has the number.
  if (keys.some((key) => key.state === 'unreachable' || key.state === 'faulty')) return keys;
  for (const caller of callers) {
    if ('listed' in caller) {
      if (known === null) throw notListed(caller.listed, 'the service does not list its numbers');
      if (!isAmong(known, caller)) throw notListed(caller.listed, 'the account has no such number');
    } else if (known !== null && !isAmong(known, caller)) {
      const shown = 'number' in caller ? caller.number : `with the id ${caller.numberId}`;
      throw new CarillonError(
        'caller-unknown',
        `The caller number ${shown} is not among the account’s phone numbers`,
      );
    }
  }
  return keys;
}

function notListed(listed: string, why: string): CarillonError {
  return new CarillonError('caller-unknown', `The caller numbers ${listed} cannot be used: ${why}`, {
    remedy: 'Name the numbers with --from +E164; `carillon numbers --json` shows their fields.',
  });
}

/** The address lacks something that every service has. */
function wrongAddress(words: string): { detail: string; remedy: string } {
  return {
    detail: `VOICE_BASE_URL does not seem to be the service’s address: ${words}`,
    remedy: 'Check it against the service’s documentation, with its version and nothing after it.',
  };
}

/** `numbers` is null if the service does not list them. */
type Found = {
  numbers: ServiceNumber[] | null;
  /** Whether these are all. */
  whole: boolean;
  requests: number;
  fault: Fault | { kind: 'unread'; message: string; remedy: string } | null;
};

/**
 * One number is enough to see that the key is accepted; a caller number is looked for on all pages. With several keys,
 * all pages are read, because each number is used only with a key whose account has it.
 */
async function askNumbers(
  client: VoiceClient,
  callers: Pool,
  several: boolean,
  token: () => Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const numbers: ServiceNumber[] = [];
  const unread = (message: string, remedy: string) => ({ kind: 'unread' as const, message, remedy });
  const resting = unread('it rests, as the service asked', 'It is used when the rest is over.');
  let requests = 0;
  if (callers.length === 0 || !client.can.numbers) {
    const none = { numbers: null, whole: false };
    if (!(await token())) return { ...none, requests, fault: resting };
    const answer = await client.check({ signal });
    return { ...none, requests: 1, fault: answer.ok ? null : answer.fault };
  }
  const all = several || callers.some((caller) => 'listed' in caller);
  let rests = false;
  const before = async () => {
    rests = !(await token());
    return !rests;
  };
  for await (const page of pagesOf((turn) => client.numbers({ turn }, { signal }), before)) {
    requests += 1;
    if (!page.ok) return { numbers, whole: false, requests, fault: page.fault };
    numbers.push(...page.value.items);
    const { cut } = page.value;
    if (all && cut === undefined) continue;
    if (callers.every((caller) => isAmong(numbers, caller)))
      return { numbers, whole: false, requests, fault: null };
    if (cut === undefined) continue;
    const fault = unread(
      `its numbers cannot be listed to the end: ${cut}`,
      'Name a number that is listed before.',
    );
    return { numbers, whole: false, requests, fault };
  }
  return { numbers, whole: !rests, requests, fault: rests ? resting : null };
}

function isAmong(numbers: readonly ServiceNumber[], caller: Caller | ListedCallers): boolean {
  if (!('listed' in caller)) return numbers.some((each) => isCaller(each, caller));
  return numbers.some(({ record }) => caller.listed === 'all' || wordsOf(record).includes(caller.listed));
}

function stateOf(fault: NonNullable<Found['fault']>): Omit<Extract<KeyCheck, { message: string }>, 'name'> {
  const { kind, message } = fault;
  if (kind === 'unread') return { state: 'faulty', message, detail: message, remedy: fault.remedy };
  const state = kind === 'denied' || kind === 'unreachable' ? kind : 'faulty';
  return { ...judgeFault(fault), state, message };
}
