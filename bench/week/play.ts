import { costOf } from '../../simulator/credits.ts';
import { decideScript, type Fate } from '../../simulator/fates.ts';
import { defaultOptions } from '../../simulator/settings.ts';
import { converse } from '../../simulator/transcripts.ts';
import { type Calendar, nextOpening } from '../../src/rules/calendar/calendar.ts';
import type { Order } from '../../src/rules/order.ts';
import { readPlace } from '../../src/rules/phone/place.ts';
import type { Policy } from '../../src/rules/policy/policy.ts';
import { nextAttemptAt } from '../../src/rules/retry.ts';
import { createWaits, type WaitReason } from '../../src/rules/wait-reason.ts';
import { seeOptOut } from '../../src/voice/opt-out.ts';
import { holdOf } from './contact-rules.ts';
import { type EndedCall, type Hour, noEnds, type WeekPerson } from './people.ts';

/**
 * A campaign in simulated time: the product's own rules decide who may be called when and who is tried again, the
 * simulator's fates how calls end. No clock is read, so the same list and order always give the same week.
 */
export type WeekOrder = {
  order: Order;
  policy: Policy | null;
  calendar: Calendar | null;
  /** Requests a second of the key. */
  rate: number;
  begin: number;
  seed: number;
};

export type Look = {
  now: number;
  calling: number;
  ended: readonly EndedCall[];
  people: readonly WeekPerson[];
};
export type Week = { endsAt: number; ended: EndedCall[]; hours: Hour[] };

/** A create, and about this many polls. */
export const pollsPerCall = 3;
const hourMs = 3_600_000;
const outcomeOf: Record<Fate, string> = {
  answered: 'answered',
  'no-answer': 'no-answer',
  voicemail: 'voicemail',
  busy: 'busy',
  invalid: 'failed',
  failed: 'failed',
  dropped: 'failed',
};

type Live = {
  person: WeekPerson;
  begunAt: number;
  endsAt: number;
  outcome: string;
  cost: number;
  optOut: boolean;
};

/** Plays it to the end. `look` is called once, when so many people have been called. */
export function playWeek(
  given: WeekOrder,
  people: readonly WeekPerson[],
  lookAt: number,
  look: (at: Look) => void,
): Week {
  const { order, rate, begin } = given;
  const week: Week = { endsAt: begin, ended: [], hours: [] };
  let live: Live[] = [];
  let now = begin;
  let tokenAt = begin;
  let looked = false;
  noteWaits(given, people, begin, true);
  for (;;) {
    const over = live.filter((call) => call.endsAt <= now).sort((a, b) => a.endsAt - b.endsAt);
    live = live.filter((call) => call.endsAt > now);
    for (const call of over) end(given, week, call);
    const called = people.reduce((sum, { calls }) => sum + Number(calls.length > 0), 0);
    if (!looked && called >= lookAt) {
      looked = true;
      look({ now, calling: live.length, ended: week.ended, people });
    }
    const hasRoom = live.length < (order.maxCalls ?? Number.POSITIVE_INFINITY);
    const next = hasRoom && now >= tokenAt ? nextPerson(given, people, now) : null;
    if (next) {
      live.push(dial(given, next, now));
      hourOf(week, now).calls += 1;
      tokenAt = now + (1_000 * (1 + pollsPerCall)) / rate;
      continue;
    }
    const soonest = Math.min(
      ...live.map((call) => call.endsAt),
      hasRoom ? Math.max(tokenAt, firstOpening(given, people, now)) : Number.POSITIVE_INFINITY,
    );
    if (!Number.isFinite(soonest)) return week;
    const to = Math.max(now + 1, soonest);
    closeHour(given, week, people, now, to, hasRoom);
    now = to;
  }
}

/** People who were never called come first, then who was due first; the other way with `--retry-first`. */
function nextPerson(given: WeekOrder, people: readonly WeekPerson[], now: number): WeekPerson | null {
  const isReady = (person: WeekPerson) =>
    person.state === 'waiting' &&
    (person.due ?? now) <= now &&
    nextOpening(given.calendar, person.place, now) === now;
  const ready = people.filter(isReady).sort((a, b) => {
    const order = Number(a.tries.length > 0) - Number(b.tries.length > 0);
    return (given.order.retryFirst ? -order : order) || (a.due ?? 0) - (b.due ?? 0) || a.row - b.row;
  });
  for (const person of ready) {
    const hold = given.policy && holdOf(given.policy, person.calls, now);
    if (!hold) return person;
    person.due = hold.until;
    person.held = hold.rule;
    person.waitedFor.add(hold.rule);
  }
  return null;
}

