import type { CallInput, Placed, Call as Told } from '../../src/voice/call.ts';
import type { Answer, RequestOptions, VoiceClient, WrittenRequest } from '../../src/voice/client.ts';
import { type Fault, lostFault, unreachableFault, unsentFault } from '../../src/voice/faults.ts';
import { standard } from '../../src/voice/load-service.ts';
import { createReader } from '../../src/voice/read-answer.ts';
import type { Owner, World } from './world.ts';

/** What an answered call costs; others are free. */
export const callCost = 0.1;

/** The voice service in memory, as unreliable as the interface allows, and its own journal of what it did. */
export type Call = {
  id: string;
  /** The person of a campaign, as the create's variables name them. */
  who: string;
  phone: string;
  madeAt: number;
  endsAt: number;
  status: string;
};

/** The fate of a create. */
export type CreateFate =
  | 'fine'
  | 'busy'
  | 'broke'
  | 'denied'
  | 'wrong-person'
  | 'wrong-order'
  | 'fails-before'
  | 'fails-after'
  | 'silent-before'
  | 'silent-after'
  | 'cut'
  | 'unreachable'
  | 'late'
  | 'other-id'
  | 'other-phone';
export type ReadFate =
  | 'fine'
  | 'busy'
  | 'missing'
  | 'fails'
  | 'silent'
  | 'other-call'
  | 'denied'
  | 'unreachable';

/** The first of these may have made a call of which nobody here knows. */
export const ambiguous: ReadonlySet<CreateFate> = new Set([
  'fails-before',
  'fails-after',
  'silent-before',
  'silent-after',
  'cut',
  'late',
  'other-id',
  'other-phone',
]);

export type ServiceWeather = {
  create(): CreateFate;
  read(): ReadFate;
  /** How a call goes. */
  call(): { status: string; lastsMs: number };
  /** Of a request: until it leaves, arrives, and its answer is there. */
  connectMs(): number;
  wayMs(): number;
};

export type Sent = {
  who: string;
  phone: string;
  fate: CreateFate;
  at: number;
  by: Owner;
  /** The service promises one call for its key, and may have made it. */
  isKnown: boolean;
};
/** A create as it leaves with its key. */
type Keyed = { input: CallInput; key: string };

export type Watch = {
  /** A create leaves at this moment. */
  leaves(sent: Sent): Promise<void>;
  /** A moment in which the process may end. */
  mayEnd(by: Owner): void;
  /** A call is made. */
  makes(call: Call): void;
};

export type Service = ReturnType<typeof createService>;

