import { hearAccounts, isTried, shareNow } from '../../../src/rules/limit/account.ts';
import { budgetOf, type LaneNews, newAccounts } from '../../../src/rules/limit/account-state.ts';
import { runAt } from '../../../src/rules/limit/pace-curve.ts';
import { newPace } from '../../../src/rules/limit/pace-state.ts';
import { type Budget, epoch, newBudget } from './ours-budget.ts';

/** The keys of a service together, as the processes keep them: which share a limit, and the budget that these have. */
export type Keyring = {
  join(lane: Lane): void;
  /** The budget that a lane shares; null while it has one for itself. */
  shared(place: number): Budget | null;
  /** What a lane sends of its usual pace: something else than 1 in a trial. */
  part(place: number, now: number): number;
  /** Whether what happens says nothing about its limit. */
  isTried(place: number, at: number): boolean;
  /** A moment by which a lane lets those go first that have waited longer. */
  turn(place: number): number;
  sent(place: number): void;
  /** Digests what was heard by all lanes of the budget. */
  digest(place: number, now: number): void;
  accepted(place: number, now: number, sentAt: number): void;
  refused(place: number, now: number, sentAt: number): void;
};
type Lane = { digest(now: number): void; own: Budget; budget(): Budget };
/** The lanes that share budgets, from this time on. */
export type Finding = { at: number; budgets: number[][] };

const hearEveryMs = 1_000;
const moment = 1e-4;

/** Each lane for itself. */
export function createStrangers(): Keyring {
  const lanes: Lane[] = [];
  return {
    join: (lane) => void lanes.push(lane),
    shared: () => null,
    part: () => 1,
    isTried: () => false,
    turn: () => 0,
    sent: () => undefined,
    digest: (place, now) => lanes[place]!.digest(now),
    accepted: () => undefined,
    refused: () => undefined,
  };
}

export function createKeyring(onFound: (finding: Finding) => void): Keyring {
  const lanes: (Lane & { news: LaneNews; sentNth: number })[] = [];
  let account = newAccounts();
  let heardAt = 0;
  let nth = 0;
  const budgets = new Map<string, Budget>();
  const nameOf = (place: number) => `k${place + 1}`;
  const placeOf = (name: string) => Number(name.slice(1)) - 1;
  const sharedBy = (place: number) => budgetOf(account.budgets, nameOf(place));

  const newsOf = (place: number): LaneNews => ({
    name: nameOf(place),
    rate: 1,
    limit: null,
    spanMs: 0,
    isReady: false,
    accepted: 0,
    inTrial: 0,
    sentAt: 0,
    refused: [],
  });

  const hear = (now: number) => {
    heardAt = now;
    const news = lanes.flatMap((lane) => {
      if (lane.news.accepted + lane.news.refused.length === 0) return [];
      const { pace } = lane.budget();
      const told = {
        ...lane.news,
        rate: pace.rate,
        limit: pace.limit,
        spanMs: Math.max(pace.patientMs, pace.window?.ms ?? 0),
        isReady: pace.phase === 'run' && !pace.stall,
      };
      return [told];
    });
    for (const [place, lane] of lanes.entries()) lane.news = newsOf(place);
    const before = account.budgets;
    account = hearAccounts(account, news, epoch + now);
    if (account.budgets.map(({ name }) => name).join() !== before.map(({ name }) => name).join())
      adopt(now, before);
  };

  /** New budgets begin with what was believed of their lanes, and lanes that part with what they had of it. */
  const adopt = (now: number, before: typeof account.budgets) => {
    for (const { name, start } of account.budgets) {
      if (budgets.has(name)) continue;
      const budget = newBudget();
      budget.pace = runAt(newPace(epoch + now), start, epoch + now);
      budget.free = now;
      budgets.set(name, budget);
    }
    for (const { name, lanes: names } of before) {
      if (account.budgets.some((each) => each.name === name)) continue;
      const { pace } = budgets.get(name)!;
      budgets.delete(name);
      for (const each of names) {
        if (budgetOf(account.budgets, each)) continue;
        const { own } = lanes[placeOf(each)]!;
        own.pace = runAt(newPace(epoch + now), (pace.limit ?? pace.rate) / names.length, epoch + now);
        own.free = now;
      }
    }
    onFound({ at: now, budgets: account.budgets.map((each) => each.lanes.map(placeOf)) });
  };

  return {
    join: (lane) => void lanes.push({ ...lane, news: newsOf(lanes.length), sentNth: 0 }),
    shared(place) {
      const budget = sharedBy(place);
      return budget ? budgets.get(budget.name)! : null;
    },
    part: (place, now) => shareNow(account, nameOf(place), epoch + now),
    isTried: (place, at) => isTried(account, nameOf(place), epoch + at),
    turn(place) {
      const budget = sharedBy(place);
      if (!budget) return 0;
      const own = lanes[place]!.sentNth;
      return budget.lanes.filter((name) => lanes[placeOf(name)]!.sentNth < own).length * moment;
    },
    sent(place) {
      nth += 1;
      lanes[place]!.sentNth = nth;
    },
    digest(place, now) {
      const names = sharedBy(place)?.lanes ?? [nameOf(place)];
      for (const name of names) lanes[placeOf(name)]!.digest(now);
    },
    accepted(place, now, sentAt) {
      const { news } = lanes[place]!;
      news.accepted += 1;
      if (account.trial && epoch + sentAt >= account.trial.from) {
        news.inTrial += 1;
        news.sentAt = Math.max(news.sentAt, epoch + sentAt);
      }
      if (now - heardAt >= hearEveryMs) hear(now);
    },
    refused(place, now, sentAt) {
      const { news, budget } = lanes[place]!;
      // Of those that left together only one says something.
      if (epoch + sentAt > budget().pace.cutAt)
        lanes[place]!.news = { ...news, refused: [...news.refused, epoch + sentAt] };
      if (account.trial && now - heardAt > 100) hear(now);
    },
  };
}
