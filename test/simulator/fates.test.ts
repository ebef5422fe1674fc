import { describe, expect, test } from 'vitest';
import { decideScript, defaultShares, type Fate, fates, type Script } from '../../simulator/fates.ts';

const free = { phones: {}, endings: {} };
const phone = (i: number) => `+1415${String(1_000_000 + i)}`;
const many = (seed: number, nth = 0): Script[] =>
  Array.from({ length: 20_000 }, (_, i) =>
    decideScript({ seed, shares: defaultShares, forced: free }, phone(i), nth),
  );

describe('fates', () => {
  test('are the same for the same seed and phone, and differ for another seed', () => {
    expect(many(7)).toEqual(many(7));
    const other = many(8);
    const differing = many(7).filter((script, i) => script.fate !== other[i]?.fate).length;
    expect(differing).toBeGreaterThan(8000);
  });

  test('follow the configured shares, for neighbouring numbers too', () => {
    for (const nth of [0, 1]) {
      const scripts = many(1, nth);
      for (const fate of fates) {
        const share = scripts.filter((script) => script.fate === fate).length / scripts.length;
        expect(Math.abs(share - (defaultShares[fate] ?? 0)), `${fate} ${share}`).toBeLessThan(0.015);
      }
    }
  });

  test('last about as long as real calls', () => {
    const of = (fate: Fate) => many(3).filter((script) => script.fate === fate);
    const range = (scripts: Script[], read: (script: Script) => number) => {
      const values = scripts.map(read);
      return [Math.min(...values), Math.max(...values)] as const;
    };
    const within = (fate: Fate, read: (script: Script) => number, from: number, to: number) => {
      const [least, most] = range(of(fate), read);
      expect(least, fate).toBeGreaterThanOrEqual(from);
      expect(most, fate).toBeLessThanOrEqual(to);
    };
    within('no-answer', (script) => script.ringMs, 25_000, 30_000);
    within('voicemail', (script) => script.ringMs + script.talkMs, 20_000, 40_000);
    within('busy', (script) => script.ringMs, 2000, 4000);
    within('invalid', (script) => script.ringMs + script.talkMs, 0, 0);
    const talks = of('answered')
      .map((script) => script.talkMs)
      .sort((a, b) => a - b);
    expect(Math.abs(talks[talks.length >> 1]! - 60_000)).toBeLessThan(4000);
    expect(talks.at(-1)!).toBeGreaterThan(300_000);
  });

  test('may change with a second call, but an invalid number stays invalid', () => {
    const first = many(5);
    const second = many(5, 1);
    let changed = 0;
    for (const [i, script] of first.entries()) {
      expect(second[i]?.fate === 'invalid').toBe(script.fate === 'invalid');
      if (second[i]?.fate !== script.fate) changed += 1;
    }
    expect(changed).toBeGreaterThan(5000);
  });

  test('can be forced by phone, by last digits and by call number', () => {
    const forced = {
      phones: { '+14155550199': 'busy' as const },
      endings: { '99': 'failed' as const, '7': ['no-answer', 'answered'] as const },
    };
    const fate = (to: string, nth: number) =>
      decideScript({ seed: 1, shares: defaultShares, forced }, to, nth).fate;
    expect(fate('+14155550199', 0)).toBe('busy');
    expect(fate('+14155550299', 3)).toBe('failed');
    expect([0, 1, 2].map((nth) => fate('+14155550107', nth))).toEqual(['no-answer', 'answered', 'answered']);
  });

  test('left out of the shares never happen', () => {
    for (let i = 0; i < 500; i++) {
      const script = decideScript({ seed: 1, shares: { busy: 3 }, forced: free }, phone(i), 0);
      expect(script.fate).toBe('busy');
    }
  });
});
