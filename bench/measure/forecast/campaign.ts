import { type Calendar, compileCalendar, nextOpening } from '../../../src/rules/calendar/calendar.ts';
import { createDice, type Dice } from '../../../src/rules/forecast/dice.ts';
import { callEnds, type SeenCalls } from '../../../src/rules/forecast/odds.ts';

/** A campaign in virtual time, person by person and request by request: the measure for forecasts. */
export type World = {
  seed: number;
  people: { place: string }[];
  /** Requests a second that the service allows, as the forecast knows. */
  rate: number;
  told: number;
  sure: number;
  maxCalls: number | null;
  maxAttempts: number;
  retry: Record<string, number[]>;
  calendar: Calendar | null;
  begin: number;
  /** The outcome shares of a first attempt at noon; later attempts and early hours reach fewer people. */
  shares: number[];
  seconds: number[];
  sigma: number;
  /** The mean number of polls that a call needs. */
  polls: number;
  costs: number[];
};

/** The facts at one moment: the input of a forecast. */
export type Known = {
  at: number;
  groups: { place: string; due: number | null; attempts: number; n: number }[];
  calling: number;
  seen: SeenCalls[];
  polls: number;
  done: number;
};

export type Played = { endsAt: number; calls: number; cost: number };

const zones = ['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'];

export function drawCampaign(seed: number): World {
  const dice = createDice(seed);
  const between = (low: number, high: number) => low * (high / low) ** dice.uniform();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(dice.uniform() * list.length)]!;
  const near = zones.slice(0, 1 + Math.floor(dice.uniform() * zones.length));
  const hasHours = dice.uniform() < 0.5;
  const hasRetries = dice.uniform() < 0.6;
  const weights = [3, 2.2, 3.4, 0.7, 0.6, 0.1].map((mean) => dice.gamma(mean * 1.5));
  const total = weights.reduce((a, b) => a + b, 0);
  const length = between(0.5, 2);
  const rate = between(1.5, 20);
  const sure = dice.uniform() < 0.5 ? 1 : 0.4 + 0.6 * dice.uniform();
  const span = { from: 9 * 60, to: (17 + Math.floor(dice.uniform() * 4)) * 60, days: [1, 2, 3, 4, 5] };
  return {
    seed,
    people: Array.from({ length: Math.round(between(60, 3_000)) }, () => ({
      place: dice.uniform() < 0.1 ? near.join() : pick(near),
    })),
    rate,
    told: rate * Math.exp((1 - sure) * 0.25 * dice.normal()),
    sure,
    maxCalls: dice.uniform() < 0.4 ? Math.round(between(2, 60)) : null,
    maxAttempts: hasRetries ? 2 + Math.floor(dice.uniform() * 2) : 1,
    retry: hasRetries
      ? { 'no-answer': pick([[600], [1_800], [3_600, 14_400]]), busy: [pick([300, 600, 1_800])] }
      : {},
    calendar: hasHours ? compileCalendar({ hours: [span] }, null) : null,
    begin: Date.parse('2026-03-02T00:00:00Z') + Math.floor(dice.uniform() * 7 * 86_400) * 1_000,
    shares: weights.map((each) => each / total),
    seconds: [90, 32, 30, 6, 5, 5].map((mean) => mean * length * between(0.7, 1.4)),
    sigma: 0.3 + 0.6 * dice.uniform(),
    polls: between(1.5, 5),
    costs: [0.2, 0.05, 0.01, 0, 0, 0].map((each) => each * between(0.5, 2)),
  };
}

type Person = { place: string; attempts: number; due: number | null };
type Live = {
  person: Person;
  /** The remaining polls, the next of them, and how many there are. */
  polls: number;
  pollAt: number;
  planned: number;
  endsAt: number;
  begunAt: number;
  outcome: number;
};

/** Plays it to the end. `look` is called when the number of started calls reaches each of these. */
export function playCampaign(world: World, at: readonly number[], look: (known: Known) => void): Played {
  const dice = createDice(world.seed * 7_919 + 1);
  const waiting: Person[] = world.people.map(({ place }) => ({ place, attempts: 0, due: null }));
  let live: Live[] = [];
  const seen = new Map<string, SeenCalls>();
  const looks = [...at];
  let now = world.begin;
  let lastEnd = now;
  let calls = 0;
  let polls = 0;
  let owed = 0;
  let cost = 0;
  const gap = 1_000 / world.rate;
  while (waiting.length > 0 || live.length > 0) {
    const ended = live.filter((call) => call.endsAt <= now);
    if (ended.length > 0) {
      live = live.filter((call) => call.endsAt > now);
      for (const call of ended) {
        note(seen, call, world);
        owed += call.polls;
        cost += world.costs[call.outcome]!;
        lastEnd = Math.max(lastEnd, call.endsAt);
        retry(world, call, waiting);
      }
    }
    while (looks.length > 0 && calls >= looks[0]!) {
      looks.shift();
      look(knownAt(now, waiting, live, seen, polls));
    }
    for (const call of live) {
      if (call.polls > 1 && now >= call.pollAt) {
        call.polls -= 1;
        call.pollAt += (call.endsAt - call.begunAt) / call.planned;
        owed += 1;
      }
    }
    // A poll that is due goes before a create.
    if (owed >= 1) {
      owed -= 1;
      polls += 1;
      now += gap;
      continue;
    }
    const room = world.maxCalls === null || live.length < world.maxCalls;
    const next = room ? takeDue(world, waiting, now) : null;
    if (next) {
      live.push(begin(world, next, now, dice));
      calls += 1;
      now += gap;
      continue;
    }
    const soonest = Math.min(
      ...live.map((call) => (call.polls > 1 ? Math.min(call.pollAt, call.endsAt) : call.endsAt)),
      room ? nextDue(world, waiting, now) : Infinity,
    );
    if (!Number.isFinite(soonest)) break;
    now = Math.max(now + gap, soonest);
  }
  return { endsAt: lastEnd, calls, cost };
}

