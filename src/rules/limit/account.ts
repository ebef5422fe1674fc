import { found, noteBudgets } from './account-budget.ts';
import {
  type Accounts,
  budgetOf,
  type LaneNews,
  type Pair,
  pairName,
  type Trial,
  unitOf,
} from './account-state.ts';
import { aheadMs, hearTrial, newTrial, trialShare } from './account-trial.ts';

/**
 * Whether several keys of a service have one limit. Nobody says so, and two keys at a limit that stands look alike either
 * way. So one lane gives way for a moment and another asks for more: what that shows is weighed, and keys that share a
 * limit get one budget. Pure.
 */
/** From this on two keys share one limit: no single trial shows as much. */
const proof = 7;
const mostOdds = 10;
/** Where two keys share a limit, others are likely to share it too. */
const joinedOdds = 2;
const leastOdds = -6;
/** A lane's first trial comes after so many requests, the second later, and from then on ever more seldom. */
const firstRequests = 300;
const leastRequests = 30;
const nextRequests = 1_200;
const secondMs = 5 * 60_000;
const thirdMs = 3_600_000;
const mostMs = 24 * 3_600_000;
/** After a trial that spoke for one limit, and after one that did not but followed one that did. */
const soonMs = 5_000;
const disturbedMs = 60_000;
const usedSeconds = 6;
const usedRequests = 5;
/** A lane that was not heard of for so long has no work, or is closed. */
const goneMs = 20_000;

/** What the lanes of this process heard, about once a second. */
export function hearAccounts(before: Accounts, news: readonly LaneNews[], now: number): Accounts {
  let account = noteBudgets(before, news, now);
  account = { ...account, lanes: { ...account.lanes } };
  for (const each of news) noteLane(account, each, now);
  const { trial } = account;
  if (!trial) return mayTry(account, now);
  const heard = hearTrial(
    trial,
    news.map((each) => ({ ...each, name: unitOf(account, each.name) })),
    now,
  );
  if (heard.odds === null) return { ...account, trial: heard.trial };
  return weigh({ ...account, trial: null }, trial, heard.odds, now);
}

/** The part of its usual pace that a lane sends in a trial; 1 while it is in none. */
export function shareNow({ trial, budgets }: Accounts, lane: string, now: number): number {
  return trial ? trialShare(trial, budgetOf(budgets, lane)?.name ?? lane, now) : 1;
}

/** What happens to a lane in a trial says nothing about its limit. */
export function isTried(account: Accounts, lane: string, at: number): boolean {
  const { trial } = account;
  const unit = unitOf(account, lane);
  return trial !== null && at >= trial.from - aheadMs && (unit === trial.giver || unit === trial.taker);
}

function noteLane(account: Accounts, news: LaneNews, now: number): void {
  for (const name of new Set([news.name, unitOf(account, news.name)])) {
    const seen = account.lanes[name];
    // Of a slow lane a few requests must be seen.
    const seconds = Math.max(usedSeconds, usedRequests / news.rate);
    const keep = seen ? Math.exp(-Math.max(0, now - seen.heardAt) / (seconds * 1_000)) : 0;
    const used = (seen?.used ?? 0) * keep + news.accepted / seconds;
    const known = news.limit !== null;
    account.lanes[name] = {
      heardAt: Math.max(now, seen?.heardAt ?? 0),
      rate: news.rate,
      limit: news.limit,
      spanMs: news.spanMs,
      isReady: news.isReady,
      used: Math.round(used * 1_000) / 1_000,
      total: known ? (seen?.total ?? 0) + news.accepted : 0,
      count: news.refused.length > 0 ? 0 : (seen?.count ?? 0) + news.accepted,
      refusedAt: Math.max(seen?.refusedAt ?? 0, ...news.refused),
      tried: seen?.tried ?? 0,
    };
  }
}

/** Starts a trial when one is due: the lane that was just refused asks for more, because nothing is saved up for it. */
function mayTry(account: Accounts, now: number): Accounts {
  const units = unitsOf(account, now);
  for (const taker of units) {
    for (const giver of units) {
      if (giver === taker) continue;
      const pair = account.pairs[pairName(giver, taker)] ?? newPair(now);
      const [more, less] = [account.lanes[taker]!, account.lanes[giver]!];
      if (now < pair.nextAt || more.total + less.total < pair.nextTotal) continue;
      if (Math.min(more.total, less.total) < leastRequests) continue;
      if (
        pair.odds <= 0 &&
        [more, less].some(({ total, tried }) => tried > 0 && total < tried + firstRequests)
      )
        continue;
      const trial = newTrial({ name: giver, ...less }, { name: taker, ...more }, now);
      if (trial) return { ...account, trial };
    }
  }
  return account;
}

function unitsOf(account: Accounts, now: number): string[] {
  const names = Object.keys(account.lanes).filter((name) => !budgetOf(account.budgets, name));
  return names.filter((name) => now - account.lanes[name]!.heardAt < goneMs);
}

function weigh(before: Accounts, trial: Trial, odds: number, now: number): Accounts {
  const { giver, taker } = trial;
  const name = pairName(giver, taker);
  const pair = { ...(before.pairs[name] ?? newPair(now)) };
  const total = (before.lanes[giver]?.total ?? 0) + (before.lanes[taker]?.total ?? 0);
  pair.odds = Math.max(leastOdds, Math.min(mostOdds, pair.odds + odds));
  const lanes = { ...before.lanes };
  for (const each of [giver, taker]) {
    const seen = lanes[each];
    if (seen) lanes[each] = { ...seen, tried: seen.total };
  }
  const account = { ...before, lanes, pairs: { ...before.pairs, [name]: pair } };
  if (pair.odds >= proof) return join(account, giver, taker, now);
  if (odds > 1 || pair.odds > 0) {
    Object.assign(pair, { nextAt: now + (odds > 1 ? soonMs : disturbedMs), nextTotal: 0 });
    return account;
  }
  pair.misses += 1;
  const waitMs = pair.misses === 1 ? secondMs : Math.min(mostMs, thirdMs * 2 ** (pair.misses - 2));
  Object.assign(pair, { nextAt: now + waitMs, nextTotal: total + nextRequests });
  return account;
}

/** What was known of each of them and a third holds for both. */
function join(before: Accounts, one: string, other: string, now: number): Accounts {
  const account = found(before, one, other, now);
  const joined = account.budgets.at(-1)!.name;
  const pairs = { ...account.pairs };
  for (const third of Object.keys(account.lanes)) {
    if (unitOf(account, third) === joined || third === joined) continue;
    const odds =
      Math.max(0, ...[one, other].map((each) => pairs[pairName(each, third)]?.odds ?? 0)) + joinedOdds;
    pairs[pairName(joined, third)] = {
      odds: Math.min(odds, proof - 1),
      misses: 0,
      nextAt: now + soonMs,
      nextTotal: 0,
    };
  }
  return { ...account, pairs };
}

function newPair(now: number): Pair {
  return { odds: 0, misses: 0, nextAt: now, nextTotal: firstRequests };
}
