/** Every call that was made. A call has no timer: its state follows from its script and the time. */
import type { Script } from './fates.ts';
import type { Traits } from './faults.ts';
import type { CallStatus } from './settings.ts';

/** Why a service made a record and dialled nobody. */
export type Undialled = 'no-room' | 'no-credit' | 'invalid';

export type Call = Script & {
  id: string;
  phone: string;
  name: string | null;
  agentId: string;
  key: number;
  /** How many calls this phone had before. */
  nth: number;
  /** Simulated time, like `startsAt` and `canceledAt`. */
  createdAt: number;
  /** When its dialling began: later than `createdAt` if it waited for room, null while it waits. */
  startsAt: number | null;
  canceledAt: number | null;
  endless: boolean;
  lateMs: number;
  lateCostMs: number;
  metadata: Record<string, unknown>;
  /** Wall-clock time. */
  patchedAt: number;
  undialled: Undialled | null;
  from: string | null;
  /** The attempt's id, if the create had one. */
  stamp: string | null;
  /** The create's body, for services whose record repeats parts of it. */
  sent: Record<string, unknown>;
};

type NewCall = Pick<Call, 'id' | 'phone' | 'name' | 'agentId' | 'key' | 'createdAt'> &
  Script &
  Traits &
  Partial<Pick<Call, 'undialled' | 'from' | 'stamp' | 'sent'>> & { waits?: boolean };

export type Calls = {
  add(call: NewCall): Call;
  find(id: string): Call | undefined;
  /** The id of the first call that was made, if there is one. */
  first(): string | undefined;
  /** All calls, the latest first. */
  latest(): IterableIterator<Call>;
  cancel(call: Call, now: number): void;
  timesCalled(phone: string): number;
  /** A key's live calls, and the most it ever had at once. */
  ofKey(now: number, key: number): { inFlight: number; peakInFlight: number };
  counts(now: number): CallCounts;
  /** Ends what has ended by now, and begins what waited for its room. */
  settle(now: number): void;
};

export type CallCounts = {
  created: number;
  inFlight: number;
  peakInFlight: number;
  ended: Partial<Record<CallStatus, number>>;
  distinctPhones: number;
  /** Calls beyond the first to the same phone. */
  duplicates: number;
};

/** `cap` tells how many calls a key may have at once: waiting calls begin when there are fewer. */
export function createCalls(cap: () => number | null): Calls {
  const byId = new Map<string, Call>();
  const all: Call[] = [];
  const perPhone = new Map<string, number>();
  const perKey: { live: number; peak: number; waiting: Call[] }[] = [];
  const ending = createHeap<Call>();
  const ended: Partial<Record<CallStatus, number>> = {};
  const nothing: Record<string, unknown> = {};
  let live = 0;
  let peak = 0;
  let dialled = 0;
  const begin = (call: Call, at: number) => {
    call.startsAt = at;
    if (!call.endless) ending.push(call, endOf(call));
    if (call.undialled !== null) return;
    const own = perKey[call.key]!;
    live += 1;
    own.live += 1;
    own.peak = Math.max(own.peak, own.live);
    peak = Math.max(peak, live);
  };
  const beginWaiting = (key: number, at: number) => {
    const own = perKey[key]!;
    while (own.waiting.length > 0 && own.live < (cap() ?? Number.POSITIVE_INFINITY)) {
      begin(own.waiting.shift() as Call, at);
    }
  };
  const leave = (call: Call, status: CallStatus, at: number) => {
    ended[status] = (ended[status] ?? 0) + 1;
    if (call.undialled !== null) return;
    live -= 1;
    perKey[call.key]!.live -= 1;
    beginWaiting(call.key, at);
  };
  const settle = (now: number) => {
    for (let call = ending.popUntil(now); call; call = ending.popUntil(now)) {
      if (call.canceledAt === null) leave(call, statusOf(call, now), endOf(call));
    }
    // More room may have been granted meanwhile.
    for (const [key, own] of perKey.entries()) if (own?.waiting.length) beginWaiting(key, now);
  };
  return {
    add({ waits = false, ...made }) {
      settle(made.createdAt);
      const nth = perPhone.get(made.phone) ?? 0;
      const call: Call = {
        undialled: null,
        from: null,
        stamp: null,
        sent: nothing,
        ...made,
        nth,
        startsAt: null,
        canceledAt: null,
        metadata: {},
        patchedAt: 0,
      };
      // A record without a call is not a call to that phone.
      if (call.undialled === null) {
        perPhone.set(call.phone, nth + 1);
        dialled += 1;
      }
      byId.set(call.id, call);
      all.push(call);
      perKey[call.key] ??= { live: 0, peak: 0, waiting: [] };
      if (waits) perKey[call.key]!.waiting.push(call);
      else begin(call, call.createdAt);
      return call;
    },
    find: (id) => byId.get(id),
    first: () => all[0]?.id,
    *latest() {
      for (let i = all.length - 1; i >= 0; i--) yield all[i] as Call;
    },
    cancel(call, now) {
      settle(now);
      call.canceledAt = now;
      if (call.startsAt !== null) return leave(call, 'canceled', now);
      const own = perKey[call.key]!;
      own.waiting = own.waiting.filter((one) => one !== call);
      ended.canceled = (ended.canceled ?? 0) + 1;
    },
    timesCalled: (phone) => perPhone.get(phone) ?? 0,
    ofKey(now, key) {
      settle(now);
      return { inFlight: perKey[key]?.live ?? 0, peakInFlight: perKey[key]?.peak ?? 0 };
    },
    counts(now) {
      settle(now);
      return {
        created: byId.size,
        inFlight: live,
        peakInFlight: peak,
        ended: { ...ended },
        distinctPhones: perPhone.size,
        duplicates: dialled - perPhone.size,
      };
    },
    settle,
  };
}

