import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { carillon } from './child.ts';

/** Output may go to a file on a full disk. */
test.runIf(existsSync('/dev/full'))('output that does not fit on the disk is an error, with exit 1', () => {
  const full = openSync('/dev/full', 'w');
  try {
    const ended = spawnSync(process.execPath, [carillon, '--version'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    expect(ended.stderr).toMatch(/^carillon: Standard output cannot be written: the disk is full\. .+\n$/);
    expect(ended.status).toBe(1);
  } finally {
    closeSync(full);
  }
});
