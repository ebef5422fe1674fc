import type { Random } from '../../../src/base/clock.ts';
import type { Belief } from '../../../src/rules/limit/belief.ts';
import type { Pace } from '../../../src/rules/limit/pace-state.ts';
import { createRandom, type World } from './draw.ts';
import { type Kind, type Limiter, limiterOf } from './limiter.ts';

/** Plays a client against a world in virtual time: the list of people is endless, and each call is polled. */
export type Client = {
  /** When it may send its next request; infinity while it waits for answers. */
  nextAt(now: number): number;
  /** When it may send a create, with so many calls in progress as it knows; `now` or earlier when it may now. */
  createAt(now: number, calls: number): number;
  sent(at: number, kind: Kind): void;
  answered(answer: Heard): void;
};
export type Heard = {
  now: number;
  sentAt: number;
  kind: Kind;
  ok: boolean;
  retryAfterMs: number | null;
  /** Calls in progress as far as the client knows. */
  calls: number;
  /** Whether other requests wait for their turn. */
  eager: boolean;
};
/** The belief of a client after an answer, to study one world. */
export type Trace = (seen: {
  now: number;
  ok: boolean;
  kind: Kind;
  was: Pace;
  belief: Belief;
  odds: number;
}) => void;
/** One client for each key of the account. */
export type ClientMaker = (random: Random, world: World, trace?: Trace) => Client[];

export type Played = {
  /** Per second: requests that the service accepted and refused, and creates that it accepted. */
  accepted: Int32Array;
  refused: Int32Array;
  creates: Int32Array;
  /** Calls in progress at the end of each second. */
  calls: Int32Array;
  /** The accepted requests of each key. */
  byKey: number[];
  pollsPerCall: number;
};

type Request = { key: number; kind: Kind; sentAt: number; call: number; ends: number };
type Event = { at: number; run: number; request: Request | null; ok: boolean; retryAfterMs: number | null };
const arrives = 0;
const answers = 1;
const stranger = 2;

const firstPollMs = 30_000;
const nextPollMs = 25_000;
const idlePollMs = 5_000;
/** When both kinds wait, at least this share goes to creates. */
const createShare = 0.2;

export function play(world: World, makeClient: ClientMaker, trace?: Trace): Played {
  const random = createRandom(world.seed * 31 + 5);
  const end = world.minutes * 60_000;
  const common: Limiter[] = world.limits.map((spec) => limiterOf(spec, world.scale, random()));
  const keys = makeClient(random, world, trace).map((client) => ({
    client,
    limits: common,
    accepted: 0,
    polls: createHeap<{ at: number; ends: number }>(),
    calls: 0,
    owed: 0,
  }));
  const bins = world.minutes * 60 + 1;
  const accepted = new Int32Array(bins);
  const refused = new Int32Array(bins);
  const creates = new Int32Array(bins);
  const calls = new Int32Array(bins);
  const events = createHeap<Event>();
  const live = createHeap<{ at: number }>();
  let day = 0;
  let pollsSent = 0;
  let callsEnded = 0;

  const way = () => world.rttMs / 2 + random() * world.jitterMs;
  const length = () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return world.callSeconds * 1_000 * Math.exp(0.7 * normal);
  };

  const judge = (at: number, kind: Kind, limits: readonly Limiter[]): number => {
    let wait = 0;
    for (const limit of limits) {
      if (limit.spec.scope === 'all' || limit.spec.scope === kind) wait = Math.max(wait, limit.waitMs(at));
    }
    if (world.quota !== null && day >= world.quota) wait = Math.max(wait, 8 * 3_600_000);
    if (kind === 'create' && world.maxCalls !== null) {
      while (live.length() > 0 && live.top().at <= at) live.pop();
      if (live.length() >= world.maxCalls) wait = Math.max(wait, live.top().at - at);
    }
    return wait;
  };
  const take = (at: number, kind: Kind, limits: readonly Limiter[]): number => {
    let held = 0;
    for (const limit of limits) {
      if (limit.spec.scope === 'all' || limit.spec.scope === kind) held = Math.max(held, limit.take(at));
    }
    return held;
  };
  const tellOf = (waitMs: number, at: number): number | null => {
    switch (world.retryAfter) {
      case 'none':
        return null;
      case 'zero':
        return 0;
      case 'seconds':
        return Math.ceil(waitMs / 1_000) * 1_000;
      // A date has only whole seconds, and the client subtracts its own clock.
      case 'date':
        return Math.max(0, Math.floor((at + waitMs) / 1_000) * 1_000 - at);
    }
  };

  const arrive = ({ at, request }: Event) => {
    const { kind, ends } = request!;
    const key = keys[request!.key]!;
    const wait = judge(at, kind, key.limits);
    const bin = Math.floor(at / 1_000);
    const ok = wait === 0;
    let held = 0;
    if (ok) {
      held = take(at, kind, key.limits);
      day += 1;
      key.accepted += 1;
      if (bin < bins) accepted[bin]! += 1;
      if (kind === 'create') {
        if (bin < bins) creates[bin]! += 1;
        request!.ends = at + ends;
        countCall(calls, bin, Math.floor((at + ends) / 1_000));
        if (world.maxCalls !== null) live.push({ at: at + ends });
      }
    } else if (bin < bins) refused[bin]! += 1;
    events.push({
      at: at + held + way(),
      run: answers,
      request,
      ok,
      retryAfterMs: ok ? null : tellOf(wait, at),
    });
  };

  const answer = ({ at: now, request, ok, retryAfterMs }: Event) => {
    const { key: place, kind, sentAt, ends } = request!;
    const key = keys[place]!;
    if (kind === 'create') {
      // A create counts as a call from when it is sent, as in the ledger.
      if (ok) key.polls.push({ at: now + firstPollMs * (world.callSeconds / 35), ends });
      else key.calls -= 1;
    } else if (!ok) key.polls.push({ at: now, ends });
    else if (now >= ends) {
      key.calls -= 1;
      callsEnded += 1;
    } else {
      // A client with spare tokens polls more often.
      const beat = key.client.createAt(now, key.calls) > now ? idlePollMs : nextPollMs;
      key.polls.push({ at: now + beat * (world.callSeconds / 35), ends });
    }
    if (kind === 'poll' && ok) pollsSent += 1;
    const waits = key.polls.length() > 0 && key.polls.top().at <= now;
    const eager = waits || key.client.createAt(now, key.calls) <= now;
    key.client.answered({ now, sentAt, kind, ok, retryAfterMs, calls: key.calls, eager });
  };

  /** When a key sends next, and what. */
  const nextOf = (key: (typeof keys)[number], now: number) => {
    const at = Math.max(now, key.client.nextAt(now));
    if (at >= end) return at;
    const pollAt = key.polls.length() > 0 ? key.polls.top().at : Number.POSITIVE_INFINITY;
    const createAt = key.client.createAt(now, key.calls);
    return Math.max(at, Math.min(pollAt, createAt));
  };

  const strangers = strangersOf(world, random);
  if (strangers)
    events.push({ at: strangers.next(0), run: stranger, request: null, ok: true, retryAfterMs: null });

  let now = 0;
  for (;;) {
    let first = Number.POSITIVE_INFINITY;
    let who = -1;
    for (let i = 0; i < keys.length; i++) {
      const at = nextOf(keys[i]!, now);
      if (at < first) {
        first = at;
        who = i;
      }
    }
    const event = events.length() > 0 ? events.top() : null;
    if (event && event.at <= first) {
      now = event.at;
      if (now >= end) break;
      events.pop();
      if (event.run === arrives) arrive(event);
      else if (event.run === answers) answer(event);
      else {
        if (judge(now, 'poll', common) === 0) take(now, 'poll', common);
        event.at = strangers!.next(now);
        events.push(event);
      }
      continue;
    }
    if (!Number.isFinite(first)) throw new Error(`world ${world.seed}: the client never sends again`);
    now = first;
    if (now >= end) break;
    const key = keys[who]!;
    const mayPoll = key.polls.length() > 0 && key.polls.top().at <= now;
    const mayCreate = key.client.createAt(now, key.calls) <= now;
    if (!mayPoll && !mayCreate) continue;
    let kind: Kind = mayPoll ? 'poll' : 'create';
    if (mayPoll && mayCreate) {
      key.owed += createShare;
      if (key.owed >= 1) {
        key.owed -= 1;
        kind = 'create';
      }
    }
    const ends = kind === 'poll' ? key.polls.pop().ends : length();
    if (kind === 'create') key.calls += 1;
    key.client.sent(now, kind);
    const request = { key: who, kind, sentAt: now, call: 0, ends };
    events.push({ at: now + way(), run: arrives, request, ok: false, retryAfterMs: null });
  }
  for (let i = 1; i < bins; i++) calls[i]! += calls[i - 1]!;
  const pollsPerCall = callsEnded > 20 ? pollsSent / callsEnded : 1.6;
  return { accepted, refused, creates, calls, byKey: keys.map((key) => key.accepted), pollsPerCall };
}