/** When a call begins to be dialled; never while it waits for room. */
export function startOf(call: Call): number {
  return call.startsAt ?? Number.POSITIVE_INFINITY;
}

/** When a call ends if nobody cancels it. */
export function endOf(call: Call): number {
  return startOf(call) + call.queueMs + call.ringMs + call.talkMs;
}

export function statusOf(call: Call, now: number): CallStatus {
  if (call.canceledAt !== null) return 'canceled';
  const age = now - startOf(call);
  if (age < call.queueMs) return 'queued';
  const talking = age >= call.queueMs + call.ringMs && call.talkMs > 0;
  if (call.endless) return talking ? 'in-progress' : 'ringing';
  if (now < endOf(call)) return talking ? 'in-progress' : 'ringing';
  if (call.fate === 'answered') return 'completed';
  return call.fate === 'invalid' || call.fate === 'dropped' ? 'failed' : call.fate;
}

export function hasEnded(call: Call, now: number): boolean {
  return call.canceledAt !== null || (!call.endless && now >= endOf(call));
}

export function hasRung(call: Call, now: number): boolean {
  const until = call.canceledAt ?? now;
  return call.undialled === null && call.fate !== 'invalid' && until >= startOf(call) + call.queueMs;
}

/** Whole seconds of talk up to `now`, rounded up. */
export function talkedSeconds(call: Call, now: number): number {
  const until = call.canceledAt ?? now;
  const talked = until - (startOf(call) + call.queueMs + call.ringMs);
  return Math.ceil(Math.max(0, call.endless ? talked : Math.min(call.talkMs, talked)) / 1000);
}

/** A heap with the call that ends first on top: counting live calls costs almost nothing. */
type Heap<T> = { push(item: T, end: number): void; popUntil(now: number): T | undefined };

function createHeap<T>(): Heap<T> {
  const items: T[] = [];
  const ends: number[] = [];
  const swap = (a: number, b: number) => {
    [items[a], items[b]] = [items[b]!, items[a]!];
    [ends[a], ends[b]] = [ends[b]!, ends[a]!];
  };
  return {
    push(item, end) {
      items.push(item);
      ends.push(end);
      for (let at = ends.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (ends[parent]! <= ends[at]!) break;
        swap(at, parent);
        at = parent;
      }
    },
    popUntil(now) {
      if (ends.length === 0 || ends[0]! > now) return undefined;
      swap(0, ends.length - 1);
      ends.pop();
      const item = items.pop();
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        if (left >= ends.length) break;
        const child = left + 1 < ends.length && ends[left + 1]! < ends[left]! ? left + 1 : left;
        if (ends[at]! <= ends[child]!) break;
        swap(at, child);
        at = child;
      }
      return item;
    },
  };
}
