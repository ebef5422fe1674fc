import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { mutations } from '../chaos/mutations.ts';
import { outOfReach } from './mutations.ts';

/** A few of the schedules that `npm run schedules` plays by the thousand; in a process of their own, whose time is theirs. */
const root = join(import.meta.dirname, '..', '..');

async function sim(...flags: string[]): Promise<string[]> {
  const args = [
    '--import',
    'tsx',
    join('test', 'schedules', 'main.ts'),
    '--server',
    inject('postgresServers')[0]!.maintenanceUrl,
    ...flags,
  ];
  const run = promisify(execFile)(process.execPath, args, { cwd: root, timeout: 500_000 });
  const { stdout } = await run.catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  return stdout.trim().split('\n');
}

const isDigest = (line: string) => /^\d+ [0-9a-f]{16}$/.test(line);

test('every rule holds in the schedules of fixed seeds, and a seed replays exactly whatever was played before it', async () => {
  const [all, some] = await Promise.all([
    sim('--schedules', '10', '--digests'),
    sim('--first', '8', '--schedules', '3', '--digests'),
  ]);
  expect(all.filter(isDigest)).toHaveLength(10);
  expect(some.filter(isDigest)).toEqual(all.filter(isDigest).slice(7));
});

test('each safeguard that is said to be out of reach is one of the chaos runs’', () => {
  for (const words of outOfReach.keys())
    expect(mutations.some(({ name }) => name.includes(words))).toBe(true);
});
