import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { thisHost } from '../../src/embedded/host.ts';
import { withLock } from '../../src/embedded/lock.ts';
import { createFastClock } from './clocks.ts';
import { another, canEnterContainer, deadPid, read, useHomes } from './homes.ts';

const { newHome, startChild } = useHomes();
const lockOf = (home: string) => join(home, 'starters.lock');

describe('the starters’ lock', () => {
  const lockFrom = (home: string, host: unknown) =>
    writeFileSync(lockOf(home), JSON.stringify({ pid: deadPid(), birth: '1', id: 'x', host }));

  test.each([
    ['in another container', { ...thisHost(), pidNamespace: 'pid:[1]' }, 120_000, 10_000],
    ['on another machine', another, 120_000, 10_000],
    ['elsewhere, when there is little time to wait', another, 10_000, 5_000],
  ])('a lock that was taken %s is not broken', async (_, host, patience, atMost) => {
    const home = newHome();
    lockFrom(home, host);
    const held = read(lockOf(home));
    const clock = createFastClock();
    const work = withLock(home, clock, patience, async () => expect.unreachable());
    await expect(work).rejects.toMatchObject({
      code: 'embedded-unavailable',
      message: expect.stringContaining(host.hostName),
      remedy: expect.stringContaining(`remove ${lockOf(home)}`),
    });
    expect(clock.waited()).toBeLessThanOrEqual(atMost + 100);
    expect(read(lockOf(home))).toBe(held);
    expect(readdirSync(home)).toEqual(['starters.lock']);
    rmSync(lockOf(home));
  });

  test.runIf(thisHost().machineId)('a lock from before a restart of this machine is stale', async () => {
    const home = newHome();
    lockFrom(home, { ...thisHost(), bootId: 'an-earlier-boot', pidNamespace: 'pid:[1]' });
    expect(await withLock(home, createFastClock(), 10_000, async () => 'worked')).toBe('worked');
  });

  test('a lock of an older version, without a host, is judged by its pid', async () => {
    const home = newHome();
    lockFrom(home, undefined);
    expect(await withLock(home, createFastClock(), 10_000, async () => 'worked')).toBe('worked');
  });

  test.runIf(canEnterContainer)('a lock that is held in another container is waited for', async () => {
    const home = newHome();
    const { child, next } = startChild(home, { container: true, script: 'holder.ts' });
    expect(await next()).toEqual({ held: true });
    const theirs = read(lockOf(home));
    let polls = 0;
    const clock = {
      ...systemClock,
      sleep(ms: number) {
        if (++polls === 3) {
          expect(read(lockOf(home))).toBe(theirs);
          child.stdin!.write('let go\n');
        }
        return systemClock.sleep(ms);
      },
    };
    expect(await withLock(home, clock, 120_000, async () => read(lockOf(home)) !== theirs)).toBe(true);
    expect(polls).toBeGreaterThanOrEqual(3);
  });
});
