import { describe, expect, it } from 'vitest';
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
