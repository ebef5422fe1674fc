/** Every call that was made. A call has no timer: its state follows from its script and the time. */
import type { Script } from './fates.ts';
import type { Traits } from './faults.ts';
import type { CallStatus } from './settings.ts';

export type Call = Script & {
  id: string;
  phone: string;
  name: string | null;
  agentId: string;
  key: number;
  /** How many calls this phone had before. */
  nth: number;
  /** In simulated time, like `canceledAt`. */
  createdAt: number;
  canceledAt: number | null;
  endless: boolean;
  lateMs: number;
  lateCostMs: number;
  metadata: Record<string, unknown>;
  /** In wall-clock time. */
  patchedAt: number;
};

export type NewCall = Pick<Call, 'id' | 'phone' | 'name' | 'agentId' | 'key' | 'createdAt'> & Script & Traits;

export type Calls = {
  add(call: NewCall): Call;
  find(id: string): Call | undefined;
  /** The id of the first call that was made, if there is one. */
  first(): string | undefined;
  cancel(call: Call, now: number): void;
  /** How many calls this phone has had. */
  timesCalled(phone: string): number;
  /** A key's live calls, and the most it ever had at once. */
  ofKey(now: number, key: number): { inFlight: number; peakInFlight: number };
  counts(now: number): CallCounts;
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

export function createCalls(): Calls {
  const byId = new Map<string, Call>();
  const perPhone = new Map<string, number>();
  const perKey: { live: number; peak: number }[] = [];
  const ending = createHeap();
  const ended: Partial<Record<CallStatus, number>> = {};
  let live = 0;
  let peak = 0;
  const leave = (call: Call, status: CallStatus) => {
    live -= 1;
    perKey[call.key]!.live -= 1;
    ended[status] = (ended[status] ?? 0) + 1;
  };
  /** Removes calls that have ended from the count, each once. */
  const settle = (now: number) => {
    for (let call = ending.popUntil(now); call; call = ending.popUntil(now)) {
      if (call.canceledAt === null) leave(call, statusOf(call, now));
    }
  };
  return {
    add(made) {
      settle(made.createdAt);
      const nth = perPhone.get(made.phone) ?? 0;
      const call: Call = { ...made, nth, canceledAt: null, metadata: {}, patchedAt: 0 };
      perPhone.set(call.phone, nth + 1);
      byId.set(call.id, call);
      if (!call.endless) ending.push(call);
      live += 1;
      perKey[call.key] ??= { live: 0, peak: 0 };
      const own = perKey[call.key]!;
      own.live += 1;
      own.peak = Math.max(own.peak, own.live);
      peak = Math.max(peak, live);
      return call;
    },
    find: (id) => byId.get(id),
    first: () => byId.keys().next().value,
    cancel(call, now) {
      settle(now);
      call.canceledAt = now;
      leave(call, 'canceled');
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
        duplicates: byId.size - perPhone.size,
      };
    },
  };
}

/** When a call ends if nobody cancels it. */
export function endOf(call: Call): number {
  return call.createdAt + call.queueMs + call.ringMs + call.talkMs;
}

export function statusOf(call: Call, now: number): CallStatus {
  if (call.canceledAt !== null) return 'canceled';
  const age = now - call.createdAt;
  if (age < call.queueMs) return 'queued';
  const talking = age >= call.queueMs + call.ringMs && call.talkMs > 0;
  if (call.endless) return talking ? 'in-progress' : 'ringing';
  if (now < endOf(call)) return talking ? 'in-progress' : 'ringing';
  if (call.fate === 'answered') return 'completed';
  return call.fate === 'invalid' ? 'failed' : call.fate;
}

export function hasEnded(call: Call, now: number): boolean {
  return call.canceledAt !== null || (!call.endless && now >= endOf(call));
}

/** Whole seconds of talk up to `now`, rounded up. */
export function talkedSeconds(call: Call, now: number): number {
  const until = call.canceledAt ?? now;
  const talked = until - (call.createdAt + call.queueMs + call.ringMs);
  return Math.ceil(Math.max(0, call.endless ? talked : Math.min(call.talkMs, talked)) / 1000);
}

/** A heap with the call that ends first on top: counting live calls costs almost nothing. */
function createHeap() {
  const calls: Call[] = [];
  const ends: number[] = [];
  const swap = (a: number, b: number) => {
    [calls[a], calls[b]] = [calls[b]!, calls[a]!];
    [ends[a], ends[b]] = [ends[b]!, ends[a]!];
  };
  return {
    push(call: Call) {
      calls.push(call);
      ends.push(endOf(call));
      for (let at = ends.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (ends[parent]! <= ends[at]!) break;
        swap(at, parent);
        at = parent;
      }
    },
    popUntil(now: number): Call | undefined {
      if (ends.length === 0 || ends[0]! > now) return undefined;
      swap(0, ends.length - 1);
      ends.pop();
      const call = calls.pop();
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        if (left >= ends.length) break;
        const child = left + 1 < ends.length && ends[left + 1]! < ends[left]! ? left + 1 : left;
        if (ends[at]! <= ends[child]!) break;
        swap(at, child);
        at = child;
      }
      return call;
    },
  };
}
