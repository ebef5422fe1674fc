import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { createLastSeen, type LastSeen } from '../../src/dispatch/trust/last-seen.ts';
import { chooseAccount } from '../../src/embedded/account.ts';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { createShiftedClock } from './support.ts';

/** Servers of Debian's Postgres 15, with a standby that takes over. Where it is not installed, this is skipped. */
const bin = '/usr/lib/postgresql/15/bin';
const baseUrl = 'http://service.example/v1';
const log = createLog('silent');
const clock = createShiftedClock();

describe.skipIf(!existsSync(join(bin, 'postgres')))('a ledger whose server changes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-failover-'));
  const account = chooseAccount(join(folder, 'none'));
  const servers = new Set<ChildProcess>();
  let port: number;
  let otherPort: number;
  const urlOf = (at: number) => `postgres://postgres@127.0.0.1:${at}/postgres`;

  const run = (program: string, args: string[]) =>
    execFileSync(join(bin, program), args, { ...account, cwd: folder, stdio: 'pipe' });
  const start = async (data: string, at: number): Promise<ChildProcess> => {
    const args = ['-D', join(folder, data), '-p', String(at), '-k', '', '-c', 'listen_addresses=127.0.0.1'];
    const child = spawn(join(bin, 'postgres'), args, { ...account, cwd: folder, stdio: 'ignore' });
    servers.add(child);
    child.once('exit', () => servers.delete(child));
    await until(
      () => ask(at, 'select 1 as one').catch(() => []),
      (rows) => rows.length === 1,
      60_000,
    );
    return child;
  };
  const end = (child: ChildProcess, signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill(signal);
    });
  async function ask<T extends object>(at: number, text: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: urlOf(at), connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows as T[];
    } finally {
      await client.end();
    }
  }
  const follow = (data: string) => {
    const from = `host=127.0.0.1 port=${port} user=postgres`;
    run('pg_basebackup', ['-D', join(folder, data), '-d', from, '-X', 'stream', '-c', 'fast', '-R']);
  };
  /** All that the first has is on the standby. */
  const caughtUp = async () => {
    const [{ at }] = (await ask<{ at: string }>(port, 'select pg_current_wal_flush_lsn()::text as at')) as [
      { at: string },
    ];
    await until(
      () => ask<{ there: boolean }>(otherPort, `select pg_last_wal_replay_lsn() >= '${at}'::pg_lsn as there`),
      ([row]) => row!.there,
    );
  };
  const takeOver = async () => {
    run('pg_ctl', ['promote', '-D', join(folder, 'standby'), '-w']);
  };

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'primary'));
    if (account) {
      chownSync(folder, account.uid, account.gid);
      chownSync(join(folder, 'primary'), account.uid, account.gid);
    }
    run('initdb', ['-D', join(folder, 'primary'), '-U', 'postgres', '--auth=trust', '-N']);
    appendFileSync(
      join(folder, 'primary', 'postgresql.conf'),
      'shared_buffers = 16MB\nmax_connections = 40\nhot_standby = on\n',
    );
    [port, otherPort] = [await freePort(), await freePort()];
  });
  afterAll(async () => {
    await Promise.all([...servers].map((child) => end(child, 'SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  });

  /** A process that lives through the change, and the ledgers that it met. */
  async function connect() {
    const ledgers: Ledger[] = [await openLedger(urlOf(port), baseUrl, log, 2)];
    const lostHistory: Ledger['lostHistory'] = new Proxy({} as Ledger['lostHistory'], {
      get: (_, name: keyof Ledger['lostHistory']) => ledgers.at(-1)!.lostHistory[name],
    });
    const lastSeen: LastSeen = createLastSeen({
      ledger: { lostHistory },
      home: join(folder, 'home'),
      clock,
      log,
    });
    await lastSeen.begin();
    await lastSeen.check(true);
    return {
      lastSeen,
      lostHistory,
      open: async (url: string) => void ledgers.push(await openLedger(url, baseUrl, log, 2)),
      close: () => Promise.all(ledgers.map((ledger) => ledger.close())),
    };
  }

  it('continues where the standby has everything, and stops where it lacks what was acknowledged', async () => {
    const first = await start('primary', port);
    const one = await connect();
    follow('standby');
    let standby = await start('standby', otherPort);
    // Everything is there.
    await one.lastSeen.check(true);
    await caughtUp();
    await end(first, 'SIGKILL');
    await takeOver();
    await one.open(urlOf(otherPort));
    expect((await ask(otherPort, 'select carillon.is_sound() as sound'))[0]).toEqual({ sound: false });
    await one.lastSeen.check(true);
    // Another process may know of more.
    expect((await ask(otherPort, 'select carillon.is_sound() as sound'))[0]).toEqual({ sound: false });
    clock.shift(3_001);
    await one.lastSeen.check(true);
    expect([one.lastSeen.trouble(), (await one.lostHistory.look()).why]).toEqual([null, null]);
    expect(
      (await ask(otherPort, 'select timeline, carillon.is_sound() as sound from carillon.witnessed'))[0],
    ).toEqual({
      timeline: 2,
      sound: true,
    });
    await one.close();

    // The next one is away when the last beats are acknowledged.
    [port, otherPort] = [otherPort, port];
    rmSync(join(folder, 'primary'), { recursive: true, force: true });
    const two = await connect();
    run('pg_basebackup', [
      ...['-D', join(folder, 'primary'), '-d', `host=127.0.0.1 port=${port} user=postgres`],
      ...['-X', 'stream', '-c', 'fast', '-R'],
    ]);
    two.lastSeen.opened({
      id: '01920000-0000-7000-8000-000000000003',
      opens: 0,
      campaign: '01920000-0000-7000-8000-000000000004',
    });
    await end(standby, 'SIGKILL');
    standby = await start('primary', otherPort);
    run('pg_ctl', ['promote', '-D', join(folder, 'primary'), '-w']);
    await two.open(urlOf(otherPort));
    await two.lastSeen.check(true);
    expect([two.lastSeen.trouble()?.code, (await two.lostHistory.look()).why]).toEqual([
      'ledger-unconfirmed',
      'intents',
    ]);
    expect(await two.lostHistory.confirm()).toBe('intents');
    await two.lastSeen.check(true);
    expect(two.lastSeen.trouble()).toBe(null);

    // A dump of it: on the same server it is a copy, on another one it says that it was elsewhere.
    const dump = execFileSync(join(bin, 'pg_dump'), ['-d', urlOf(otherPort), '-n', 'carillon'], {
      encoding: 'utf8',
      maxBuffer: 1e8,
    });
    run('initdb', ['-D', join(folder, 'new'), '-U', 'postgres', '--auth=trust', '-N']);
    const newPort = await freePort();
    await start('new', newPort);
    await ask(otherPort, 'create database copied');
    const why = async (url: string) => {
      execFileSync(join(bin, 'psql'), ['-q', '-d', url], { input: dump, stdio: ['pipe', 'pipe', 'pipe'] });
      await two.open(url);
      const fresh = createLastSeen({ ledger: two, home: join(folder, 'other'), clock: systemClock, log });
      await fresh.begin();
      return fresh.trouble()?.message;
    };
    expect(await why(urlOf(otherPort).replace(/postgres$/, 'copied'))).toMatch(/a copy of the ledger/);
    expect(await why(urlOf(newPort))).toMatch(/on another server than before/);
    await two.close();
  });
});