/** Marks where the number of calls in progress rises and falls. */
function countCall(calls: Int32Array, from: number, until: number): void {
  if (from < calls.length) calls[from]! += 1;
  if (until < calls.length) calls[until]! -= 1;
}

/** Other clients of the same key: they do not repeat a request that the service refused. */
function strangersOf(world: World, random: Random): { next(now: number): number } | null {
  if (!world.strangers) return null;
  const { share, manner } = world.strangers;
  const limit = world.limits[0]!.rate;
  return {
    next(now) {
      const rate = Math.max(1e-3, limit * world.scale(now) * strangersAt(world, now));
      if (share <= 0) return Number.POSITIVE_INFINITY;
      const gap = 1_000 / rate;
      return now + Math.min(10_000, manner === 'random' ? -Math.log(1 - random()) * gap : gap);
    },
  };
}

/** The share of the first limit that strangers ask for at a time. */
export function strangersAt(world: World, at: number): number {
  if (!world.strangers) return 0;
  const { share, manner } = world.strangers;
  if (manner !== 'bursts') return share;
  // Twenty seconds of work, forty of rest.
  return Math.floor(at / 20_000) % 3 === 0 ? Math.min(0.9, share * 1.5) : share * 0.4;
}

export type Heap<T> = { length(): number; top(): T; pop(): T; push(item: T): void };

export function createHeap<T extends { at: number }>(): Heap<T> {
  const items: T[] = [];
  return {
    length: () => items.length,
    top: () => items[0]!,
    push(item) {
      let place = items.length;
      items.push(item);
      while (place > 0) {
        const parent = (place - 1) >> 1;
        if (items[parent]!.at <= item.at) break;
        items[place] = items[parent]!;
        place = parent;
      }
      items[place] = item;
    },
    pop() {
      const top = items[0]!;
      const last = items.pop()!;
      const count = items.length;
      if (count === 0) return top;
      let place = 0;
      for (;;) {
        let child = 2 * place + 1;
        if (child >= count) break;
        if (child + 1 < count && items[child + 1]!.at < items[child]!.at) child += 1;
        if (items[child]!.at >= last.at) break;
        items[place] = items[child]!;
        place = child;
      }
      items[place] = last;
      return top;
    },
  };
}