function begin(world: World, person: Person, now: number, dice: Dice): Live {
  // Fewer people answer when they are called again, and early in the day of UTC.
  const hour = (now / 3_600_000) % 24;
  const tilt = 0.75 ** person.attempts * (1 + 0.15 * Math.sin((hour / 24) * 2 * Math.PI));
  const shares = world.shares.map((share, o) => (o === 0 ? share * tilt : share));
  const total = shares.reduce((a, b) => a + b, 0);
  let at = dice.uniform() * total;
  let outcome = 0;
  while (outcome < shares.length - 1 && at >= shares[outcome]!) {
    at -= shares[outcome]!;
    outcome += 1;
  }
  const seconds = world.seconds[outcome]! * Math.exp(world.sigma * dice.normal() - world.sigma ** 2 / 2);
  const polls = Math.max(1, Math.round(world.polls * (0.5 + dice.uniform())));
  const ms = (seconds + 1) * 1_000;
  return { person, polls, pollAt: now + ms / polls, planned: polls, outcome, begunAt: now, endsAt: now + ms };
}

function note(seen: Map<string, SeenCalls>, call: Live, world: World): void {
  const attempt = call.person.attempts + 1;
  const outcome = callEnds[call.outcome]!;
  const key = `${attempt} ${outcome}`;
  const known = seen.get(key) ?? { attempt, outcome, calls: 0, cost: 0, costed: 0, busy: 0, followed: 0 };
  known.calls += 1;
  known.cost += world.costs[call.outcome]!;
  known.costed += 1;
  known.busy += (call.endsAt - call.begunAt) / 1_000;
  known.followed += 1;
  seen.set(key, known);
}

function retry(world: World, { person, outcome, endsAt }: Live, waiting: Person[]): void {
  const delays = world.retry[callEnds[outcome]!];
  const attempts = person.attempts + 1;
  if (!delays || attempts >= world.maxAttempts) return;
  const delay = delays[Math.min(attempts, delays.length) - 1]!;
  waiting.push({ place: person.place, attempts, due: endsAt + delay * 1_000 });
}

function takeDue(world: World, waiting: Person[], now: number): Person | null {
  const open = new Map<string, boolean>();
  for (let i = 0; i < waiting.length; i++) {
    const person = waiting[i]!;
    if (person.due !== null && person.due > now) continue;
    let isOpen = open.get(person.place);
    if (isOpen === undefined) {
      isOpen = nextOpening(world.calendar, person.place, now) === now;
      open.set(person.place, isOpen);
    }
    if (!isOpen) continue;
    waiting.splice(i, 1);
    return person;
  }
  return null;
}

function nextDue(world: World, waiting: readonly Person[], now: number): number {
  const opens = new Map<string, number>();
  let first = Number.POSITIVE_INFINITY;
  for (const { place, due } of waiting) {
    const from = Math.max(now, due ?? now);
    const key = `${place} ${from}`;
    const at = opens.get(key) ?? nextOpening(world.calendar, place, from) ?? Number.POSITIVE_INFINITY;
    opens.set(key, at);
    if (at < first) first = at;
  }
  return first;
}

function knownAt(
  at: number,
  waiting: readonly Person[],
  live: readonly Live[],
  seen: ReadonlyMap<string, SeenCalls>,
  polls: number,
): Known {
  const groups = new Map<string, Known['groups'][number]>();
  for (const { place, due, attempts } of waiting) {
    const step = due === null ? null : Math.floor(due / 300_000) * 300_000 + 150_000;
    const key = `${place} ${step} ${attempts}`;
    const group = groups.get(key) ?? { place, due: step, attempts, n: 0 };
    group.n += 1;
    groups.set(key, group);
  }
  const counted = [...seen.values()].map((each) => ({ ...each }));
  const done = counted.reduce((sum, each) => sum + each.calls, 0);
  return { at, groups: [...groups.values()], calling: live.length, seen: counted, polls, done };
}
