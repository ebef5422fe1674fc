import type pg from 'pg';
import type { Log } from '../base/log.ts';
import { Client } from '../base/postgres/client.ts';
import { isDirect, refuseSharedSessions } from '../base/postgres/pooler.ts';
import { asLedgerError } from './database.ts';
import { type Applied, foreignLayout, functions, functionsDigest, pendingOf } from './schema.ts';

/**
 * Creates the ledger's schema, or brings it up to date; two processes that start at once wait for each other. Written
 * by hand because runners such as node-pg-migrate run each file once; our functions are created again whenever they
 * changed.
 */
export async function migrate(url: string, log?: Log): Promise<string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true });
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (!(await isDirect(client))) await refuseSharedSessions(client, url);
    // A session lock, not a transaction's: a transaction that began earlier may not see what the lock's holder created.
    await client.query(`select pg_advisory_lock(hashtext('carillon ledger'))`);
    const applied: string[] = [];
    const pending = pendingOf(await readApplied(client));
    if (pending.length > 0 || (await readMark(client)) !== functionsDigest) {
      // All in one, so that a process that works meanwhile counts a call by the old triggers or the new ones, never by both or
      // neither. The loop that folds the counts waits.
      await inTransaction(client, async () => {
        await client.query(`select pg_advisory_xact_lock(hashtext('carillon tallies'))`);
        for (const { name, text, digest } of pending) {
          await client.query(home);
          await client.query(text);
          await client.query('insert into carillon.migrations (name, digest) values ($1, $2)', [
            name,
            digest,
          ]);
          log?.debug({ migration: name }, 'a migration was applied');
          applied.push(name);
        }
        await client.query(clearing);
        await client.query(functions);
        await client.query(`comment on schema carillon is '${functionsDigest}'`);
      });
    }
    await makeParts(client, log);
    return applied;
  } catch (error) {
    throw asLedgerError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * The index that finds people by parts of their phones and names: built next to everything else, without a lock that
 * others wait for, by one process; another start tries again. If the database does not allow the extension, a search
 * says so; the rest works.
 */
async function makeParts(client: pg.Client, log?: Log): Promise<void> {
  const { rows } = await client.query<{ valid: boolean | null }>(
    `select (select i.indisvalid from pg_index i where i.indexrelid = to_regclass('carillon.people_words_parts')) as valid`,
  );
  if (rows[0]!.valid) return;
  try {
    // The index would wait for those who wait for this lock.
    await client.query(`select pg_advisory_unlock(hashtext('carillon ledger'))`);
    const lock = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_lock(hashtext('carillon parts')) as mine`,
    );
    if (!lock.rows[0]!.mine) return;
    // A start waits no longer than this for other transactions.
    await client.query(`set lock_timeout = '5s'`);
    await client.query('drop index concurrently if exists carillon.people_words_parts');
    await client.query('create extension if not exists pg_trgm');
    const home = await client.query<{ name: string }>(
      `select quote_ident(n.nspname) as name from pg_extension e join pg_namespace n on n.oid = e.extnamespace
       where e.extname = 'pg_trgm'`,
    );
    await client.query(
      `create index concurrently people_words_parts on carillon.people_words
       using gin (words ${home.rows[0]!.name}.gin_trgm_ops)`,
    );
  } catch (error) {
    log?.debug({ err: (error as Error).message }, 'people cannot be found by parts');
  }
}

const home = `
create schema if not exists carillon;
create table if not exists carillon.migrations (
  name text primary key, digest text not null, applied_at timestamptz not null default now())`;

/** Drops functions, views, types and the triggers that depend on them; the tables stay. */
const clearing = `
do $$
declare
  each record;
begin
  for each in select viewname from pg_views where schemaname = 'carillon' loop
    execute format('drop view if exists carillon.%I cascade', each.viewname);
  end loop;
  for each in select oid::regprocedure as name from pg_proc where pronamespace = 'carillon'::regnamespace loop
    execute format('drop function if exists %s cascade', each.name);
  end loop;
  for each in select c.relname from pg_class c where c.relkind = 'c' and c.relnamespace = 'carillon'::regnamespace loop
    execute format('drop type if exists carillon.%I cascade', each.relname);
  end loop;
end $$`;

async function readApplied(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query<{ laid: boolean; ours: boolean }>(`
    select to_regclass('carillon.campaigns') is not null as laid, exists (
      select from pg_attribute where attrelid = to_regclass('carillon.migrations') and attname = 'digest') as ours`);
  const { laid, ours } = rows[0]!;
  if (laid && !ours) throw foreignLayout();
  if (!ours) return [];
  return (await client.query<Applied>('select name, digest from carillon.migrations order by name')).rows;
}

async function readMark(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>(
    `select obj_description(to_regnamespace('carillon'), 'pg_namespace') as mark`,
  );
  return rows[0]?.mark ?? null;
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
