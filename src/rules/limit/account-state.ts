/**
 * What is known of the keys of a service together, in a form that any number of processes share as JSON. It changes only
 * by `account.ts`: from what the lanes had accepted, and from what they were refused.
 */
export type Accounts = {
  lanes: Record<string, LaneSeen>;
  /** What is known of each two that might share a limit, by their names in order. */
  pairs: Record<string, Pair>;
  trial: Trial | null;
  budgets: Budget[];
};

/** A lane, or a budget that several lanes share already, as it was last heard of. */
export type LaneSeen = {
  heardAt: number;
  /** What it may send a second, its believed limit, and the window that it may have to wait out. */
  rate: number;
  limit: number | null;
  spanMs: number;
  /** Its limit is known, and it is not stalled. */
  isReady: boolean;
  /** Accepted requests a second over some seconds. */
  used: number;
  /** Requests accepted since its limit was first known, and since it was refused. */
  total: number;
  count: number;
  /** When its last refused request left. */
  refusedAt: number;
  /** How many had been accepted when it was in a trial last. */
  tried: number;
};

export type Pair = {
  /** The logarithm of how much better one limit explains what was seen than two. */
  odds: number;
  /** Trials that found nothing, and what must have passed before the next one: time, and requests of the slower lane. */
  misses: number;
  nextAt: number;
  nextTotal: number;
};

/** What one process heard on one lane since it told last. */
export type LaneNews = {
  name: string;
  rate: number;
  limit: number | null;
  spanMs: number;
  isReady: boolean;
  accepted: number;
  /** Of these, those that left after the present part of a trial began, and when the last of them left. */
  inTrial: number;
  sentAt: number;
  /** When each refused request left that showed something new. */
  refused: readonly number[];
};

/** One lane gives way for some seconds, and another asks for as much more. */
export type Trial = {
  giver: string;
  taker: string;
  /** `give`: one gives way. `back`: it has come back, and the other one still asks for more. */
  part: 'give' | 'back';
  from: number;
  /** The pace that the taker's own limit would allow, and how much more it asks for, in requests a second. */
  base: number;
  gain: number;
  /** The part of its pace that the giver leaves. */
  gives: number;
  /** What the taker's own limit may have saved up for it, in requests, and the longest window that either waits out. */
  saved: number;
  spanMs: number;
  /** In this part: the taker's accepted requests, when the last of them left, and its refusals. */
  accepted: number;
  sentAt: number;
  refused: number;
  /** The same while the giver gave way. */
  given: { accepted: number; refused: number } | null;
};

/** What several lanes share. */
export type Budget = {
  /** Its name in the engine, next to those of the lanes. */
  name: string;
  lanes: string[];
  since: number;
  /** The limit that its lanes had together when it was found: it begins with this. */
  start: number;
  /** Requests of each lane of late, and refusals: one limit refuses each lane as often as it asks. */
  asked: Record<string, number>;
  refused: Record<string, number>;
  /** The logarithm of how much better limits of their own explain who was refused. */
  apart: number;
  /** Requests accepted since one was refused, and when that was. */
  calm: number;
  calmFrom: number;
};

export function newAccounts(): Accounts {
  return { lanes: {}, pairs: {}, trial: null, budgets: [] };
}

export function isAccounts(value: unknown): value is Accounts {
  const { lanes, pairs, budgets } = (value ?? {}) as Partial<Accounts>;
  return typeof lanes === 'object' && typeof pairs === 'object' && Array.isArray(budgets);
}

export function budgetOf(budgets: readonly Budget[], lane: string): Budget | undefined {
  return budgets.find(({ lanes }) => lanes.includes(lane));
}

/** The lane, or the budget that it shares. */
export function unitOf({ budgets }: Accounts, lane: string): string {
  return budgetOf(budgets, lane)?.name ?? lane;
}

export function pairName(one: string, other: string): string {
  return [one, other].sort().join(' ');
}
