import type { Clock } from '../base/clock.ts';
import type { Bucket } from '../engine/bucket.ts';
import { hearAccounts, isTried, shareNow } from '../rules/limit/account.ts';
import {
  type Accounts,
  type Budget,
  budgetOf,
  isAccounts,
  type LaneNews,
  newAccounts,
} from '../rules/limit/account-state.ts';
import type { Pace } from '../rules/limit/pace-state.ts';
import { createSharedBudget, type SharedBudget } from './shared-budget.ts';

/** The lanes of one service with a learned rate: which of them share a limit, as all processes know it. */
export type Keyring = {
  /** The place of one key. */
  seat(key: string): Seat;
};

export type Seat = {
  /** The lane tells how it is reached; `fellApart` when it has a limit of its own again, of about so much. */
  attach(lane: Seated): void;
  /** What it shares with others; null while it has a limit of its own. */
  budget(): SharedBudget | null;
  /** The part of its pace that it sends: something else than 1 in a trial. */
  part(at: number): number;
  /** Whether a refusal of a request that left then says nothing about its limit. */
  isTried(at: number): boolean;
  accepted(sentAt: number): void;
  refused(sentAt: number): void;
  /** Requests that this process is about to send must wait, on all lanes of the budget. */
  rest(ms: number): void;
  /** Its part of the budget: as much as each other lane that has work. */
  share(): number;
  /** The keys that it shares a limit with. */
  others(): string[] | null;
  refresh(): Promise<void>;
};

export type Seated = {
  pace(): Pace;
  rest(ms: number): void;
  fellApart(rate: number, since: number): Promise<void>;
};

const hearEvery = 1_000;
/** A refusal in a trial may end it: it is told sooner. */
const hearSoon = 100;
const worksMs = 10_000;

export function createKeyring(deps: { bucket: Bucket; name: string; clock: Clock }): Keyring {
  const { bucket, name, clock } = deps;
  const seats = new Map<string, { lane: Seated | null; news: LaneNews }>();
  const budgets = new Map<string, SharedBudget>();
  let account: Accounts = newAccounts();
  let heardAt = Number.NEGATIVE_INFINITY;
  let hearing: Promise<void> | null = null;
  let reading: Promise<void> | null = null;

  const budgetWith = (key: string) => budgetOf(account.budgets, key);
  const sharedBy = (key: string) => {
    const found = budgetWith(key);
    return found ? (budgets.get(found.name) ?? null) : null;
  };

  const takeNews = (): LaneNews[] =>
    [...seats].flatMap(([key, seat]) => {
      const { news, lane } = seat;
      seat.news = noNews(key);
      return lane && news.accepted + news.refused.length > 0 ? [{ ...news, ...stateOf(lane.pace()) }] : [];
    });

  /** Compare-and-set: every process tells what it heard, and reads what the others did. */
  const hear = async () => {
    heardAt = clock.monotonic();
    const news = takeNews();
    for (let tries = 0; news.length > 0 && tries < 8; tries++) {
      const { version, value } = await bucket.readState(name);
      const after = hearAccounts(isAccounts(value) ? value : newAccounts(), news, clock.now());
      if (await bucket.writeState(name, version, after)) return adopt(after);
    }
  };

  const hearIfDue = (everyMs: number) => {
    if (hearing || seats.size < 2 || clock.monotonic() - heardAt < everyMs) return;
    hearing = hear()
      // The engine is away: what comes next is heard.
      .catch(() => undefined)
      .finally(() => {
        hearing = null;
      });
  };

  const adopt = async (next: Accounts) => {
    const before = account.budgets;
    account = next;
    for (const each of next.budgets) {
      if (budgets.get(each.name)?.since === each.since) continue;
      const { since, start } = each;
      budgets.set(
        each.name,
        createSharedBudget({ bucket, name: `${name}/${each.name}`, since, start, clock }),
      );
    }
    for (const each of before) if (!next.budgets.some((other) => other.name === each.name)) await leave(each);
  };

  /** Lanes of a budget that fell apart begin with their part of it. */
  const leave = async (gone: Budget) => {
    const pace = budgets.get(gone.name)?.pace();
    budgets.delete(gone.name);
    for (const key of gone.lanes) {
      if (budgetWith(key) || !pace) continue;
      await seats.get(key)?.lane?.fellApart((pace.limit ?? pace.rate) / gone.lanes.length, gone.since);
    }
  };

  const refresh = (): Promise<void> => {
    reading ??= bucket
      .readState(name)
      .then(({ value }) => (isAccounts(value) ? adopt(value) : undefined))
      .finally(() => {
        reading = null;
      });
    return reading;
  };

  return {
    seat(key) {
      const own: { lane: Seated | null; news: LaneNews } = { lane: null, news: noNews(key) };
      seats.set(key, own);
      return {
        attach(lane) {
          own.lane = lane;
        },
        budget: () => sharedBy(key),
        part: (at) => shareNow(account, key, at),
        isTried: (at) => isTried(account, key, at),
        accepted(sentAt) {
          own.news.accepted += 1;
          if (account.trial && sentAt >= account.trial.from) {
            own.news.inTrial += 1;
            own.news.sentAt = Math.max(own.news.sentAt, sentAt);
          }
          hearIfDue(hearEvery);
        },
        refused(sentAt) {
          own.news = { ...own.news, refused: [...own.news.refused, sentAt] };
          hearIfDue(account.trial ? hearSoon : hearEvery);
        },
        rest(ms) {
          for (const lane of budgetWith(key)?.lanes ?? [key]) seats.get(lane)?.lane?.rest(ms);
        },
        share() {
          const now = clock.now();
          const works = (lane: string) => now - (account.lanes[lane]?.heardAt ?? 0) < worksMs;
          const others = (budgetWith(key)?.lanes ?? []).filter((lane) => lane !== key && works(lane));
          return 1 / (others.length + 1);
        },
        others: () => budgetWith(key)?.lanes.filter((lane) => lane !== key) ?? null,
        async refresh() {
          await refresh();
          await sharedBy(key)?.refresh();
        },
      };
    },
  };
}

function stateOf(pace: Pace): Pick<LaneNews, 'rate' | 'limit' | 'spanMs' | 'isReady'> {
  return {
    rate: pace.rate,
    limit: pace.limit,
    spanMs: Math.max(pace.patientMs, pace.window?.ms ?? 0),
    isReady: pace.phase === 'run' && !pace.stall,
  };
}

function noNews(name: string): LaneNews {
  const state = { rate: 1, limit: null, spanMs: 0, isReady: false };
  return { name, ...state, accepted: 0, inTrial: 0, sentAt: 0, refused: [] };
}
