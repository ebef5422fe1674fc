import { describe, expect, it } from 'vitest';
import { isWorthAsking, missingOf } from '../../src/rules/late-fields.ts';

describe('a record', () => {
  const nothing = {
    cost: null,
    transcript: null,
    recording_url: null,
    structured_data: null,
    isFinal: true,
  };

  it('of a conversation lacks what was not told, and its cost while that is nothing', () => {
    expect(missingOf('answered', nothing)).toEqual(['cost', 'transcript', 'recording', 'structured_data']);
    const told = { ...nothing, cost: 0.02, transcript: 'Hello.' };
    expect(missingOf('answered', told)).toEqual(['recording', 'structured_data']);
    expect(missingOf('answered', { ...told, cost: 0 })).toContain('cost');
    expect(missingOf('no-answer', { ...told, cost: 0 })).toEqual([]);
  });

  it('lacks its outcome while the service may still change it', () => {
    expect(missingOf('busy', { ...nothing, isFinal: false })).toEqual(['cost', 'outcome']);
  });

  it('of a call that nobody took lacks its cost only', () => {
    for (const outcome of ['no-answer', 'busy', 'failed', 'canceled'])
      expect(missingOf(outcome, nothing)).toEqual(['cost']);
    expect(missingOf('voicemail', nothing)).toEqual(['cost', 'recording']);
  });
});

describe('a field that was missing', () => {
  it('is asked for with the first few calls, and no more where it never came', () => {
    expect(isWorthAsking({ late: 0, vain: 0 }, 0)).toBe(true);
    expect(isWorthAsking({ late: 0, vain: 4 }, 4)).toBe(true);
    expect(isWorthAsking({ late: 0, vain: 0 }, 5)).toBe(false);
    expect(isWorthAsking({ late: 0, vain: 5 }, 0)).toBe(false);
  });

  it('is asked for as long as it comes late once in a while', () => {
    expect(isWorthAsking({ late: 1, vain: 0 }, 100)).toBe(true);
    expect(isWorthAsking({ late: 3, vain: 60 }, 100)).toBe(true);
    expect(isWorthAsking({ late: 3, vain: 61 }, 100)).toBe(false);
  });
});
