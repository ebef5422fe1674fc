import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorLine } from '../../src/base/errors.ts';
import { type Embedded, startEmbedded, stopEmbedded } from '../../src/embedded/embedded.ts';
import { isListening } from '../../src/embedded/socket.ts';
import { createFastClock } from './clocks.ts';
import { dataOf, deadPid, isAlive, pidFileOf, pidOf, query, read, useHomes } from './homes.ts';

const { newHome, leaveKilledServer } = useHomes();

describe('a server whose pid looks dead', () => {
  let home: string;
  let first: Embedded;
  let made: string;
  beforeAll(async () => {
    home = newHome();
    first = await startEmbedded({ home });
    made = read(pidFileOf(home));
  });
  afterAll(() => first.close());

  /** A server shuts down when it finds its pid file changed, so the file is restored within a minute. */
  async function withDeadPid<T>(work: (changed: string) => Promise<T>, status = 'ready'): Promise<T> {
    const changed = made.replace(/^\d+/, String(deadPid())).replace('ready', status);
    writeFileSync(pidFileOf(home), changed);
    try {
      return await work(changed);
    } finally {
      writeFileSync(pidFileOf(home), made);
    }
  }

  test('it is adopted when it answers at its address', async () => {
    await withDeadPid(async (changed) => {
      const second = await startEmbedded({ home });
      expect(second).toMatchObject({ adopted: true, url: first.url });
      expect(read(pidFileOf(home))).toBe(changed);
      expect(await stopEmbedded(home, { force: true })).toBe('in-use');
      await second.close();
    });
    expect(isAlive(pidOf(home))).toBe(true);
  });

  test('it keeps its pid file when it does not answer, even when it is suspended', async () => {
    const pid = pidOf(home);
    process.kill(pid, 'SIGSTOP');
    try {
      await withDeadPid(async (changed) => {
        const error = await startEmbedded({ home, clock: createLeapingClock() }).catch(
          (thrown: unknown) => thrown,
        );
        expect(errorLine(error)).toContain(`runs on ${dataOf(home)} but does not answer`);
        expect(errorLine(error)).not.toContain('kill -INT');
        expect(read(pidFileOf(home))).toBe(changed);
      }, 'stopping');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(await query(first.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  test('without its pid file it is refused in one line', async () => {
    const aside = `${pidFileOf(home)}.aside`;
    renameSync(pidFileOf(home), aside);
    try {
      const error = await startEmbedded({ home }).catch((thrown: unknown) => thrown);
      expect(errorLine(error)).toContain(`a Postgres runs on ${dataOf(home)}, but its postmaster.pid`);
      expect(await stopEmbedded(home, { force: true })).toBe('in-use');
    } finally {
      renameSync(aside, pidFileOf(home));
    }
    expect(await query(first.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  test('the check whether it is alive leaves no line in its log', async () => {
    const log = read(join(home, 'postgres.log'));
    expect(await isListening(dataOf(home))).toBe(true);
    await query(first.url, 'SELECT 1');
    expect(read(join(home, 'postgres.log'))).toBe(log);
  });
});

/** Each wait takes two minutes on this clock, so that every time limit ends after two tries. */
function createLeapingClock() {
  const clock = createFastClock();
  return { ...clock, sleep: (ms: number) => clock.sleep(Math.max(ms, 120_000)) };
}

describe('the socket in the data directory', () => {
  test('a home whose path is too long for a socket starts, and a second starter finds it', async () => {
    const home = newHome(...Array<string>(4).fill('a-long-name-of-a-folder-that-someone-chose'));
    expect(home.length).toBeGreaterThan(150);
    const first = await startEmbedded({ home });
    const second = await startEmbedded({ home });
    expect(second).toMatchObject({ adopted: true, url: first.url });
    expect(await isListening(dataOf(home))).toBe(true);
    // Its pid means nothing now: only the socket shows that it is alive.
    const made = read(pidFileOf(home));
    writeFileSync(pidFileOf(home), made.replace(/^\d+/, String(deadPid())));
    const third = await startEmbedded({ home });
    expect(third).toMatchObject({ adopted: true, url: first.url });
    writeFileSync(pidFileOf(home), made);
    await third.close();
    await second.close();
    await first.close();
    expect(await isListening(dataOf(home))).toBe(false);
    expect(existsSync(pidFileOf(home))).toBe(false);
  });

  test('the socket of a killed server does not stop the next one', async () => {
    const home = newHome();
    const url = await leaveKilledServer(home);
    const { port } = new URL(url);
    const isSocket = (name: string) => name.startsWith('.s.PGSQL');
    expect(readdirSync(dataOf(home)).filter(isSocket)).toEqual([`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`]);
    expect(await isListening(dataOf(home))).toBe(false);
    const next = await startEmbedded({ home });
    expect(readdirSync(dataOf(home)).filter(isSocket)).toEqual([`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`]);
    await next.close();
    expect(readdirSync(dataOf(home)).filter(isSocket)).toEqual([]);
  });

  test('a folder that allows no sockets still gets its server, at a port that must prove that it is ours', async () => {
    const home = newHome();
    const first = await startEmbedded({ home });
    await first.close();
    const obstacle = join(dataOf(home), `.s.PGSQL.${new URL(first.url).port}`);
    mkdirSync(obstacle);
    const second = await startEmbedded({ home });
    const { port, searchParams } = new URL(second.url);
    expect(searchParams.get('require_auth')).toBe('scram-sha-256');
    expect(await query(second.maintenanceUrl, 'SHOW unix_socket_directories')).toEqual([
      { unix_socket_directories: '' },
    ]);
    await second.close();
    // The same port again while it is free.
    const third = await startEmbedded({ home });
    expect(third.url).toBe(second.url);
    await third.close();
    const squatter = createServer().listen(Number(port), '127.0.0.1');
    await once(squatter, 'listening');
    const fourth = await startEmbedded({ home });
    expect(new URL(fourth.url).port).not.toBe(port);
    await fourth.close();
    squatter.close();
  });

  test('a folder whose path is too long for a socket is served at a port', async () => {
    const home = newHome('x'.repeat(100));
    const server = await startEmbedded({ home });
    expect(new URL(server.url).searchParams.get('require_auth')).toBe('scram-sha-256');
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await server.close();
  });

  test('the pid file of a Postgres in single-user mode is not removed', async () => {
    const home = newHome();
    await (await startEmbedded({ home })).close();
    // Postgres counts only a process of its own account as another Postgres.
    const { uid, gid } = statSync(dataOf(home));
    const single = spawn('sleep', ['600'], { uid, gid, stdio: 'ignore' });
    try {
      writeFileSync(pidFileOf(home), `-${single.pid}\n${dataOf(home)}\n1\n0\n\n\n1 1\n`);
      await expect(startEmbedded({ home })).rejects.toMatchObject({
        message: expect.stringContaining('lock file "postmaster.pid" already exists'),
      });
      expect(read(pidFileOf(home))).toMatch(/^-\d+/);
    } finally {
      single.kill('SIGKILL');
      await once(single, 'exit');
    }
    rmSync(pidFileOf(home));
  });
});
