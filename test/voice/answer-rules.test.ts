import { describe, expect, it, test } from 'vitest';
import { firstThatFits, type Rule } from '../../src/voice/answer-rules.ts';

const now = Date.parse('2026-03-02T12:00:00Z');

function fits(when: Rule<'it'>['when'], body: unknown, beside = {}): boolean {
  return firstThatFits([{ when, is: 'it' }], body, now, beside) !== null;
}

test.each([
  ['no-answer', 'No Answer', true],
  ['no-answer', 'NO_ANSWER', true],
  ['no-answer', ' no answer ', true],
  ['No_Answer', 'no-answer', true],
  ['no-answer', 'no-answers', false],
  ['call.ended', 'call-ended', false],
  ['call.ended', 'Call.Ended', true],
  ['*', '', true],
  ['*', 'anything\nat all', true],
  ['sip-*', 'SIP 480', true],
  ['sip-*', 'a sip-480', false],
  ['*-failed', 'transport failed', true],
  ['*-failed', 'transport failed again', false],
  ['*no*answer*', 'there was no one to answer it', true],
  ['a*b*c', 'a-c-b', false],
  ['a*a', 'a', false],
  ['(x|y)', 'x', false],
  // Digits are a whole number, never a part of another.
  ['*480*', 'Your account is not allowed to call +14804870041.', false],
  ['*480*', 'not allowed to call +14804870041 (SIP 480).', true],
  ['*480*', '4801', false],
  ['*480*', '0480', false],
  ['*480*', '480', true],
  ['*480*', '4800480-480480 480', true],
  ['*480', 'sip-480', true],
  ['*480', 'sip-1480', false],
  ['480*', '480: gone', true],
  ['480*', '4801', false],
  ['sip-4*', 'sip-480', false],
  ['4*80', '480', false],
  ['*a4*0b*', 'a4-0b', true],
  ['*a4*0b*', 'a40b', false],
  ['*sip480*', 'x-sip480-y', true],
  ['*sip48*', 'sip480', false],
  ['480', 480, true],
  ['7', true, false],
  ['null', null, false],
  ['x', ['x'], false],
  ['x', { x: 'x' }, false],
])('the pattern %j of %j: %j', (pattern, value, does) => {
  expect(fits({ '/reason': pattern }, { reason: value })).toBe(does);
});

test.each([
  [true, true, true],
  [true, 'true', false],
  [false, undefined, false],
  [480, 480, true],
  [480, '480', false],
  [null, null, true],
  [null, undefined, true],
  [null, '', false],
])('the value %j of %j: %j', (wanted, value, does) => {
  expect(fits({ '/at': wanted }, { at: value })).toBe(does);
});

test.each([
  [{ present: true }, 'x', true],
  [{ present: true }, 0, true],
  [{ present: true }, false, true],
  [{ present: true }, '', false],
  [{ present: true }, null, false],
  [{ present: true }, undefined, false],
  [{ present: false }, undefined, true],
  [{ present: false }, '', true],
  [{ present: false }, 'x', false],
  [{ over: 3 }, 4, true],
  [{ over: 3 }, 3, false],
  [{ over: 3 }, '4', false],
  [{ over: 3 }, undefined, false],
  [{ older_than: 60 }, '2026-03-02T11:58:59Z', true],
  [{ older_than: 60 }, '2026-03-02T11:59:01Z', false],
  [{ older_than: 60 }, now / 1_000 - 61, true],
  [{ older_than: 60 }, now - 61_000, true],
  [{ older_than: 60 }, 'long ago', false],
  [{ older_than: 60 }, undefined, false],
])('the test %j of %j: %j', (wanted, value, does) => {
  expect(fits({ '/at': wanted }, { at: value })).toBe(does);
});

describe('a rule', () => {
  it('holds if one of the listed values does', () => {
    expect(fits({ '/s': ['busy', 'user-*'] }, { s: 'USER_BUSY' })).toBe(true);
    expect(fits({ '/s': ['busy', 480] }, { s: 480 })).toBe(true);
    expect(fits({ '/s': ['busy', null] }, {})).toBe(true);
    expect(fits({ '/s': ['busy', 'user-*'] }, { s: 'failed' })).toBe(false);
  });

  it('holds only if all of its tests do, and always if it has none', () => {
    const when = { '/s': 'ended', '/why': 'busy' };
    expect(fits(when, { s: 'ended', why: 'busy' })).toBe(true);
    expect(fits(when, { s: 'ended', why: 'other' })).toBe(false);
    expect(fits({}, undefined)).toBe(true);
  });

  it('holds if any item of a list does', () => {
    const body = { turns: [{ who: 'agent' }, { who: 'person', at: 5 }, 7, null] };
    expect(fits({ '/turns/*/who': 'person' }, body)).toBe(true);
    expect(fits({ '/turns/*/who': 'nobody' }, body)).toBe(false);
    expect(fits({ '/turns/*/at': { over: 4 } }, body)).toBe(true);
    expect(fits({ '/turns/*/who': { present: true } }, { turns: [] })).toBe(false);
    expect(fits({ '/turns/*/who': { present: false } }, { turns: 'none' })).toBe(true);
  });

  it('may ask for the status and the words of an answer', () => {
    const beside = { http: 400, says: 'Your Wallet balance is too low' };
    expect(fits({ http: 400, says: '*wallet*too-low*' }, {}, beside)).toBe(true);
    expect(fits({ http: [402, 403] }, {}, beside)).toBe(false);
    expect(fits({ elsewhere: null }, {}, beside)).toBe(true);
    // Its own fields do not stand for them.
    expect(fits({ http: 400 }, { http: 400 }, {})).toBe(false);
  });

  it('is read of the whole body by an empty pointer', () => {
    expect(fits({ '': 'ended' }, 'Ended')).toBe(true);
    expect(fits({ '/*/s': 'ended' }, [{ s: 'live' }, { s: 'ended' }])).toBe(true);
  });
});

test('the first rule that fits holds, with what it says of itself', () => {
  const rules = [
    { when: { '/s': 'ended', '/why': 'busy' }, is: 'busy' },
    { when: { '/s': 'ended' }, is: 'failed', unknown: true },
    { when: { '/s': 'ended' }, is: 'answered' },
  ];
  expect(firstThatFits(rules, { s: 'ended', why: 'busy' }, now)).toBe(rules[0]);
  expect(firstThatFits(rules, { s: 'ended' }, now)).toBe(rules[1]);
  expect(firstThatFits(rules, { s: 'live' }, now)).toBeNull();
  expect(firstThatFits([], {}, now)).toBeNull();
});

test('a wait passes as fast as the service’s calls, but for the second in which it may have begun', () => {
  const rules = [{ when: { '/at': { older_than: 180 } }, is: 'over' }];
  const isOver = (ms: number, speed?: number) =>
    firstThatFits(rules, { at: new Date(now - ms).toISOString() }, now, {}, speed) !== null;
  expect([isOver(180_000), isOver(180_001), isOver(4_000, 60), isOver(4_001, 60)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
