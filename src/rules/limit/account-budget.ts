import { type Accounts, type Budget, type LaneNews, pairName } from './account-state.ts';

/** The budgets that several lanes share: how one begins, and how a false one falls apart again. Pure. */
const apartProof = 7;
/** Older requests count less: the shares change. */
const memory = 400;
/** A budget that is used and refuses nothing for so long does not limit anything. */
const calmRequests = 5_000;
const calmMs = 900_000;
const calmUse = 0.8;
const againMs = 3_600_000;

/** Other lanes have another budget: what one holds never fits another. */
function budgetName(lanes: readonly string[]): string {
  return lanes.join('+');
}

/** Two that share a limit get one budget, with all lanes that either had. */
export function found(account: Accounts, one: string, other: string, now: number): Accounts {
  const lanesOf = (unit: string) => account.budgets.find(({ name }) => name === unit)?.lanes ?? [unit];
  const lanes = [...lanesOf(one), ...lanesOf(other)].sort();
  const kept = account.budgets.filter(({ name }) => name !== one && name !== other);
  const name = budgetName(lanes);
  const seen = [one, other].map((unit) => account.lanes[unit]!);
  const sum = (pick: (each: (typeof seen)[number]) => number) =>
    seen.reduce((all, each) => all + pick(each), 0);
  const limit = sum((each) => each.limit ?? each.rate);
  const used = sum((each) => each.used);
  const whole = { ...seen[0]!, limit, rate: limit * 0.97, used, total: 0, count: 0, tried: 0 };
  const { [one]: _one, [other]: _other, ...rest } = account.lanes;
  const single = Object.fromEntries(lanes.map((lane) => [lane, account.lanes[lane] ?? whole]));
  const budget: Budget = {
    name,
    lanes,
    since: now,
    start: limit,
    asked: {},
    refused: {},
    apart: 0,
    calm: 0,
    calmFrom: now,
  };
  return { ...account, lanes: { ...rest, ...single, [name]: whole }, budgets: [...kept, budget] };
}

/** Counts who asked and who was refused; a budget that is not one falls apart. */
export function noteBudgets(account: Accounts, news: readonly LaneNews[], now: number): Accounts {
  if (account.budgets.length === 0) return account;
  const budgets = account.budgets.map((each) => noteBudget(each, news, now));
  const isFree = ({ name, calm, calmFrom }: Budget) => {
    const pace = account.lanes[name]?.limit ?? 0;
    return calm >= calmRequests && now - calmFrom >= calmMs && calm >= (calmUse * pace * calmMs) / 1_000;
  };
  const wrong = budgets.filter((each) => each.apart >= apartProof || isFree(each));
  return wrong.reduce((rest, each) => fallApart(rest, each, now), { ...account, budgets });
}

function noteBudget(before: Budget, news: readonly LaneNews[], now: number): Budget {
  const own = news.filter(({ name }) => before.lanes.includes(name));
  const accepted = own.reduce((sum, each) => sum + each.accepted, 0);
  const refusals = own.reduce((sum, each) => sum + each.refused.length, 0);
  if (accepted + refusals === 0) return before;
  const keep = Math.exp(-(accepted + refusals) / memory);
  const budget = { ...before, asked: { ...before.asked }, refused: { ...before.refused } };
  for (const lane of budget.lanes) budget.asked[lane] = (budget.asked[lane] ?? 0) * keep;
  for (const { name, accepted: count, refused } of own) budget.asked[name]! += count + refused.length;
  if (refusals > 0) Object.assign(budget, { calm: 0, calmFrom: now });
  else budget.calm += accepted;
  for (const { name, refused } of own) for (const _ of refused) noteRefused(budget, name);
  return budget;
}

/** Who is refused next is foretold twice: from who asks, and from who was refused before. */
function noteRefused(budget: Budget, lane: string): void {
  const sum = (of: Record<string, number>) => Object.values(of).reduce((all, each) => all + each, 0);
  const lanes = budget.lanes.length;
  const byAsked = ((budget.asked[lane] ?? 0) + 0.5) / (sum(budget.asked) + 0.5 * lanes);
  const byRefused = ((budget.refused[lane] ?? 0) + 0.5) / (sum(budget.refused) + 0.5 * lanes);
  budget.apart = Math.max(-2, budget.apart + Math.log(byRefused / byAsked));
  for (const each of budget.lanes) budget.refused[each] = (budget.refused[each] ?? 0) * 0.97;
  budget.refused[lane]! += 1;
}

function fallApart(account: Accounts, budget: Budget, now: number): Accounts {
  const pairs = { ...account.pairs };
  for (const [i, one] of budget.lanes.entries()) {
    for (const other of budget.lanes.slice(i + 1)) {
      pairs[pairName(one, other)] = { odds: -3, misses: 2, nextAt: now + againMs, nextTotal: 0 };
    }
  }
  const { [budget.name]: _, ...lanes } = account.lanes;
  return { ...account, lanes, pairs, budgets: account.budgets.filter((each) => each !== budget) };
}
