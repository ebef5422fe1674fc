import { createDice, type Dice } from './dice.ts';
import { drawOdds, type Odds } from './odds.ts';
import { groupPlaces, type Hours } from './openings.ts';
import { type Limiter, type NumberDays, type Simulated, type Situation, simulate } from './simulate.ts';

/** When a campaign will end, how many calls it still makes and what they cost: from a number of simulated runs. */
export type Forecast = {
  endsAt: { p10: number; p50: number; p90: number } | null;
  calls: number;
  /** People whom nobody ever calls, as their hours end for good before; null when nobody can tell. */
  uncalled: number | null;
  /** Null while the service has reported no cost. */
  cost: number | null;
  /** Null when no key creates calls, or nobody can tell. */
  limitedBy: Limiter | null;
  /** When the next call may begin, and where the person is; null when nobody is left for whom an hour opens. */
  nextCall: { at: number; place: string } | null;
  /** Where those who wait are, the most people first. */
  places: readonly string[];
};

export type ForecastInput = {
  now: number;
  /** Waiting people by place, time and attempts so far; `due` null means now. */
  people: readonly { place: string; due: number | null; attempts: number; held: boolean; n: number }[];
  /** Attempts that are planned, and calls under way. */
  planned: number;
  calling: number;
  hours: Hours;
  order: {
    maxAttempts: number;
    retry: Readonly<Record<string, readonly number[]>>;
    /** Whether the next attempt moves to another part of the day. */
    spread: boolean;
    maxCalls: number | null;
  };
  /** The least milliseconds between two attempts at one phone, by the contact rules. */
  gapMs: number;
  keys: readonly KeyPace[];
  numbers?: NumberDays | null;
  pollsPerCall: number;
  odds: Odds;
};

/** The pace that a key gives this campaign. */
export type KeyPace = {
  /** Requests a second of this campaign's share. */
  rate: number;
  /** How sure the rate is, from 0 to 1; 1 for a fixed one. Null until a limit was met. */
  sure: number | null;
  maxCalls: number | null;
};

const mostRuns = 48;
const leastRuns = 16;
/** Chance matters less with this many people, and fewer runs are enough. */
const manyPeople = 5_000;
/** About how many steps a run takes while calls start. */
const steps = 120;
const leastStepMs = 200;
const mostStepMs = 3_600_000;
/** How far a simulated run is off by itself, as a share of the time in which it calls. */
const modelError = 0.05;
/** The least wait for another part of the day, on average. */
const spreadMs = 2 * 3_600_000;

