import { describe, expect, it } from 'vitest';
import { playKeyring } from '../../../bench/measure/worlds/accounts.ts';
import { hearAccounts, isTried, shareNow } from '../../../src/rules/limit/account.ts';
import {
  type Accounts,
  isAccounts,
  type LaneNews,
  newAccounts,
} from '../../../src/rules/limit/account-state.ts';

/** Whether several keys share a limit: what is found from accepted and refused requests, and when it is given up. */
const start = 1_700_000_000_000;
const minute = 60_000;

type Limits = { a: string; b: string };

/**
 * Two lanes of ten a second, each at its limit, told by the second. `limits` names the bucket from which each takes: the
 * same one, or one each.
 */
function openKeyring(limits: () => Limits) {
  let known: Accounts = newAccounts();
  let now = start;
  const trials: { from: number; until: number; part: string }[] = [];
  const tick = () => {
    now += 1_000;
    const buckets = limits();
    const keys = ['a', 'b'] as const;
    const asked = keys.map((key) => ({ key, asks: 10 * shareNow(known, key, now - 500) }));
    const sum = (name: string) =>
      asked.filter(({ key }) => buckets[key] === name).reduce((all, { asks }) => all + asks, 0);
    const before = known;
    const news = asked.map(({ key, asks }): LaneNews => {
      const bucket = buckets[key];
      const over = sum(bucket) - keys.filter((each) => buckets[each] === bucket).length * 10;
      // Once in half a minute each looks whether its limit still holds.
      const looks = (now / 1_000) % 30 === (key === 'a' ? 0 : 15);
      const no = over > 0.5 || looks ? 1 : 0;
      const inTrial = known.trial !== null && now - 1_000 >= known.trial.from;
      const accepted = Math.round(asks) - no;
      return {
        name: key,
        rate: 10,
        limit: 10,
        spanMs: 0,
        isReady: true,
        accepted,
        inTrial: inTrial ? accepted : 0,
        sentAt: inTrial ? now : 0,
        refused: no > 0 ? [now] : [],
      };
    });
    known = hearAccounts(known, news, now);
    if (before.trial && !known.trial)
      trials.push({ from: before.trial.from, until: now, part: before.trial.part });
  };
  return {
    trials,
    get known() {
      return known;
    },
    now: () => now,
    run(ms: number) {
      for (let i = 0; i < ms / 1_000; i++) tick();
    },
    runUntil(is: (known: Accounts) => boolean) {
      for (let i = 0; i < 1_800 && !is(known); i++) tick();
      expect(is(known)).toBe(true);
    },
  };
}

const one = () => ({ a: 'x', b: 'x' });
const two = () => ({ a: 'x', b: 'y' });

describe('keys that share a limit', () => {
  it('are found within some minutes, and get one budget of both limits', () => {
    const keyring = openKeyring(one);
    keyring.run(5 * minute);
    const [budget] = keyring.known.budgets;
    expect(budget?.lanes).toEqual(['a', 'b']);
    expect(budget?.start).toBeCloseTo(20);
    expect(isAccounts(JSON.parse(JSON.stringify(keyring.known)))).toBe(true);
  });

  it('are not found by one trial only', () => {
    const keyring = openKeyring(one);
    keyring.runUntil(() => keyring.trials.length > 0);
    expect(keyring.known.budgets).toEqual([]);
    keyring.runUntil(({ budgets }) => budgets.length > 0);
    expect(keyring.trials.length).toBeGreaterThanOrEqual(2);
  });

  it('are apart again when only one of them is refused', () => {
    let limits = one;
    const keyring = openKeyring(() => limits());
    keyring.run(5 * minute);
    expect(keyring.known.budgets).toHaveLength(1);
    limits = two;
    let known = keyring.known;
    for (let i = 1; i <= 30 && known.budgets.length > 0; i++) {
      const news = ['a', 'b'].map((name): LaneNews => {
        const state = { rate: 20, limit: 20, spanMs: 0, isReady: true, inTrial: 0, sentAt: 0 };
        return { name, ...state, accepted: 100, refused: name === 'a' ? [keyring.now() + i * 10_000] : [] };
      });
      known = hearAccounts(known, news, keyring.now() + i * 10_000);
    }
    expect(known.budgets).toEqual([]);
    expect(known.pairs['a b']!.nextAt - keyring.now()).toBeGreaterThan(55 * minute);
  });

  it('stay together while both are refused as often as they ask', () => {
    const keyring = openKeyring(one);
    keyring.run(5 * minute);
    let known = keyring.known;
    for (let i = 1; i <= 200; i++) {
      const news = ['a', 'b'].map((name, place): LaneNews => {
        const state = { rate: 20, limit: 20, spanMs: 0, isReady: true, inTrial: 0, sentAt: 0 };
        const refused = (i * 7) % 4 < 2 === (place === 0) ? [keyring.now() + i * 10_000] : [];
        return { name, ...state, accepted: 100, refused };
      });
      known = hearAccounts(known, news, keyring.now() + i * 10_000);
    }
    expect(known.budgets).toHaveLength(1);
  });
});

