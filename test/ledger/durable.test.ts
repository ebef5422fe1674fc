import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOrder } from '../../src/control/order/order.ts';
import { chooseAccount } from '../../src/embedded/account.ts';
import { findPackage, installBinaries } from '../../src/embedded/binaries.ts';
import { openDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { inspectLedger } from '../../src/ledger/server/inspect.ts';
import { ask, type ChaosPostgres, startChaosPostgres } from '../chaos/postgres.ts';
import { once, persons } from './support.ts';

/** An acknowledged intent is still there after the server was killed, whatever the server's own settings. */
let folder: string;
let server: ChaosPostgres;
let url: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-durable-'));
  // When root starts it, the server runs as another user, who must have access.
  chmodSync(folder, 0o711);
  server = await startChaosPostgres(folder);
  url = await server.makeDatabase('durable');
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function connect(address = url): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A server that acknowledges what it has not written yet, and writes it late. */
async function makeForgetful(): Promise<void> {
  await ask(url, 'alter database durable set synchronous_commit = off');
  await ask(server.maintenanceUrl('durable'), `alter system set wal_writer_delay = '10s'`);
  await ask(server.maintenanceUrl('durable'), `select pg_reload_conf()`);
}

async function planned(count: number) {
  const ledger = await openLedger(url, 'http://durable.example/v1');
  try {
    const lane = (await ledger.lanes.join(['main']))[0]!.id;
    const id = (await ledger.campaigns.create({
      name: randomUUID(),
      kind: 'list',
      baseUrl: 'http://durable.example/v1',
      state: 'running',
      driver: 'background',
      order: readOrder({ agent: 'a' }),
    }))!;
    await ledger.people.import(id, once({ accepted: persons(count), rejected: [] }), {
      columns: [],
      mode: 'whole',
    });
    await ask(url, 'update carillon.campaigns set proved = true');
    const request = { id, limit: count, due: count, queued: 0, places: null };
    return (await ledger.attempts.plan(lane, [request], count, count)).map((attempt) => attempt.id);
  } finally {
    await ledger.close();
  }
}

describe('the intent to dial', () => {
  it('survives a server that is killed, though the session asked for less', async () => {
    await makeForgetful();
    const ids = await planned(20);
    const client = await connect();
    expect((await client.query('show synchronous_commit')).rows[0].synchronous_commit).toBe('off');
    // A checkpoint would also write the log, so it happens now.
    await ask(server.maintenanceUrl('durable'), 'checkpoint');
    const admitted: string[] = [];
    for (const id of ids) {
      const want = JSON.stringify([{ id, revision: 0, ticket: randomUUID() }]);
      const { rows } = await client.query(
        'select attempt, verdict from carillon.open_attempts($1, $2, null, null, 30000, 7200000)',
        [want, 'dialer'],
      );
      if (rows[0].verdict === 'open') admitted.push(rows[0].attempt);
    }
    expect(admitted).toHaveLength(20);
    await server.kill();
    await client.end().catch(() => undefined);
    await server.start();
    const after = await connect();
    const { rows } = await after.query(
      'select state, expires_at from carillon.attempts where id = any ($1)',
      [ids],
    );
    expect(rows.map((row) => row.state)).toEqual(ids.map(() => 'dialing'));
    expect(rows.every((row) => row.expires_at > new Date(Date.now() + 20_000))).toBe(true);
    await after.end();
  });

  it('and everything else that the ledger writes is durable on its own connections', async () => {
    await makeForgetful();
    const db = openDatabase(url);
    try {
      const client = await db.connect();
      const { rows } = await client.query('show synchronous_commit');
      client.release();
      expect(rows[0].synchronous_commit).toBe('on');
    } finally {
      await db.close();
    }
  });
});

describe('a server that may lose data', () => {
  it('is reported with what to do: fsync or full_page_writes off', async () => {
    expect((await inspectLedger(url, Date.now)).findings).toEqual([]);
    await server.stop();
    const careless = await startCareless();
    try {
      await expect
        .poll(async () => (await inspectLedger(url, Date.now).catch(() => null))?.findings)
        .toEqual([
          expect.stringMatching(/fsync off.*Turn fsync on/),
          expect.stringMatching(/full_page_writes off/),
        ]);
    } finally {
      await careless.stop();
      await server.start();
    }
  });

  it('is reported with what to do: a standby that may take over without the last commits', async () => {
    const connectionString = server.maintenanceUrl('durable');
    const standby = new pg.Client({ connectionString, replication: 'true' } as pg.ClientConfig);
    await standby.connect();
    try {
      const { findings } = await inspectLedger(url, Date.now);
      expect(findings).toEqual([expect.stringMatching(/asynchronous standby.*synchronous_standby_names/)]);
    } finally {
      await standby.end();
    }
  });

  it('and one that is nearly full is reported before it refuses', async () => {
    const held: pg.Client[] = [];
    try {
      // Of another role: those count too.
      const theirs = server.maintenanceUrl('durable');
      let findings: readonly string[] = [];
      while (findings.length === 0) {
        held.push(await connect(theirs));
        ({ findings } = await inspectLedger(url, Date.now));
      }
      expect(findings[0]).toMatch(/has \d+ of 200 connections left.*Raise max_connections/);
    } finally {
      await Promise.all(held.map((client) => client.end()));
    }
  });
});

/** The same data under settings that nobody should use. */
async function startCareless(): Promise<{ stop(): Promise<void> }> {
  const home = join(folder, 'postgres');
  const dataDir = join(home, 'ledger');
  const { postgres, lib } = installBinaries(home, findPackage());
  const { port } = new URL(server.maintenanceUrl('postgres'));
  const args = ['-D', dataDir, '-p', port, '-c', 'listen_addresses=', '-c', 'unix_socket_directories=.'];
  args.push('-c', 'fsync=off', '-c', 'full_page_writes=off');
  const child = spawn(postgres, args, {
    stdio: 'ignore',
    env: { LD_LIBRARY_PATH: lib },
    cwd: dataDir,
    ...chooseAccount(dataDir),
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    async stop() {
      child.kill('SIGINT');
      await ended;
    },
  };
}