function firstOpening({ calendar }: WeekOrder, people: readonly WeekPerson[], now: number): number {
  let first = Number.POSITIVE_INFINITY;
  const known = new Map<string, number>();
  for (const { state, place, due } of people) {
    const from = Math.max(now, due ?? now);
    if (state !== 'waiting' || from >= first) continue;
    const key = `${place} ${from}`;
    const opens = known.get(key) ?? nextOpening(calendar, place, from) ?? Number.POSITIVE_INFINITY;
    known.set(key, opens);
    first = Math.min(first, opens);
  }
  return first;
}

function dial({ order, policy, seed }: WeekOrder, person: WeekPerson, now: number): Live {
  const nth = person.calls.length;
  const fortune = { seed, shares: defaultOptions.shares, forced: { phones: {}, endings: {} } };
  const { fate, queueMs, ringMs, talkMs } = decideScript(fortune, person.phone, nth);
  const seconds = Math.round(talkMs / 1_000);
  const told = fate === 'answered' ? converse(seed, person.phone, nth, person.name, seconds).data : null;
  const rules = order.optOut ? [order.optOut] : [];
  person.state = 'calling';
  person.held = null;
  person.calls.push({
    attempt: `${person.phone} ${nth + 1}`,
    at: now,
    endedAt: null,
    freeAt: null,
    answered: fate === 'answered',
    policy,
  });
  return {
    person,
    begunAt: now,
    endsAt: now + Math.round(queueMs + ringMs + talkMs),
    outcome: outcomeOf[fate],
    cost: costOf(seconds, defaultOptions),
    optOut: seeOptOut(rules, { structured_data: told }) === 'said',
  };
}

function end({ order, calendar, policy }: WeekOrder, week: Week, call: Live): void {
  const { person, endsAt, begunAt, outcome, cost, optOut } = call;
  Object.assign(person.calls.at(-1)!, { endedAt: endsAt, freeAt: endsAt });
  person.tries.push({ outcome, at: begunAt });
  week.ended.push({ attempt: person.tries.length, outcome, seconds: (endsAt - begunAt) / 1_000, cost });
  week.endsAt = Math.max(week.endsAt, endsAt);
  const ends = hourOf(week, begunAt).ends;
  ends[outcome] = (ends[outcome] ?? 0) + 1;
  const tried = { attempts: person.tries.length, granted: 0, callbacks: 0, tries: person.tries };
  const where = {
    zone: readPlace(person.place).zones[0],
    opens: (from: number) => nextOpening(calendar, person.place, from),
  };
  const again = optOut ? null : nextAttemptAt(tried, order, endsAt, where);
  person.optedOut = optOut;
  // A person who will be held longer waits for the rule, as in the ledger.
  const hold = again === null || !policy ? null : holdOf(policy, person.calls, endsAt);
  const isHeld = hold !== null && hold.until > (again ?? hold.until);
  person.due = isHeld ? hold.until : again;
  person.held = isHeld ? hold.rule : null;
  if (isHeld) person.waitedFor.add(hold.rule);
  person.state = again === null ? 'done' : 'waiting';
}

function hourOf(week: Week, now: number): Hour {
  const at = Math.floor(now / hourMs) * hourMs;
  const known = week.hours.findLast((hour) => hour.at === at);
  if (known) return known;
  const hour = { at, calls: 0, ends: noEnds(), waiting: new Map<WaitReason, number>() };
  week.hours.push(hour);
  return hour;
}

/** Counts who waits, and why, at the end of an hour with calls. */
function closeHour(
  given: WeekOrder,
  week: Week,
  people: readonly WeekPerson[],
  from: number,
  to: number,
  hasRoom: boolean,
): void {
  const over = Math.floor(from / hourMs) * hourMs + hourMs;
  const hour = week.hours.findLast(({ at }) => at === over - hourMs);
  if (to >= over && hour) hour.waiting = noteWaits(given, people, over, hasRoom);
}

function noteWaits(
  { calendar }: WeekOrder,
  people: readonly WeekPerson[],
  at: number,
  hasRoom: boolean,
): Map<WaitReason, number> {
  const campaign = {
    state: 'running',
    driver: 'background',
    runLives: true,
    calendar,
    turn: hasRoom ? 'rate' : 'calls',
  } as const;
  const wait = createWaits(campaign, at);
  const counts = new Map<WaitReason, number>();
  for (const person of people) {
    const { state, place, due, held } = person;
    const nextAt = due === null ? null : new Date(due);
    const reason = wait({ state, place, nextAt, inUse: false, phoneUntil: null, held })?.reason;
    if (!reason) continue;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    person.waitedFor.add(reason);
  }
  return counts;
}
