import type pg from 'pg';
import { CarillonError } from '../errors.ts';
import { Client } from './client.ts';

/**
 * Settings, locks and notifications belong to a session of the server. A pooler in session mode keeps one for each
 * connection. A pooler in transaction mode gives each transaction the session that is free, and none of the three
 * holds.
 */

/** A session of the server. Its start tells it from a later one with the same process id. */
const whichSession = `select a.pid, a.backend_start::text as start
  from pg_stat_activity a where a.pid = pg_backend_pid()`;

/** Connections that one process may need at once: 16 for the ledger, 11 for a queue in its Postgres. */
export const mostConnections = 27;

/** If the pool is full, the second connection waits for its turn. */
const patienceMs = 5_000;

/** True when the server itself answers: a pooler makes up the process id that it gives a connection. */
export async function isDirect(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid === (client as unknown as { processID: number }).processID;
}

/**
 * Two open connections never share a session, and neither changes its own, unless the pooler gives them out by
 * transaction. They are asked out of step: a pooler that rotates its sessions would otherwise seem to keep two apart.
 */
export async function refuseSharedSessions(client: pg.Client, url: string): Promise<void> {
  const second = new Client({
    connectionString: url,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    application_name: 'carillon',
  });
  second.on('error', () => undefined);
  const seen = new Map<pg.Client, string>();
  try {
    await second.connect();
    for (const each of [client, client, second, second, client]) {
      const session = await sessionOf(each, url);
      const other = each === client ? second : client;
      if (session === seen.get(other) || session !== (seen.get(each) ?? session)) throw shared(url);
      seen.set(each, session);
    }
  } finally {
    second.end().catch(() => undefined);
  }
}

async function sessionOf(client: pg.Client, url: string): Promise<string> {
  try {
    const { rows } = await client.query<{ pid: number; start: string }>(whichSession);
    return `${rows[0]?.pid} ${rows[0]?.start}`;
  } catch (error) {
    throw (error as Error).message === 'Query read timeout' ? full(url) : error;
  }
}

function shared(url: string): CarillonError {
  return new CarillonError(
    'config-invalid',
    `DATABASE_URL leads to a pooler in transaction or statement mode (${new URL(url).host}), where settings, locks and notifications of a session do not hold`,
    {
      remedy:
        'Set DATABASE_URL to a pooler in session mode (PgBouncer: pool_mode = session), or to Postgres itself.',
    },
  );
}

function full(url: string): CarillonError {
  return new CarillonError(
    'ledger-unreachable',
    `The pooler at DATABASE_URL (${new URL(url).host}) has no second connection free for this process`,
    { remedy: `Raise its pool size (PgBouncer: default_pool_size) to ${mostConnections} for each process.` },
  );
}
