import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import { createTrips, type Item, type Rows } from './trip.ts';

/** A throw-away Postgres whose time the simulation sets, with the real ledger in it. */
export type SimPostgres = { url: string; stop(): Promise<void> };

/** Nothing of it is kept: the chaos runs try a power cut on it. */
const settings = [
  'fsync = off',
  'full_page_writes = off',
  'autovacuum = off',
  'track_activities = off',
  'track_counts = off',
  'update_process_title = off',
  `checkpoint_timeout = '1d'`,
  `max_wal_size = '2GB'`,
];
/** A plan that depends on what was played before would give rows in another order: a seed must replay anywhere. */
const steady = [
  'plan_cache_mode = force_generic_plan',
  'join_collapse_limit = 1',
  'from_collapse_limit = 1',
  ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'hashagg', 'memoize'].map(
    (way) => `enable_${way} = off`,
  ),
];

export async function startSimPostgres(): Promise<SimPostgres> {
  const home = mkdtempSync(join(memoryFolder(), 'carillon-sim-'));
  const embedded = await startEmbedded({ home });
  const stop = async () => {
    await embedded.close();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    await withClient(embedded.maintenanceUrl, async (client) => {
      for (const setting of settings) await client.query(`alter system set ${setting}`);
      await client.query('select pg_reload_conf()');
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: embedded.maintenanceUrl, stop };
}

/**
 * The clock of a schedule, found before Postgres's own: every `now()` of the ledger's statements, functions and column
 * defaults is this one. Ids are drawn by the seed too, so that a replay has the same. And what waits until all earlier
 * transactions are over finds that they are: one is played after another.
 */
const shadow = `
create schema sim;
create sequence sim.ids;
create function sim.now() returns timestamptz language sql stable as
  $$ select current_setting('sim.now')::timestamptz $$;
create function sim.clock_timestamp() returns timestamptz language sql stable as
  $$ select current_setting('sim.now')::timestamptz $$;
create function sim.transaction_timestamp() returns timestamptz language sql stable as
  $$ select current_setting('sim.now')::timestamptz $$;
create function sim.statement_timestamp() returns timestamptz language sql stable as
  $$ select current_setting('sim.now')::timestamptz $$;
create function sim.pg_postmaster_start_time() returns timestamptz language sql stable as
  $$ select current_setting('sim.started')::timestamptz $$;
create function sim.pg_snapshot_xmin(pg_snapshot) returns xid8 language sql stable as
  $$ select '18446744073709551615'::xid8 $$;
create function sim.gen_random_uuid() returns uuid language sql volatile as
  $$ select overlay(overlay(md5(current_setting('sim.seed') || nextval('sim.ids')) placing '4' from 13) placing '8' from 17)::uuid $$;
create function sim.random() returns double precision language sql volatile as
  $$ select (hashtext(current_setting('sim.seed') || nextval('sim.ids'))::bigint + 2147483648) / 4294967296.0 $$;
`;
const path = 'sim,pg_catalog,public';

export type SimLedger = {
  /** A client that goes past everything here, for a COPY; statements that were put off go first. */
  client(): pg.Client;
  /** The rows of a statement. */
  ask(text: string, values?: readonly unknown[]): Promise<Rows>;
  /** Goes to Postgres with the next statement. */
  putOff(text: string): void;
  /** Forgets the last that was put off, if it is this and did not go yet. */
  takeBack(text: string): boolean;
  /** Begins a schedule in an empty ledger. */
  begin(seed: number): Promise<void>;
  /** Ends it: nothing of it is left. */
  end(): Promise<void>;
  /** Sets what the ledger's clock shows from now on. */
  setTime(ms: number): void;
  /** A part was undone, and with it perhaps the time. */
  forgetTime(): void;
  /** Keeps the ledger's state of now, which may come back. */
  keepHistory(): Promise<void>;
  /** It is put back to that, by a server that is started now. */
  loseHistory(): Promise<void>;
  close(): Promise<void>;
};

/** A new database of the server with an empty ledger, and the one connection of its simulation. */
export async function openSimLedger(server: string, name: string): Promise<SimLedger> {
  await withClient(server, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
    await client.query(`alter database ${name} set search_path = ${path}`);
    for (const setting of steady) await client.query(`alter database ${name} set ${setting}`);
    await client.query(`alter database ${name} set "sim.now" = '2026-01-01T00:00:00Z'`);
    await client.query(`alter database ${name} set "sim.seed" = '0'`);
    await client.query(`alter database ${name} set "sim.started" = '2026-01-01T00:00:00Z'`);
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  await withClient(url.href, (client) => client.query(shadow));
  await migrate(url.href);
  const client = new pg.Client(await nearest(url));
  client.on('error', () => undefined);
  await client.connect();
  const trips = createTrips(client);
  const holder = await holdSnapshot(url.href);
  const resets = await sequencesOf(client);
  const empties = await emptyTables(client);
  let time = 0;
  /** The time that Postgres was told last. */
  let told: number | null = null;
  let waiting: Item[] = [];
  let used = 0;
  const take = async (items: Item[]) => {
    const before = waiting;
    waiting = [];
    if (time !== told) before.push({ text: tellTime, values: [new Date(time).toISOString()] });
    told = time;
    const rows = await trips.take([...before, ...items]);
    return rows[before.length + items.length - 1]!;
  };
  return {
    client() {
      // Statements of a connection go in their order.
      take([]).catch(() => undefined);
      return client;
    },
    ask: (text, values) => take([values ? { text, values } : { text }]),
    putOff(text) {
      waiting.push({ text });
    },
    takeBack(text) {
      if (waiting.at(-1)?.text !== text) return false;
      waiting.pop();
      return true;
    },
    async begin(seed) {
      if (used++ % fresh === fresh - 1) await clear(client, empties);
      waiting = [
        { text: 'begin' },
        { text: resets },
        { text: `select set_config('sim.seed', $1, false)`, values: [`${seed} `] },
        { text: tellStart, values: ['2026-01-01T00:00:00Z'] },
      ];
      told = null;
    },
    async end() {
      waiting = [];
      await client.query('rollback');
    },
    setTime(ms) {
      time = ms;
    },
    forgetTime() {
      told = null;
    },
    async keepHistory() {
      await take([{ text: 'savepoint history' }]);
    },
    async loseHistory() {
      waiting = [];
      await take([{ text: 'rollback to savepoint history' }]);
      told = null;
      await take([{ text: tellStart, values: [new Date(time).toISOString()] }]);
    },
    async close() {
      await holder.end();
      await client.end();
      await withClient(server, (other) => other.query(`drop database ${name} with (force)`));
    },
  };
}

const tellStart = `select set_config('sim.started', $1, false)`;
const tellTime = `select set_config('sim.now', $1, false)`;
/** So many schedules leave their dead rows in the tables; to remove them makes Postgres plan every statement again. */
const fresh = 100;

/** The server's socket, where it is on this machine: a quarter of the way. */
async function nearest(url: URL): Promise<pg.ClientConfig> {
  const { hostname, port, username, password } = url;
  const database = url.pathname.slice(1);
  let folder = '';
  await withClient(url.href, async (client) => {
    const { rows } = await client.query<{ data: string; sockets: string }>(
      `select current_setting('data_directory') as data, current_setting('unix_socket_directories') as sockets`,
    );
    const { data, sockets } = rows[0]!;
    folder = join(data, sockets.split(',')[0]!.trim());
    if (sockets.startsWith('/')) folder = sockets.split(',')[0]!.trim();
  });
  const path = join(folder, `.s.PGSQL.${port}`);
  const isNear = folder !== '' && Buffer.byteLength(path) < 100 && existsSync(path);
  return {
    host: isNear ? folder : hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database,
  };
}

/**
 * While an older snapshot is held, Postgres never reuses the place of a dead row: so rows without an order come in the
 * one in which they were written, in a replay as in the first play.
 */
async function holdSnapshot(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select 1');
  return client;
}

/** A rolled-back schedule leaves dead rows, and a sequence does not go back by itself. */
async function sequencesOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname in ('carillon', 'sim')`,
  );
  return `select ${rows.map(({ name }) => `setval('${name}', 1, false)`).join(', ')}`;
}

async function emptyTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('carillon.%I', tablename) as name from pg_tables where schemaname = 'carillon'`,
  );
  const empty: string[] = [];
  for (const { name } of rows) {
    const found = await client.query(`select from ${name} limit 1`);
    if (found.rowCount === 0) empty.push(name);
  }
  return empty;
}

async function clear(client: pg.Client, tables: string[]): Promise<void> {
  await client.query(`set session_replication_role = replica`);
  await client.query(`truncate ${tables.join(', ')}`);
  await client.query(`set session_replication_role = origin`);
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** In memory, where the machine has such a folder. */
export const memoryFolder = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
