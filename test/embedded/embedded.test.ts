import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Embedded, startEmbedded, stopEmbedded } from '../../src/embedded/embedded.ts';
import { settingsOn } from '../../src/embedded/server.ts';
import { until } from '../support/until.ts';
import { isAlive, pidOf, query, useHomes } from './homes.ts';

const root = process.getuid?.() === 0;
const { newHome, startChild } = useHomes();

describe('a home', () => {
  let home: string;
  let first: Embedded;
  beforeAll(async () => {
    process.env.VOICE_API_KEYS = 'main=a-secret-of-ours';
    home = newHome();
    first = await startEmbedded({ home });
  });
  afterAll(async () => {
    delete process.env.VOICE_API_KEYS;
    await first.close();
  });

  test('a first start makes a new ledger that requires a password', async () => {
    expect(first).toMatchObject({ fresh: true, adopted: false, name: 'embedded postgres' });
    await query(first.url, 'CREATE TABLE kept (n int)');
    const wrong = new URL(first.url);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    const [settings] = await query<Record<string, string>>(
      first.url,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
              current_setting('listen_addresses') AS addresses, current_setting('server_encoding') AS encoding`,
    );
    expect(settings).toEqual({ fsync: 'on', commit: 'on', addresses: '', encoding: 'UTF8' });
  });

  test('the data, the password and the log are readable only by their owner', () => {
    expect(statSync(join(home, 'ledger')).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, 'ledger', 'carillon.password')).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'postgres.log')).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'ledger.host')).mode & 0o777).toBe(0o600);
  });

  test.runIf(process.platform === 'linux')('the server’s environment has none of our variables', () => {
    const environment = readFileSync(`/proc/${pidOf(home)}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean);
    expect(environment.map((line) => line.split('=')[0]).sort()).toEqual(
      ['LANG', 'LC_ALL', 'LD_LIBRARY_PATH', 'PATH', 'TZ'].sort(),
    );
  });

  test.runIf(root)('when Carillon runs as root, the server does not', () => {
    expect(statSync(join(home, 'ledger')).uid).not.toBe(0);
    expect(statSync(home).mode & 0o011).toBe(0o011);
  });

  test('the library links are made without an install script', () => {
    const [version] = readdirSync(join(home, 'pg'));
    const links = readdirSync(join(home, 'pg', version!, 'lib')).filter((name) =>
      lstatSync(join(home, 'pg', version!, 'lib', name)).isSymbolicLink(),
    );
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect(existsSync(join(home, 'pg', version!, 'lib', link))).toBe(true);
  });

  test('a second user adopts the server, and only the last to leave stops it', async () => {
    const second = await startEmbedded({ home });
    expect(second).toMatchObject({ fresh: false, adopted: true, url: first.url });
    expect(await stopEmbedded(home)).toBe('in-use');
    const pid = pidOf(home);
    await first.close();
    expect(isAlive(pid)).toBe(true);
    await second.close();
    expect(isAlive(pid)).toBe(false);
    first = await startEmbedded({ home });
    expect(first).toMatchObject({ fresh: false, adopted: false, url: second.url });
    expect(await query(first.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }]);
  });

  test('the server of a killed process is adopted', async () => {
    await first.close();
    const { child, next } = startChild(home);
    const { url } = await next();
    child.kill('SIGKILL');
    await once(child, 'exit');
    first = await startEmbedded({ home });
    expect(first).toMatchObject({ adopted: true, url });
  });

  test('a server that is killed while in use is restarted at the same address', async () => {
    const pid = pidOf(home);
    process.kill(pid, 'SIGKILL');
    await until(() =>
      query(first.url, 'SELECT 1').then(
        () => pidOf(home) !== pid,
        () => false,
      ),
    );
    const url = first.url;
    await first.close();
    expect(existsSync(join(home, 'ledger', 'postmaster.pid'))).toBe(false);
    first = await startEmbedded({ home });
    expect(first.url).toBe(url);
  });

  test('a killed server whose child is busy with a query does not keep the next from starting', async () => {
    await first.close();
    const { child, next } = startChild(home);
    const { url } = await next();
    const busy = query(url, 'SELECT count(*) FROM generate_series(1, 1e12::bigint)').catch(() => {});
    await until(async () => {
      const rows = await query<{ n: number }>(
        url,
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()`,
      );
      return rows[0]!.n > 0;
    });
    child.kill('SIGKILL');
    process.kill(pidOf(home), 'SIGKILL');
    await once(child, 'exit');
    first = await startEmbedded({ home });
    expect(first).toMatchObject({ adopted: false, url });
    await busy;
  });

  test('a pid file whose pid now belongs to another program does not prevent a start', async () => {
    await first.close();
    const file = join(home, 'ledger', 'postmaster.pid');
    writeFileSync(file, `${process.pid}\n${join(home, 'ledger')}\n1\n5432\n\n127.0.0.1\n1 1\nready   \n`);
    const { port } = new URL(first.url);
    writeFileSync(join(home, 'ledger', `.s.PGSQL.${port}.lock`), `${process.pid}\n`);
    first = await startEmbedded({ home });
    expect(first.adopted).toBe(false);
  });

  test('nobody else can stand in its place: it listens in its own folder, and on no port', async () => {
    expect(await query(first.maintenanceUrl, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect(new URL(first.url).searchParams.get('host')).toBe(join(home, 'ledger'));
    expect(statSync(join(home, 'ledger')).mode & 0o777).toBe(0o700);
  });

  test('the files that a killed start left behind are removed and made again', async () => {
    await first.close();
    const [version] = readdirSync(join(home, 'pg'));
    const library = join(home, 'pg', version!, 'bin', 'postgres');
    const size = statSync(library).size;
    truncateSync(library, 10);
    mkdirSync(join(home, 'pg', 'new-1-1'));
    mkdirSync(join(home, 'ledger.new-1'));
    writeFileSync(join(home, 'starters.lock'), JSON.stringify({ pid: 999_999_999, birth: '1', id: 'x' }));
    first = await startEmbedded({ home });
    expect(statSync(library).size).toBe(size);
    expect(readdirSync(join(home, 'pg'))).toEqual([version, `${version}.checked`]);
    expect(readdirSync(home).sort()).toEqual(['ledger', 'ledger.host', 'pg', 'postgres.log']);
  });

  test('a ledger of another Postgres version is refused and not touched', async () => {
    await first.close();
    const file = join(home, 'ledger', 'PG_VERSION');
    const made = readFileSync(file, 'utf8');
    writeFileSync(file, '15\n');
    mkdirSync(join(home, 'ledger.new-1'));
    await expect(startEmbedded({ home })).rejects.toMatchObject({ code: 'embedded-unavailable' });
    expect(existsSync(join(home, 'ledger.new-1'))).toBe(true);
    writeFileSync(file, made);
    first = await startEmbedded({ home });
    expect(await query(first.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }]);
  });

  test('a Ctrl-C for the whole process group does not stop the server early', async () => {
    await first.close();
    const { child, next } = startChild(home);
    await next();
    const pid = pidOf(home);
    const exited = once(child, 'exit');
    process.kill(-child.pid!, 'SIGINT');
    expect(await next()).toEqual({ alive: 1 });
    expect(await exited).toEqual([0, null]);
    expect(isAlive(pid)).toBe(false);
    first = await startEmbedded({ home });
  });

  test('a leftover server is stopped on demand', async () => {
    await first.close();
    expect(await stopEmbedded(home)).toBe('none');
    const { child, next } = startChild(home);
    await next();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const pid = pidOf(home);
    await until(async () => (await stopEmbedded(home)) === 'stopped');
    expect(isAlive(pid)).toBe(false);
    first = await startEmbedded({ home });
  });
});

test('processes that start at once share one server, and one of them makes the ledger', async () => {
  const home = newHome();
  const started = [1, 2, 3].map(() => startChild(home));
  const words = await Promise.all(started.map(({ next }) => next()));
  expect(words.filter((word) => word.fresh)).toHaveLength(1);
  expect(words.filter((word) => word.adopted)).toHaveLength(2);
  expect(new Set(words.map((word) => word.url)).size).toBe(1);
  const pid = pidOf(home);
  for (const { child } of started) child.stdin!.write('end\n');
  await Promise.all(started.map(({ child }) => once(child, 'exit')));
  expect(isAlive(pid)).toBe(false);
});

test('a start while the last user leaves gets a server', async () => {
  const home = newHome();
  let last = await startEmbedded({ home });
  for (let i = 0; i < 5; i++) {
    const [, next] = await Promise.all([last.close(), startEmbedded({ home })]);
    expect(await query(next.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    last = next;
  }
  await last.close();
});

/** Another user can run our code only from a folder that they can enter. */
function letsOthersIn(): boolean {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o005) !== 0o005) {
      console.warn(`SKIPPED running as another user: ${folder} is closed to other users`);
      return false;
    }
    if (folder === dirname(folder)) return true;
  }
}

test.runIf(root && letsOthersIn())('it also runs for a user who is not root', async () => {
  const home = newHome();
  rmSync(home, { recursive: true });
  mkdirSync(home, { mode: 0o777 });
  chmodSync(home, 0o777);
  const { child, next } = startChild(join(home, 'own'), { uid: 65_534, gid: 65_534, cwd: '/' });
  expect(await next()).toMatchObject({ fresh: true, uid: 65_534 });
  expect(statSync(join(home, 'own')).mode & 0o777).toBe(0o700);
  child.stdin!.write('end\n');
  await once(child, 'exit');
});

test.runIf(root)('a home that the server cannot reach is refused with a remedy', async () => {
  const closed = newHome();
  mkdirSync(join(closed, 'inner'));
  await expect(startEmbedded({ home: join(closed, 'inner') })).rejects.toMatchObject({
    code: 'embedded-unavailable',
    message: expect.stringContaining(`cannot enter ${closed}`),
    remedy: expect.stringContaining('CARILLON_HOME'),
  });
});

test('on a platform without a package the error says to set DATABASE_URL', async () => {
  const home = newHome();
  const arch = Object.getOwnPropertyDescriptor(process, 'arch')!;
  Object.defineProperty(process, 'arch', { ...arch, value: 'sparc' });
  try {
    await expect(startEmbedded({ home })).rejects.toMatchObject({
      code: 'embedded-unavailable',
      remedy: expect.stringContaining('DATABASE_URL'),
    });
  } finally {
    Object.defineProperty(process, 'arch', arch);
  }
});

test('on macOS a commit is flushed to the disk itself', () => {
  expect(settingsOn('darwin')).toMatchObject({ fsync: 'on', wal_sync_method: 'fsync_writethrough' });
  expect(settingsOn('linux')).not.toHaveProperty('wal_sync_method');
});
