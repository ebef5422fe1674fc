import { describe, expect, it } from 'vitest';
import { findPathFault, isNeverFound, seeOptOut } from '../../src/voice/opt-out.ts';

const rule = { path: 'structured_data.opt_out', value: 'true' };
const record = (optOut: unknown) => ({ id: 'c', structured_data: { opt_out: optOut } });

describe('an opt-out', () => {
  it('is compared as text, without case', () => {
    for (const said of [true, 'true', ' True ', 'TRUE']) expect(seeOptOut([rule], record(said))).toBe('said');
    for (const unsaid of [false, 'yes', 1, null, '', ['true'], { true: 1 }])
      expect(seeOptOut([rule], record(unsaid))).toBe('unsaid');
    expect(seeOptOut([{ path: 'metadata.code', value: '7' }], { metadata: { code: 7 } })).toBe('said');
    expect(seeOptOut([{ path: 'status', value: 'do not call' }], { status: 'Do not call' })).toBe('said');
  });

  it('is absent where no path leads to anything', () => {
    for (const data of [null, undefined, 'opt_out', {}, { optout: true }, []])
      expect(seeOptOut([rule], { structured_data: data })).toBe('absent');
    expect(seeOptOut([{ path: 'metadata.toString', value: 'x' }], { metadata: {} })).toBe('absent');
    expect(seeOptOut([], record(true))).toBeNull();
  });

  it('is said when one of several rules finds it', () => {
    const other = { path: 'metadata.dnc', value: '1' };
    expect(seeOptOut([other, rule], record(true))).toBe('said');
    expect(seeOptOut([other, rule], { metadata: { dnc: 0 } })).toBe('unsaid');
  });

  it('has a path that can lead to a value', () => {
    for (const path of ['structured_data.opt_out', 'metadata.a.b', 'status', 'analysis.dnc'])
      expect(findPathFault(path), path).toBeNull();
    for (const path of ['', '.', 'a..b', 'a.', 'opt out', 'status.x', 'structured_data', 'a'.repeat(201)])
      expect(findPathFault(path), path).not.toBeNull();
  });

  it('is suspected to be misspelt after twenty conversations without its path', () => {
    expect(isNeverFound({ read: 19, found: 0 })).toBe(false);
    expect(isNeverFound({ read: 20, found: 0 })).toBe(true);
    expect(isNeverFound({ read: 500, found: 1 })).toBe(false);
  });
});