export function forecast(given: ForecastInput): Forecast {
  const people = given.people.filter((each) => each.n > 0);
  const total = people.reduce((sum, each) => sum + each.n, given.planned);
  const places = [...people].sort((a, b) => b.n - a.n).map(({ place }) => place);
  const ahead = { nextCall: nextCallOf(given), places };
  const none: Forecast = {
    endsAt: null,
    calls: total,
    uncalled: null,
    cost: null,
    limitedBy: null,
    ...ahead,
  };
  if (given.keys.length === 0) return none;
  const dice = createDice(total * 31 + given.calling * 7 + given.people.length);
  const situation = situationOf(given, total);
  const done: Simulated[] = [];
  const runs = total > manyPeople ? leastRuns : mostRuns;
  for (let run = 0; run < runs; run++) {
    const odds = drawOdds(given.odds, dice);
    const callsPerSecond = drawRate(given.keys, dice) / (1 + given.pollsPerCall);
    const ended = simulate(situation, { odds, callsPerSecond }, dice);
    if (ended) done.push(ended);
  }
  if (done.length < runs / 2) return none;
  const ends = done
    .map((each) => {
      const activeMs = (each.limits.rate + each.limits.calls) * situation.stepMs;
      return Math.max(given.now, each.endsAt + dice.normal() * modelError * activeMs);
    })
    .sort((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (ends.length - 1);
    const below = ends[Math.floor(place)]!;
    return Math.round(below + (place % 1) * (ends[Math.ceil(place)]! - below));
  };
  const mean = (pick: (each: Simulated) => number) =>
    done.reduce((sum, each) => sum + pick(each), 0) / done.length;
  return {
    endsAt: { p10: at(0.1), p50: at(0.5), p90: at(0.9) },
    calls: Math.round(mean((each) => each.calls)),
    uncalled: Math.round(mean((each) => each.uncalled)),
    cost: costOf(given.odds, mean),
    limitedBy: limiterOf(mean),
    ...ahead,
  };
}

function nextCallOf({ now, people, planned, hours }: ForecastInput): Forecast['nextCall'] {
  if (planned > 0) return { at: now, place: '' };
  const openings = people.flatMap(({ n, place, due }) => {
    const at = n > 0 ? hours.opens(place, Math.max(now, due ?? now)) : null;
    return at === null ? [] : { at, place };
  });
  return openings.sort((a, b) => a.at - b.at)[0] ?? null;
}

function situationOf(given: ForecastInput, total: number): Situation {
  const { now, people, order } = given;
  const { groupOf, groups } = groupPlaces(
    people.map((each) => each.place),
    given.hours,
    now,
  );
  const always = groups.push({ at: (at) => ({ from: Number.NEGATIVE_INFINITY, to: at + 1e12 }) }) - 1;
  const crowds = people.map((each) => ({ ...each, group: groupOf.get(each.place)! }));
  const caps = given.keys.map((key) => key.maxCalls ?? Number.POSITIVE_INFINITY);
  const cap = Math.min(
    order.maxCalls ?? Number.POSITIVE_INFINITY,
    caps.reduce((a, b) => a + b, 0),
  );
  const maxCalls = Number.isFinite(cap) ? cap : null;
  const rate = given.keys.reduce((sum, key) => sum + key.rate, 0) / (1 + given.pollsPerCall);
  const shares = given.odds.all;
  const weight = shares.reduce((a, b) => a + b, 0);
  const meanSeconds = shares.reduce((sum, each, o) => sum + (each / weight) * given.odds.seconds[o]!, 0);
  const perSecond = Math.max(1e-6, Math.min(rate, maxCalls === null ? rate : maxCalls / meanSeconds));
  const activeMs = (total / perSecond) * 1_000;
  const third = maxCalls === null ? Number.POSITIVE_INFINITY : (meanSeconds * 1_000) / 3;
  const fine = activeMs / third <= steps * 4 ? third : Number.POSITIVE_INFINITY;
  const stepMs = Math.min(mostStepMs, fine, Math.max(leastStepMs, activeMs / steps));
  return {
    now,
    stepMs,
    groups,
    ready: [
      ...crowds.filter((each) => each.due === null || each.due <= now),
      ...(given.planned > 0 ? [{ group: always, attempts: 0, n: given.planned }] : []),
    ],
    later: crowds.flatMap((each) => (each.due !== null && each.due > now ? [{ ...each, at: each.due }] : [])),
    calling: given.calling,
    maxAttempts: Math.max(1, order.maxAttempts, ...people.map((each) => each.attempts + 1)),
    retry: order.retry,
    leastMs: order.spread ? spreadMs : 0,
    gapMs: given.gapMs,
    maxCalls,
    numbers: given.numbers ?? null,
  };
}

/** A learned rate may be a little wrong; one that has met no limit may still grow several times. */
function drawRate(keys: readonly KeyPace[], dice: Dice): number {
  return keys.reduce((sum, { rate, sure }) => {
    const use = 0.93 + 0.09 * dice.uniform();
    if (sure === null) return sum + rate * use * Math.exp(0.7 + 0.8 * dice.normal());
    return sum + rate * use * Math.exp((0.02 + 0.25 * (1 - sure)) * dice.normal());
  }, 0);
}

function costOf(odds: Odds, mean: (pick: (each: Simulated) => number) => number): number | null {
  if (odds.cost.every((each) => each === null)) return null;
  return odds.cost.reduce<number>((sum, each, o) => sum + (each ?? 0) * mean((run) => run.byEnd[o]!), 0);
}

function limiterOf(mean: (pick: (each: Simulated) => number) => number): Limiter {
  const names = ['rate', 'calls', 'window', 'policy', 'number'] as const;
  const weights = names.map((name) => mean((each) => each.limits[name]));
  return names[weights.indexOf(Math.max(...weights))]!;
}