export function createService(world: World, weather: ServiceWeather, watch: Watch, promise: number | null) {
  /** What came first under a key, and its call. A promise is kept to the second, and no longer. */
  const firsts = new Map<string, { body: string; until: number; call: Call | null }>();
  const calls: Call[] = [];
  const byId = new Map<string, Call>();
  const closed = new Set<string>();
  let answerless = 0;
  let isOpen = false;
  const reader = createReader(standard(), (path) => path);

  const make = (input: CallInput, written?: WrittenRequest): Call => {
    const first = written && firsts.get(keyOf(written));
    if (first?.call) return first.call;
    const { status, lastsMs } = weather.call();
    const now = world.now();
    const who = String(input.variables?.who);
    const call = {
      id: `call-${calls.length + 1}`,
      who,
      phone: input.phone,
      madeAt: now,
      endsAt: now + lastsMs,
      status,
    };
    calls.push(call);
    byId.set(call.id, call);
    if (first) first.call = call;
    world.note(null, `the service calls ${who} at ${input.phone}: ${call.id}`);
    watch.makes(call);
    return call;
  };

  const recordOf = (call: Call): Told => {
    const over = call.endsAt <= world.now();
    const record = {
      id: call.id,
      phone_number: call.phone,
      status: over ? call.status : 'in-progress',
      ...(over && call.status === 'completed' ? { transcript: 'Hello.', duration: 10, cost: callCost } : {}),
      created_at: new Date(call.madeAt).toISOString(),
      updated_at: new Date(over ? call.endsAt : world.now()).toISOString(),
    };
    return reader.call(record, '', world.now())!;
  };

  const createdOf = (call: Call, phone: string | null = call.phone): Placed =>
    reader.placed({ id: call.id, status: 'queued', phone_number: phone, message: 'queued' }, false)!;

  /** Plays a create at the service, and gives its answer; null is silence. */
  const create = (
    input: CallInput,
    fate: CreateFate,
    key: string,
    written?: WrittenRequest,
  ): Placed | Fault | null => {
    if (closed.has(key) && fate !== 'silent-before') return denied;
    if (written && promise !== null) {
      const known = firsts.get(keyOf(written));
      if (known && known.until > world.now() && known.body !== written.body)
        return { ...lostFault('another body', 422), keySpent: true } as Fault;
      if (!known || known.until <= world.now())
        firsts.set(keyOf(written), { body: written.body!, until: world.now() + promise * 1_000, call: null });
    }
    const other = calls.find((each) => each.phone !== input.phone);
    switch (fate) {
      case 'busy':
        return {
          kind: 'busy',
          message: 'slower',
          status: 429,
          retryAfterMs: world.random() < 0.5 ? null : 2_000,
        };
      case 'broke':
        return { kind: 'no-credit', message: 'no credit', status: 402 };
      case 'denied':
        // On its way when the keys were opened for good.
        if (isOpen) return createdOf(make(input, written));
        closed.add(key);
        return denied;
      case 'wrong-person':
        return {
          kind: 'refused',
          message: 'the number is not valid',
          status: 422,
          customer: true,
          missing: false,
          invalid: true,
        };
      case 'wrong-order':
        return { ...missing, message: 'no such agent' };
      case 'fails-before':
        return lostFault('internal', 500);
      case 'fails-after':
        make(input, written);
        return lostFault('internal', 500);
      case 'silent-before':
        return null;
      case 'silent-after':
        make(input, written);
        return null;
      case 'cut':
        make(input, written);
        return lostFault('its body was cut', 200, true);
      case 'other-id':
        make(input, written);
        return other ? createdOf(other, null) : createdOf(calls.at(-1)!);
      case 'other-phone':
        return createdOf(make(input, written), '+15005550009');
      default:
        return createdOf(make(input, written));
    }
  };

  const read = (id: string, fate: ReadFate): Told | Fault | null => {
    const call = byId.get(id);
    switch (fate) {
      case 'busy':
        return { kind: 'busy', message: 'slower', status: 429, retryAfterMs: null };
      case 'missing':
        return missing;
      case 'fails':
        return lostFault('internal', 503);
      case 'silent':
        return null;
      case 'denied':
        return denied;
      case 'other-call': {
        const other = calls.find((each) => each.id !== id);
        return other ? recordOf(other) : lostFault('internal', 500);
      }
      default:
        return call ? recordOf(call) : missing;
    }
  };

  const hangUp = (id: string, fate: ReadFate): Told | Fault | null => {
    const call = byId.get(id);
    if (fate === 'fine' && call && call.endsAt > world.now()) {
      call.endsAt = world.now();
      call.status = 'canceled';
    }
    return read(id, fate);
  };

  return {
    calls: calls as readonly Call[],
    /** A key is accepted again. */
    accept() {
      isOpen = true;
      closed.clear();
    },
    silences: () => answerless,
    clientOf(owner: Owner, key: string, timeoutMs: number): VoiceClient {
      const request = <T>(
        what: string,
        options: { mayLeave?: (() => boolean) | undefined; onSent?: (() => void) | undefined } | undefined,
        plan: () => { fate: string; lateMs: number; leaves?: () => Promise<void>; act(): T | Fault | null },
      ): Promise<Answer<T>> => {
        const began = world.now();
        const ms = () => world.now() - began;
        const fail = (fault: Fault): Answer<T> => ({ ok: false, fault, ms: ms() });
        if (!owner.alive) return new Promise(() => undefined);
        return new Promise((resolve) => {
          const leave = async () => {
            watch.mayEnd(owner);
            if (!owner.alive) return;
            if (options?.mayLeave && !options.mayLeave()) return resolve(fail(unreachableFault('not sent')));
            if (options?.mayLeave) {
              // It is noted, and about to leave.
              watch.mayEnd(owner);
              if (!owner.alive) return;
            }
            const { fate, lateMs, leaves, act } = plan();
            if (fate === 'unreachable') return resolve(fail(unreachableFault('no connection')));
            options?.onSent?.();
            await leaves?.();
            world.note(owner, `${what} leaves: ${fate}`);
            if (leaves) watch.mayEnd(owner);
            world.at(world.now() + timeoutMs, owner, 'timer', () =>
              resolve(fail(lostFault('timed out', null))),
            );
            world.at(world.now() + weather.wayMs() + lateMs, null, `${what} arrives`, () => {
              const answer = act();
              if (answer === null) {
                answerless += 1;
                return;
              }
              const value: Answer<T> = isFault(answer)
                ? fail(answer)
                : { ok: true, value: answer, status: 200, ms: ms() };
              world.at(world.now() + weather.wayMs(), owner, `answer to ${what}`, () =>
                resolve(value.ok ? { ...value, ms: ms() } : value),
              );
            });
          };
          world.at(world.now() + weather.connectMs(), owner, 'timer', leave);
        });
      };
      const post = (input: CallInput, options: RequestOptions | undefined, written?: WrittenRequest) => {
        const who = String(input.variables?.who);
        return request<Placed>(`create ${who}`, options, () => {
          const fate = weather.create();
          const first = written && firsts.get(keyOf(written));
          const isKnown = first !== undefined && first.call !== null && first.until > world.now() + timeoutMs;
          return {
            fate,
            lateMs: fate === 'late' ? Math.floor(timeoutMs * (0.8 + world.random() * 2)) : 0,
            leaves: () =>
              watch.leaves({ who, phone: input.phone, fate, at: world.now(), by: owner, isKnown }),
            act: () => create(input, fate, key, written),
          };
        });
      };
      return {
        create: (input, options) => post(input, options),
        write: (input, key) => ({ path: '/call', headers: [], body: JSON.stringify({ input, key }) }),
        send: (written, options) => post(keyedOf(written).input, options, written),
        repeatsFor: promise === null ? null : promise - 20,
        get: ({ id }, options) =>
          request<Told>(`read ${id}`, options, () => {
            const fate = weather.read();
            return { fate, lateMs: 0, act: () => read(id, fate) };
          }),
        hangUp: ({ id }, options) =>
          request<Told>(`hang up ${id}`, options, () => {
            const fate = weather.read();
            return { fate, lateMs: 0, act: () => hangUp(id, fate) };
          }),
        numbers: async () => ({ ok: true, value: { items: [], next: null }, status: 200, ms: 0 }),
        check: async () => ({ ok: true, value: 0, status: 200, ms: 0 }),
        find: notHere,
        update: notHere,
        transcript: notHere,
        agents: notHere,
        liveCalls: notHere,
        open: notHere,
        lacks: () => null,
        missing: () => null,
        agentsAreListed: false,
        describe: (input) => ({ method: 'POST', url: '/call', body: input }),
        can: {
          find: false,
          hangUp: true,
          update: false,
          transcript: false,
          numbers: true,
          agents: false,
          liveCalls: false,
        },
        creditOnRecord: false,
        comesLast: 'transcript',
        listing: null,
        speed: () => 1,
        rekey: () => false,
        close: async () => undefined,
      };
    },
  };
}

const keyedOf = ({ body }: WrittenRequest): Keyed => JSON.parse(body!) as Keyed;
const keyOf = (written: WrittenRequest): string => keyedOf(written).key;

const denied: Fault = { kind: 'denied', message: 'unauthorized', status: 401 };
const missing: Fault = {
  kind: 'refused',
  message: 'not found',
  status: 404,
  customer: false,
  missing: true,
  invalid: false,
};
const notHere = async () => ({
  ok: false as const,
  fault: unsentFault('this service cannot do that'),
  ms: 0,
});

function isFault(answer: unknown): answer is Fault {
  return 'kind' in (answer as object) && 'message' in (answer as object);
}
