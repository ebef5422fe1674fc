import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { version } from '../../src/base/version.ts';

test('the version in the code is that of package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(version).toBe(manifest.version);
});