describe('keys with limits of their own', () => {
  it('are tried ever more seldom: after five minutes, an hour, two hours', () => {
    const keyring = openKeyring(two);
    keyring.run(200 * minute);
    const begins = keyring.trials.map(({ from }) => from);
    expect(keyring.known.budgets).toEqual([]);
    expect(begins).toHaveLength(4);
    const gaps = begins.slice(1).map((from, i) => from - keyring.trials[i]!.until);
    for (const [i, least] of [5, 60, 120].entries()) expect(gaps[i]).toBeGreaterThanOrEqual(least * minute);
  });

  it('are refused at once in a trial, which then ends', () => {
    const keyring = openKeyring(two);
    keyring.run(90 * minute);
    for (const { from, until, part } of keyring.trials) {
      expect(part).toBe('give');
      expect(until - from).toBeLessThanOrEqual(5_000);
    }
  });

  it('send what they always send outside of a trial, and learn nothing of their limit in one', () => {
    const keyring = openKeyring(two);
    keyring.runUntil(({ trial }) => trial !== null);
    const { giver, taker, from } = keyring.known.trial!;
    expect(shareNow(keyring.known, giver, from + 1)).toBeLessThan(0.9);
    expect(shareNow(keyring.known, taker, from + 1)).toBeGreaterThan(1.1);
    expect(shareNow(keyring.known, taker, from - 1)).toBe(1);
    expect(isTried(keyring.known, giver, from + 1)).toBe(true);
    expect(isTried(keyring.known, 'c', from + 1)).toBe(false);
    keyring.run(minute);
    expect(keyring.known.trial).toBeNull();
    expect(shareNow(keyring.known, taker, keyring.now())).toBe(1);
  });
});

/** Worlds of the benchmark by seed, of at most forty requests a second: half an hour each, in virtual time. */
describe('the keys of drawn services', () => {
  const shared = [7, 17, 21, 22, 34, 38, 52, 53, 54, 61];
  const apart = [4, 7, 14, 16, 17, 21, 33, 34, 36, 38];

  it.each(shared)('are found to share a limit, and use it with fewer refusals (seed %i)', (seed) => {
    const { all, since, sinceBefore, fellApart } = playKeyring(seed, 'account');
    expect(all).toBeLessThan(10);
    expect(fellApart).toBe(false);
    expect(since!.used).toBeGreaterThan(sinceBefore!.used - 0.01);
    expect(since!.refused).toBeLessThan(Math.min(0.015, sinceBefore!.refused));
  });

  it.each(apart)('are not found to share one if each has its own, whatever changes (seed %i)', (seed) => {
    const { first, before, after } = playKeyring(seed, 'apart');
    expect(first).toBeNull();
    expect(after.used).toBeGreaterThan(before.used - 0.03);
  });
});
