import { describe, expect, it } from 'vitest';
import { type AlertCode, type AlertKind, alertKinds } from '../../src/rules/alert-kinds.ts';
import { findAlerts, type Watched } from '../../src/rules/alerts.ts';

const gib = 2 ** 30;
const well: Watched = {
  process: 'host:1',
  machine: 'host',
  keys: [{ name: 'main', state: 'open', reason: null }],
  numbers: [],
  still: [],
  ending: [],
  budgets: [],
  unknown: 0,
  imports: [],
  acts: [],
  lists: [],
  webhooks: [],
  addresses: [],
  loops: [{ name: 'planner', ageMs: 500, stuck: false }],
  asides: [],
  clockAheadMs: 200,
  policyDiffers: null,
  differing: [],
  historyLost: null,
  disk: { path: '/home', free: 60 * gib, size: 100 * gib },
};
const seen = (more: Partial<Watched>, raised: AlertCode[] = []) =>
  findAlerts({ ...well, ...more }, (code) => raised.includes(code)).map(
    ({ code, subject }) => `${code} ${subject}`,
  );

describe('alerts', () => {
  it('are none while everything is well', () => {
    expect(seen({})).toEqual([]);
    expect(seen({ disk: null })).toEqual([]);
  });

  it('name what they are about', () => {
    const keys = ['denied', 'out_of_credit', 'failing'].map((state) => ({
      name: state,
      state,
      reason: null,
    }));
    expect(seen({ keys })).toEqual([
      'key-denied denied',
      'key-out-of-credit out_of_credit',
      'key-failing failing',
    ]);
    // Those of one process have one cause.
    const loops = ['planner', 'dialer'].map((name) => ({ name, ageMs: 90_000, stuck: true }));
    expect(seen({ loops })).toEqual(['loop-stuck host:1']);
    expect(seen({ asides: [{ loop: 'planner', id: 'c1', why: 'overflow' }] })).toEqual([
      'row-aside planner c1',
    ]);
    const budget = { subject: 'c1', whose: 'The campaign march', spent: 81.2, most: 100, currency: 'USD' };
    expect(seen({ budgets: [budget] })).toEqual(['budget-near c1']);
    const ending = [{ id: 'c1', name: 'march', endAt: '2026-03-02T17:00:00Z', left: 900, uncalled: 300 }];
    expect(seen({ ending })).toEqual(['campaign-ends c1']);
    expect(findAlerts({ ...well, ending }, () => false)[0]?.message).toBe(
      'march: about 300 of 900 people are not called before 2026-03-02 17:00 UTC',
    );
    expect(seen({ policyDiffers: 'differs' })).toEqual(['policy-differs host:1']);
    expect(seen({ historyLost: 'lost' })).toEqual(['history-lost ']);
    expect(seen({ imports: [{ id: 'i1', campaign: 'march', reason: 'broken' }] })).toEqual([
      'import-failed i1',
    ]);
    expect(seen({ lists: [{ id: 'c1', name: 'march', rows: 40, rejected: 30, reason: null }] })).toEqual([
      'list-rejected c1',
    ]);
    expect(seen({ acts: [{ id: 'b1', act: 'skip', reason: null }] })).toEqual(['bulk-failed b1']);
    expect(seen({ addresses: [{ id: 'a1', kind: 'slack', reason: '404' }] })).toEqual(['alerts-unsent a1']);
    expect(seen({ webhooks: [{ id: 'w1', host: 'a.example', reason: '503' }] })).toEqual(['webhook-down w1']);
    const [one] = findAlerts({ ...well, clockAheadMs: -9_000 }, () => false);
    expect(one?.message).toBe('The clock of host is 9 s behind the ledger’s');
  });

  it('that are raised need a better value than the one that raised them', () => {
    const disk = (free: number) => ({ disk: { path: '/home', free: free * gib, size: 100 * gib } });
    expect(seen(disk(11))).toEqual([]);
    expect(seen(disk(9))).toEqual(['disk-filling host:/home']);
    expect(seen(disk(11), ['disk-filling'])).toEqual(['disk-filling host:/home']);
    expect(seen(disk(13), ['disk-filling'])).toEqual([]);
    expect(seen({ clockAheadMs: 4_500 })).toEqual([]);
    expect(seen({ clockAheadMs: 4_500 }, ['clock-off'])).toEqual(['clock-off host']);
    const ending = [{ id: 'c1', name: 'march', endAt: '2026-03-02T17:00:00Z', left: 900, uncalled: 9 }];
    expect(seen({ ending })).toEqual([]);
    expect(seen({ ending }, ['campaign-ends'])).toEqual(['campaign-ends c1']);
    expect(seen({ unknown: 2 })).toEqual([]);
    expect(seen({ unknown: 2 }, ['unknown-rising'])).toEqual(['unknown-rising ']);
  });

  it('do not take a small disk for a full one', () => {
    expect(seen({ disk: { path: '/home', free: 0.9 * gib, size: gib } })).toEqual([]);
    expect(seen({ disk: { path: '/home', free: 0.2 * gib, size: gib } })).toHaveLength(1);
  });

  it('each say in one line what to do', () => {
    for (const { title, remedy, unseenSeconds = 45 } of Object.values<AlertKind>(alertKinds)) {
      expect(title).toMatch(/^[A-Z][^.\n]+$/);
      expect(remedy).toMatch(/^[A-Z][^\n]+\.$/);
      // Every process looks each 10 s: one that misses a look must not clear it.
      expect(unseenSeconds).toBeGreaterThanOrEqual(30);
    }
  });
});
