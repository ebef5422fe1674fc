import { untilAborted, withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Lane } from '../../lane/lane.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { knownNumber, namedNumber, wordsOf } from '../../rules/caller-numbers.ts';
import type { Caller, ListedCallers, Order } from '../../rules/order.ts';
import type { ServiceAgent, ServiceNumber } from '../../voice/call.ts';
import type { VoiceClient } from '../../voice/client.ts';
import type { Fault } from '../../voice/faults.ts';
import { pagesOf } from '../../voice/lists.ts';
import { isCaller } from '../../voice/numbers-and-agents.ts';
import { judgeFault, type ServiceAccess, wrongAddress } from './access.ts';

/**
 * Checks before anyone is called, the same for a run and its dry run: that a key is accepted, that caller numbers and
 * agents are known, and that nothing is missing without which the service refuses every call.
 */
type KeyCheck =
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
type Wanted = Pick<Order, 'callers' | 'agents'>;

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
  order: Wanted,
  token: (key: string) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<Preflight> {
  const found = await Promise.all(
    [...clients].map(async ([name, client]) => ({
      name,
      client,
      ...(await askLists(client, order.callers, clients.size > 1, () => token(name), signal)),
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
  judgeKeys(keys, order.callers, known);
  if (keys.every(({ state }) => state === 'accepted' || state === 'denied'))
    judgeOrder(
      order,
      found.filter(({ fault }) => fault === null),
    );
  return { keys, requests, listed };
}

/** If `addJobs` is missing, the reconciler adds the jobs. */
type KeysToCheck = Pick<ServiceAccess, 'ledger' | 'lanes' | 'clock' | 'patienceMs'> &
  Partial<Pick<ServiceAccess, 'addJobs' | 'note'>> & { signal?: AbortSignal };

/** Asks with every key; the answer opens or closes its lane. Returns the number of requests. */
export async function checkKeys(
  { ledger, lanes, clock, patienceMs, addJobs, note, signal }: KeysToCheck,
  order: Wanted,
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
  const checked = await checkService(clients, order, token, signal);
  for (const line of keyLines(checked.keys)) note?.(line);
  await learnPool(ledger, checked, order.callers, laneOf);
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
export async function checkOrder(service: ServiceAccess, order: Wanted): Promise<number> {
  const unchecked = (why: string) => {
    service.note(`${why}. The campaign is dialled when it answers.`);
    return 0;
  };
  const checked = checkKeys(service, order).catch((error: unknown) => {
    if (error instanceof CarillonError && error.code === 'service-unreachable')
      return unchecked(error.message);
    throw error;
  });
  if (service.patienceMs === undefined) return checked;
  return withDeadline(checked, service.patienceMs, () => unchecked('The voice service does not answer'));
}

function judgeKeys(keys: KeyCheck[], callers: Pool, known: readonly ServiceNumber[] | null): void {
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
    return;
  }
  // A key that did not answer may be the one that has the number.
  if (keys.some((key) => key.state === 'unreachable' || key.state === 'faulty')) return;
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
}

/** What would be refused at the first create. An agent or a number may be of any of the keys' accounts. */
function judgeOrder({ agents, callers }: Wanted, keys: readonly (Found & { client: VoiceClient })[]): void {
  for (const { id: agent } of agents) {
    const isMeant = ({ id, name, ref }: ServiceAgent) => [id, name, ref].includes(agent);
    if (keys.length > 0 && keys.every((key) => key.agents !== null && !key.agents.some(isMeant)))
      throw new CarillonError('agent-unknown', `The agent ${agent} is not among the account’s agents`);
    for (const from of callers.length > 0 ? callers : [null]) {
      if (from && 'listed' in from) continue;
      const call = { agentId: agent, from };
      const gaps = keys.map(({ client }) => (client.lacks(call) ? null : client.missing(call)));
      const [gap = null] = gaps;
      if (gap === null || gaps.includes(null)) continue;
      throw new CarillonError('request-invalid', `No call can be made: ${gap}`, {
        remedy: 'Nobody was called. Correct the order, or the profile.',
      });
    }
  }
}

function notListed(listed: string, why: string): CarillonError {
  return new CarillonError('caller-unknown', `The caller numbers ${listed} cannot be used: ${why}`, {
    remedy: 'Name the numbers with --from +E164; `carillon numbers --json` shows their fields.',
  });
}

/** `numbers` is null if the service does not list them. */
type Found = {
  numbers: ServiceNumber[] | null;
  /** Whether these are all. */
  whole: boolean;
  /** Null unless calls are made by listed agents alone, and all of them were read. */
  agents: ServiceAgent[] | null;
  requests: number;
  fault: Fault | { kind: 'unread'; message: string; remedy: string } | null;
};

const unread = (message: string, remedy: string) => ({ kind: 'unread' as const, message, remedy });
const resting = unread('it rests, as the service asked', 'It is used when the rest is over.');

/**
 * One number is enough to see that the key is accepted; a caller number is looked for on all pages. With several keys,
 * all pages are read, because each number is used only with a key whose account has it.
 */
async function askLists(
  client: VoiceClient,
  callers: Pool,
  several: boolean,
  token: () => Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const all = several || callers.some((caller) => 'listed' in caller);
  const isEnough = (items: readonly ServiceNumber[], cut: string | undefined) =>
    (!all || cut !== undefined) && callers.every((caller) => isAmong(items, caller));
  const { items: numbers, ...asked } =
    callers.length > 0 && client.can.numbers
      ? await readPages((turn) => client.numbers({ turn }, { signal }), token, isEnough)
      : await checkKey(client, token, signal);
  if (asked.fault !== null || !client.agentsAreListed) return { ...asked, numbers, agents: null };
  const agents = await readPages((turn) => client.agents({ turn }, { signal }), token);
  const requests = asked.requests + agents.requests;
  return { ...asked, numbers, requests, agents: agents.whole ? agents.items : null };
}

type Asked<Items> = Pick<Found, 'whole' | 'requests' | 'fault'> & { items: Items };
type Take = () => Promise<boolean>;

async function checkKey(client: VoiceClient, token: Take, signal?: AbortSignal): Promise<Asked<null>> {
  if (!(await token())) return { items: null, whole: false, requests: 0, fault: resting };
  const answer = await client.check({ signal });
  return { items: null, whole: false, requests: 1, fault: answer.ok ? null : answer.fault };
}

async function readPages<Item extends { id: string }>(
  page: Parameters<typeof pagesOf<Item>>[0],
  token: Take,
  isEnough: (items: readonly Item[], cut: string | undefined) => boolean = () => false,
): Promise<Asked<Item[]>> {
  const items: Item[] = [];
  let requests = 0;
  let rests = false;
  const before = async () => {
    rests = !(await token());
    return !rests;
  };
  for await (const answer of pagesOf(page, before)) {
    requests += 1;
    if (!answer.ok) return { items, whole: false, requests, fault: answer.fault };
    items.push(...answer.value.items);
    const { cut } = answer.value;
    if (isEnough(items, cut)) return { items, whole: false, requests, fault: null };
    if (cut === undefined) continue;
    const fault = unread(
      `its list cannot be read to the end: ${cut}`,
      'Name a number that is listed before.',
    );
    return { items, whole: false, requests, fault };
  }
  return { items, whole: !rests, requests, fault: rests ? resting : null };
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
