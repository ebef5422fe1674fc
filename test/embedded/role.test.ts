import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { type Embedded, startEmbedded } from '../../src/embedded/embedded.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { query, useHomes } from './homes.ts';

/** The ledger is used by a role that owns it and nothing else; the superuser stays with those who keep the server. */
const { newHome } = useHomes();
let home: string;
let server: Embedded;
beforeAll(async () => {
  home = newHome();
  server = await startEmbedded({ home });
});
afterAll(() => server.close());

/** Opens ledger and queue as a process does, which makes whatever is missing in them. */
async function useAll(url: string): Promise<void> {
  const log = createLog('silent');
  const ledger = await openLedger(url, 'http://voice.example/v1', log);
  await ledger.lanes.join(['main']);
  await ledger.close();
  const engine = await createEngine({ databaseUrl: url, log });
  await engine.bucket.setRate('main', { rate: 1, burst: 1 });
  const queue = engine.newQueue<{ n: number }>('jobs');
  await queue.add('job', { n: 1 });
  await queue.close();
  await engine.close();
}

/** The objects that do not belong to the role, outside the server's own schemas; those of an extension stay with it. */
const others = (url: string) =>
  query<{ what: string }>(
    url,
    `with members as (select objid from pg_depend where deptype = 'e')
     select c.relname as what from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relowner <> 'carillon_app'::regrole
     union all
     select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and p.proowner <> 'carillon_app'::regrole
        and p.oid not in (select objid from members)
     union all
     select t.typname from pg_type t join pg_namespace n on n.oid = t.typnamespace
      where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and t.typowner <> 'carillon_app'::regrole
        and t.oid not in (select objid from members) and t.typelem not in (select objid from members)
     union all
     select nspname from pg_namespace
      where nspname ~ '^(carillon|kept)' and nspowner <> 'carillon_app'::regrole`,
  );

test('the role that uses the ledger can neither reach the machine nor the server’s settings', async () => {
  expect(new URL(server.url).username).toBe('carillon_app');
  await useAll(server.url);
  for (const sql of [
    `copy (select 1) to program 'true'`,
    `copy pg_class to '/tmp/carillon-not-written'`,
    `select pg_read_file('carillon.password')`,
    `select pg_ls_dir('.')`,
    `select lo_import('/etc/passwd')`,
    `alter system set fsync = off`,
    `create role another superuser login`,
    `create database another`,
    `alter role carillon_app superuser`,
    `alter role carillon password 'x'`,
    `load '/tmp/library.so'`,
    `create function f() returns void language c as '/tmp/library.so'`,
    `set session authorization carillon`,
    `set role carillon`,
    `select rolpassword from pg_authid`,
    `select pg_backup_start('b')`,
  ]) {
    await expect(query(server.url, sql), sql).rejects.toMatchObject({ code: '42501' });
  }
});

test('an object that the role makes under a name of the server’s own is not run by the superuser', async () => {
  const shadow = (schema: string, first: string) =>
    `create function ${schema}.format(text, ${first}) returns text language plpgsql as $$ begin
       if current_user = 'carillon' then alter role carillon_app superuser; end if;
       return pg_catalog.format($1, $2); end $$;`;
  await query(
    server.url,
    `create schema shadows; ${shadow('public', 'text')} ${shadow('public', 'name')} ${shadow('shadows', 'text')}
     create function shadows.pg_try_advisory_lock(int, int) returns boolean language plpgsql as $$ begin
       if current_user = 'carillon' then alter role carillon_app superuser; end if;
       return true; end $$;
     alter database postgres set search_path = shadows, public, pg_catalog`,
  );
  await server.close();
  server = await startEmbedded({ home });
  const [role] = await query(
    server.url,
    `select rolsuper from pg_catalog.pg_roles where rolname = current_user`,
  );
  await query(
    server.url,
    `alter database postgres reset search_path; drop schema shadows cascade;
     drop function public.format(text, text); drop function public.format(text, name)`,
  );
  expect(role).toEqual({ rolsuper: false });
});

test('a backup of the running server has the superuser’s address', async () => {
  await query(server.maintenanceUrl, `select pg_backup_start('b', true); select pg_backup_stop()`);
  expect(statSync(join(home, 'ledger', 'carillon_app.password')).mode & 0o777).toBe(0o600);
});

test('a ledger that an older Carillon made as superuser is handed over, also while its server runs', async () => {
  const old = server.maintenanceUrl;
  await query(
    old,
    `reassign owned by carillon_app to carillon; drop owned by carillon_app; drop role carillon_app`,
  );
  rmSync(join(home, 'ledger', 'carillon_app.password'));
  await useAll(old);
  await query(
    old,
    `create schema kept; create type kept.state as enum ('a'); create domain kept.word as text;
     create type kept.pair as (a int, b int); create sequence kept.numbers;
     create table kept.rows (id int generated always as identity, also serial, state kept.state);
     create view kept.some as select 1 as one; create materialized view kept.more as select 1 as one;
     create function kept.add(a int) returns int language sql return a + 1;
     create procedure kept.nothing() language sql as 'select 1';
     create table kept.parts (n int) partition by range (n);
     create table kept.part partition of kept.parts for values from (1) to (9)`,
  );
  const next = await startEmbedded({ home });
  try {
    expect(next.adopted).toBe(true);
    expect(await others(old)).toEqual([]);
    await useAll(next.url);
    await query(next.url, `insert into kept.rows (state) values ('a'); drop schema kept cascade`);
  } finally {
    await next.close();
  }
});

test('a start hands over what an older Carillon made since, and makes a lost password again', async () => {
  await query(server.maintenanceUrl, 'create table public.since (n int)');
  await server.close();
  rmSync(join(home, 'ledger', 'carillon_app.password'));
  server = await startEmbedded({ home });
  expect(server.adopted).toBe(false);
  expect(await others(server.url)).toEqual([]);
  await query(server.url, 'drop table public.since');
});
