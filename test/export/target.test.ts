import crypto from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkTarget, openTarget } from '../../src/export/target.ts';

it('results are not written through a link that somebody left under the name of their draft', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-target-'));
  const { randomUUID } = crypto;
  // Its name is a random one, which nobody can know.
  crypto.randomUUID = () => 'known' as never;
  syncBuiltinESMExports();
  onTestFinished(() => {
    crypto.randomUUID = randomUUID;
    syncBuiltinESMExports();
    rmSync(folder, { recursive: true });
  });
  const theirs = join(folder, 'theirs.txt');
  writeFileSync(theirs, 'theirs');
  symlinkSync(theirs, join(folder, '.r.csv.known.part'));
  const path = join(folder, 'r.csv');
  await expect(openTarget({ path })).rejects.toThrow('something else has that name');
  await expect(checkTarget({ path })).rejects.toThrow('something else has that name');
  expect(readFileSync(theirs, 'utf8')).toBe('theirs');
});
