import { describe, expect, it } from 'vitest';
import { checkGap } from '../../../src/rules/policy/caps.ts';
import { findBreaches, type PhoneCall } from '../../../src/rules/policy/history.ts';
import { readPolicy } from '../../../src/rules/policy/policy.ts';

/** The audit's rule: whether the calls of one phone kept the contact rules under which each was made. */
const minute = 60_000;
const call = (at: number, end: number | null, more: Partial<PhoneCall> = {}): PhoneCall => ({
  attempt: `at ${at}`,
  at: at * minute,
  endedAt: end === null ? null : end * minute,
  freeAt: end === null ? null : end * minute,
  answered: false,
  policy: null,
  ...more,
});
const policy = readPolicy({ caps: [{ calls: 2, per: '60m' }], gap: '10m', after_conversation: '50m' });

describe('the calls of a phone', () => {
  it('break nothing when each keeps its rules to the minute', () => {
    expect(
      findBreaches([call(0, 5, { policy }), call(15, 20, { policy }), call(60, 61, { policy })]),
    ).toEqual([]);
    expect(findBreaches([call(0, 5, { answered: true }), call(55, 56, { policy })])).toEqual([]);
  });

  it('are two at once, whatever the rules', () => {
    expect(findBreaches([call(0, 5), call(4, 6)])).toEqual([
      { kind: 'live', attempt: 'at 4', after: 'at 0' },
    ]);
    expect(findBreaches([call(0, null), call(4, 6)])).toHaveLength(1);
    // One that was unknown lost its phone before somebody settled it.
    expect(findBreaches([call(0, 90, { freeAt: 3 * minute }), call(4, 6)])).toEqual([]);
  });

  it('are too many, too soon, or too soon after a conversation', () => {
    const third = call(59, 61, { policy });
    expect(findBreaches([call(0, 5), call(20, 25), third])).toEqual([
      { kind: 'cap', attempt: 'at 59', after: 'at 0' },
    ]);
    expect(findBreaches([call(0, 5), call(14, 15, { policy })])).toEqual([
      { kind: 'gap', attempt: 'at 14', after: 'at 0' },
    ]);
    expect(findBreaches([call(0, 5, { answered: true }), call(54, 55, { policy })])).toEqual([
      { kind: 'conversation', attempt: 'at 54', after: 'at 0' },
    ]);
  });

  it('count for later ones, also those that no rules bound', () => {
    expect(findBreaches([call(0, 1), call(2, 3), call(4, 5), call(20, 21, { policy })])).toMatchObject([
      { kind: 'cap', attempt: 'at 20' },
    ]);
  });
});

describe('rules that can never hold beside a gap are refused', () => {
  it.each([
    [{ gap: '4h', caps: [{ calls: 5, per: '24h' }] }, null],
    // The seventh call may begin as the first is a day old, when the cap is over too.
    [{ gap: '4h', caps: [{ calls: 6, per: '24h' }] }, 'at most 6 calls begin in 24h, so caps[0] never holds'],
    [{ gap: '4h', caps: [{ calls: 6, per: '86401s' }] }, null],
    [{ gap: '4h', caps: [{ calls: 7, per: '86401s' }] }, 'at most 7 calls begin in 86401s'],
    [{ gap: '24h', caps: [{ calls: 1, per: '24h' }] }, 'at most 1 call begins in 24h'],
    [{ gap: '23h', caps: [{ calls: 1, per: '24h' }] }, null],
    [
      {
        gap: '4h',
        caps: [
          { calls: 3, per: '24h' },
          { calls: 90, per: '7d' },
        ],
      },
      'caps[1]',
    ],
    [{ gap: '4h', after_conversation: '1h' }, 'after_conversation never holds a call back'],
    [{ gap: '4h', after_conversation: '4h' }, 'after_conversation never holds a call back'],
    [{ gap: '4h', after_conversation: '14401s' }, null],
  ])('%j: %s', (rules, why) => {
    const check = () => readPolicy(rules);
    if (why === null) expect(check).not.toThrow();
    else expect(check).toThrow(why);
  });

  it('as the judge of past calls finds: the most calls that keep the gap break a cap that is allowed', () => {
    const [gap, per] = [4, 24];
    for (const most of [4, 5, 6, 7]) {
      const rules = {
        caps: [{ calls: most, perSeconds: per }],
        gapSeconds: gap,
        afterConversationSeconds: null,
      };
      const calls = Array.from({ length: most + 1 }, (_, i): PhoneCall => {
        const at = i * gap * 1_000;
        return {
          attempt: `${i}`,
          at,
          endedAt: at,
          freeAt: at,
          answered: false,
          policy: { ...policy, ...rules },
        };
      });
      expect(findBreaches(calls).length > 0, `${most}`).toBe(checkGap(rules) === null);
    }
  });
});
