import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorLine } from '../../src/base/errors.ts';
import { startEmbedded, stopEmbedded } from '../../src/embedded/embedded.ts';
import { thisHost } from '../../src/embedded/host.ts';
import { isListening } from '../../src/embedded/socket.ts';
import { until } from '../support/until.ts';
import {
  another,
  canEnterContainer,
  dataOf,
  isAlive,
  markerOf,
  pidFileOf,
  pidOf,
  query,
  read,
  useHomes,
} from './homes.ts';

/** One data directory has one server, however many containers and machines can reach the folder. */
const { newHome, startChild, leaveKilledServer } = useHomes();
const mark = (home: string, host: unknown) => writeFileSync(markerOf(home), JSON.stringify(host));
const countKept = (url: string) => query(url, 'SELECT count(*)::int AS n FROM kept');

/** The litter of a killed starter. A refused start must not sweep it: it may belong to a live starter. */
function leaveLitter(home: string): () => void {
  const litter = [join(home, 'ledger.new-1'), join(home, 'pg', 'new-1-1')];
  for (const folder of litter) mkdirSync(folder);
  return () => {
    for (const folder of litter) rmdirSync(folder);
  };
}

describe.runIf(canEnterContainer)('another container (needs root, Linux and unshare)', () => {
  test('a start in another container is refused while the server runs, and changes nothing', async () => {
    const home = newHome();
    const first = await startEmbedded({ home });
    try {
      await query(first.url, 'CREATE TABLE kept (n int)');
      const clean = leaveLitter(home);
      const pidFile = read(pidFileOf(home));
      const marker = read(markerOf(home));
      const entries = readdirSync(home);
      const { child, next } = startChild(home, { container: true });
      const { error } = await next();
      expect(error).toContain(`the ledger in ${dataOf(home)} was started in another container`);
      expect(error).toContain('DATABASE_URL');
      expect(error).toContain(`remove ${pidFileOf(home)}`);
      if (child.exitCode === null) await once(child, 'exit');
      expect(child.exitCode).toBe(1);
      expect(read(pidFileOf(home))).toBe(pidFile);
      expect(read(markerOf(home))).toBe(marker);
      expect(readdirSync(home)).toEqual(entries);
      expect(readdirSync(join(home, 'pg'))).toContain('new-1-1');
      expect(await countKept(first.url)).toEqual([{ n: 0 }]);
      clean();
    } finally {
      await first.close();
    }
    expect(existsSync(pidFileOf(home))).toBe(false);
  });

  test('the ledger of a killed server opens where it ran, but not in another container', async () => {
    const home = newHome();
    await leaveKilledServer(home);
    const pidFile = read(pidFileOf(home));
    const clean = leaveLitter(home);
    const entries = readdirSync(dataOf(home));
    const { next } = startChild(home, { container: true });
    expect((await next()).error).toContain('in another container');
    expect(read(pidFileOf(home))).toBe(pidFile);
    expect(readdirSync(dataOf(home))).toEqual(entries);
    clean();
    const again = await startEmbedded({ home });
    expect(again).toMatchObject({ fresh: false, adopted: false });
    expect(await countKept(again.url)).toEqual([{ n: 1 }]);
    await again.close();
  });

  test('the server of another container is neither found nor stopped from outside, and keeps running there', async () => {
    const home = newHome();
    const { child, next } = startChild(home, { container: true });
    expect(await next()).toMatchObject({ fresh: true });
    await expect(startEmbedded({ home })).rejects.toMatchObject({ code: 'embedded-unavailable' });
    await expect(stopEmbedded(home, { force: true })).rejects.toMatchObject({ code: 'embedded-unavailable' });
    const exited = once(child, 'exit');
    child.stdin!.write('end\n');
    expect(await next()).toEqual({ alive: 1 });
    await exited;
    expect(existsSync(pidFileOf(home))).toBe(false);
    // It shut down cleanly, so the ledger is free for us.
    const ours = await startEmbedded({ home });
    expect(JSON.parse(read(markerOf(home)))).toEqual(thisHost());
    await ours.close();
  });

  test('a ledger whose container was killed starts once its pid file is removed by hand', async () => {
    const home = newHome();
    const { child, next } = startChild(home, { container: true });
    const { url } = await next();
    await query(url, 'CREATE TABLE kept (n int)');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(async () => !(await isListening(dataOf(home))));
    await expect(startEmbedded({ home })).rejects.toMatchObject({
      remedy: expect.stringContaining(`remove ${pidFileOf(home)}`),
    });
    rmSync(pidFileOf(home));
    const ours = await startEmbedded({ home });
    expect(await countKept(ours.url)).toEqual([{ n: 0 }]);
    await ours.close();
  });
});

describe('another machine', () => {
  let home: string;
  beforeAll(async () => {
    home = newHome();
    await leaveKilledServer(home);
  });

  test('the marker says where the server was started', () => {
    expect(JSON.parse(read(markerOf(home)))).toEqual(thisHost());
    expect(statSync(markerOf(home)).mode & 0o777).toBe(0o600);
  });

  test('a ledger that another machine left open is refused in one line, and nothing is deleted', async () => {
    mark(home, another);
    const pidFile = read(pidFileOf(home));
    const clean = leaveLitter(home);
    const entries = [readdirSync(home), readdirSync(dataOf(home))];
    const error = await startEmbedded({ home }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'embedded-unavailable' });
    const line = errorLine(error);
    expect(line).not.toContain('\n');
    expect(line).toContain('another machine (host name elsewhere)');
    expect(line).toContain(`remove ${pidFileOf(home)}`);
    expect(line).toContain('DATABASE_URL');
    await expect(stopEmbedded(home, { force: true })).rejects.toMatchObject({ code: 'embedded-unavailable' });
    expect(read(pidFileOf(home))).toBe(pidFile);
    expect([readdirSync(home), readdirSync(dataOf(home))]).toEqual(entries);
    clean();
  });

  test('a marker that cannot be read is another machine’s', async () => {
    writeFileSync(markerOf(home), '');
    await expect(startEmbedded({ home })).rejects.toMatchObject({
      message: expect.stringContaining('another machine (host name unknown)'),
    });
    expect(existsSync(pidFileOf(home))).toBe(true);
  });

  test('a ledger without a marker, from an older version, starts as before', async () => {
    rmSync(markerOf(home));
    const started = await startEmbedded({ home });
    expect(await countKept(started.url)).toEqual([{ n: 1 }]);
    expect(JSON.parse(read(markerOf(home)))).toEqual(thisHost());
    await started.close();
  });

  test('a ledger that another machine closed cleanly starts', async () => {
    mark(home, another);
    const started = await startEmbedded({ home });
    expect(JSON.parse(read(markerOf(home)))).toEqual(thisHost());
    await started.close();
  });

  test.runIf(thisHost().machineId)('the ledger starts after a restart of the same machine', async () => {
    await leaveKilledServer(home);
    mark(home, { ...thisHost(), bootId: 'an-earlier-boot', pidNamespace: 'pid:[1]' });
    const started = await startEmbedded({ home });
    expect(await countKept(started.url)).toEqual([{ n: 2 }]);
    await started.close();
  });

  test('closing does not stop a server that is marked as another machine’s', async () => {
    const first = await startEmbedded({ home });
    const pid = pidOf(home);
    mark(home, another);
    await first.close();
    expect(isAlive(pid)).toBe(true);
    mark(home, thisHost());
    expect(await stopEmbedded(home)).toBe('stopped');
    expect(isAlive(pid)).toBe(false);
  });
});
