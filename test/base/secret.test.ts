import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSeal, markOf } from '../../src/base/seal.ts';
import { readSecret } from '../../src/base/secret.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'carillon-secret-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('the secret of an installation', () => {
  it('is the one that is set', () => {
    expect(readSecret({ secret: 'a-secret-that-is-set', home })).toBe('a-secret-that-is-set');
  });

  it('is otherwise made once, and only its owner may read it', () => {
    const folder = join(home, 'new');
    const made = readSecret({ secret: undefined, home: folder });
    expect(made.length).toBeGreaterThan(40);
    expect(readSecret({ secret: undefined, home: folder })).toBe(made);
    expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe(`${made}\n`);
  });

  it('is never an empty one', () => {
    writeFileSync(join(home, 'secret'), '\n');
    expect(() => readSecret({ secret: undefined, home })).toThrow('is shorter than 16 characters');
    expect(() => readSecret({ secret: undefined, home: '/dev/null' })).toThrow('cannot be');
  });
});

describe('a sealed text', () => {
  const seal = createSeal('the secret of this installation');

  it('opens with the same secret, in its own row only', () => {
    const sealed = seal.seal('whsec_secret', 'row-1');
    expect(sealed).not.toContain('whsec');
    expect(createSeal('the secret of this installation').open(sealed, 'row-1')).toBe('whsec_secret');
    expect(seal.seal('whsec_secret', 'row-1')).not.toBe(sealed);
    expect(markOf(sealed)).toBe(seal.mark);
    expect(() => seal.open(sealed, 'row-2')).toThrow('was changed');
    expect(() => seal.open(`${sealed.slice(0, -2)}AA`, 'row-1')).toThrow('was changed');
    expect(() => seal.open(seal.mark, 'row-1')).toThrow('was changed');
  });

  it('says which setting is wrong when another secret sealed it', () => {
    const other = createSeal('another secret, of another machine');
    expect(() => other.open(seal.seal('whsec_secret', 'row-1'), 'row-1')).toThrow(
      'sealed with another CARILLON_SECRET',
    );
  });
});
