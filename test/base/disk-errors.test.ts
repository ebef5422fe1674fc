import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder, writeNew } from '../../src/base/disk-errors.ts';

const top = mkdtempSync(join(tmpdir(), 'carillon-disk-'));
afterAll(() => rmSync(top, { recursive: true }));

describe('a folder', () => {
  it('is made with those above it, and may be there already', () => {
    const path = join(top, 'a', 'b');
    makeFolder(path, 0o700);
    makeFolder(path, 0o700);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('is not made where a file has its name', () => {
    writeFileSync(join(top, 'file'), '');
    expect(() => makeFolder(join(top, 'file'), 0o700)).toThrow(/EEXIST/);
    expect(() => makeFolder(join(top, 'file', 'c'), 0o700)).toThrow(/ENOTDIR/);
  });

  it.skipIf(!existsSync('/proc'))('is refused, and not waited for, in a place that takes none', () => {
    expect(() => makeFolder('/proc/carillon/home', 0o700)).toThrow('no folder can be made in /proc');
  });
});

it('a new file is not written through a link that somebody left under its name', () => {
  writeFileSync(join(top, 'theirs'), 'theirs');
  symlinkSync(join(top, 'theirs'), join(top, 'draft'));
  expect(() => writeNew(join(top, 'draft'), 'ours', 0o600)).toThrow(/EEXIST/);
  expect(readFileSync(join(top, 'theirs'), 'utf8')).toBe('theirs');
});
