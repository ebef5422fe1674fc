import type { Random } from '../../base/clock.ts';

/**
 * A lane's knowledge of its limit, in a form that any number of processes share as JSON. Only `pace.ts` changes it,
 * from what was accepted and what was refused.
 */
export type Pace = {
  /** `seek`: nothing shows where the limit is. `settle`: it is between two bounds. `run`: it is about `limit`. */
  phase: 'seek' | 'settle' | 'run';
  stall: Stall | null;
  /** Requests a second that the lane may send while it is not shut. */
  rate: number;
  limit: number | null;
  /** The bounds of the search for the limit, and the fastest rate proven since the last refusal. */
  low: number;
  high: number;
  proven: number;
  /** The rate that held for a whole cycle, the one refused soon, and whether more than the first is being tried. */
  floor: number;
  ceil: number;
  tried: boolean;
  heardAt: number;
  /** The last refusal that showed something new: requests sent before it show nothing more. */
  cutAt: number;
  /**
   * The cycle: when the last refusal was, and since then how many were accepted, how many at full use, and how many
   * above the limit.
   */
  fromAt: number;
  count: number;
  used: number;
  extra: number;
  /** The step of a search, and where in the cycle it began. */
  step: number;
  stepUsed: number;
  /** Refusals in a row that each came after a few requests: their number, and what was accepted since they began. */
  streak: number;
  sum: number;
  sumFrom: number;
  /** Cycles since the limit was found, and when it last moved. */
  events: number;
  changedAt: number;
  /** The usual cost of a refusal: in refused requests, and in time. */
  cost: number;
  stallMs: number;
  /** How long the long window may be that is suspected. */
  patientMs: number;
  window: LongWindow | null;
  openings: Reopening[];
  openAt: number;
  openCount: number;
  /** Requests accepted in each second, the latest last, and which second that is. */
  seconds: number[];
  secondsAt: number;
};

/** The lane was refused and waits for a request that is accepted. */
type Stall = {
  since: number;
  /** When the last refused request was sent. */
  sentAt: number;
  gapMs: number;
  until: number;
  refusals: number;
  /** Probes refused since the first refusal: single requests, ever further apart. */
  probes: number;
  /** The refusal came long before one was due. */
  early: boolean;
  /** The service has named a time. */
  asked: boolean;
};

/** A window of the service that lasts more than a few seconds, as its openings show it. */
export type LongWindow = {
  ms: number;
  /** When the current window opened, how many requests one takes, and what this one has accepted. */
  edge: number;
  size: number;
  count: number;
  /** Openings that it predicted, and windows since the last refusal. */
  turns: number;
  calm: number;
  /** This window is filled a little more than the last, in case it holds more. */
  looks: boolean;
};

/** The lane opened again between two times. */
export type Reopening = {
  from: number;
  until: number;
  stalled: number;
  /** The requests that a window of each round length would have accepted before it closed. */
  counts: number[];
};

export type Busy = {
  now: number;
  /** When the refused request left. */
  sentAt: number;
  retryAfterMs: number | null;
  random: Random;
};

export type Clean = {
  now: number;
  /** When the latest of the answered requests left. */
  sentAt: number;
  count: number;
  /** Others were waiting for a token: the lane is fully used. */
  eager: boolean;
};

const leastRate = 0.01;
export const mostRate = 2_000;

export function clamp(rate: number): number {
  return Math.min(mostRate, Math.max(leastRate, rate));
}

export function newPace(now: number, rate = 2): Pace {
  return {
    phase: 'seek',
    stall: null,
    rate,
    limit: null,
    low: 0,
    high: 0,
    proven: 0,
    floor: 0,
    ceil: mostRate,
    tried: false,
    heardAt: now,
    cutAt: 0,
    fromAt: now,
    count: 0,
    used: 0,
    extra: 0,
    step: 0,
    stepUsed: 0,
    streak: 0,
    sum: 0,
    sumFrom: now,
    events: 0,
    changedAt: now,
    cost: 1.2,
    stallMs: 200,
    patientMs: 0,
    window: null,
    openings: [],
    openAt: now,
    openCount: 0,
    seconds: [],
    secondsAt: Math.floor(now / 1_000),
  };
}

/** How sure the limit is, from 0 to 1. */
export function sureOf({ phase, limit, floor, ceil, events }: Pace): number {
  if (limit === null || phase !== 'run') return 0.1;
  const spread = Math.max(0, Math.min(1, ceil / floor - 1));
  return Math.min(1, (0.4 + 0.15 * events) * (1 - 0.5 * spread));
}
