import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { CarillonError } from '../errors.ts';
import type { Log } from '../log.ts';

/** The one way to Postgres: named prepared statements from queries/*.sql over a pool. */
export type Row = Record<string, unknown>;

export type Database = {
  /** Runs queries/<name>.sql. */
  query<T extends object = Row>(name: string, values?: unknown[]): Promise<T[]>;
  /** Work on one connection in one transaction; what it throws rolls everything back. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A connection for as long as a lock is to be held; the caller releases it. */
  connect(): Promise<pg.PoolClient>;
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type Transaction = {
  client: pg.PoolClient;
  query<T extends object = Row>(name: string, values?: unknown[]): Promise<T[]>;
  /** Work that is undone and begun again when it lost a deadlock; what stood before it stays. */
  steadily(work: () => Promise<void>): Promise<void>;
};

const folder = new URL('./queries/', import.meta.url);
const statements = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => [file.slice(0, -4), readFileSync(new URL(file, folder), 'utf8')] as const),
);

function statement(name: string): string {
  const text = statements.get(name);
  if (!text) throw new Error(`there is no query named ${name}`);
  return text;
}

/** Counts and identities fit a double; a string would make sums of text. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** A statement that lost one deadlock may lose the next one as well; then something else is wrong. */
const mostTries = 5;

export function openDatabase(url: string, options: { max?: number; log?: Log } = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    application_name: 'carillon',
  });
  // An idle connection that dies says so here; the next query opens another.
  pool.on('error', (error) => options.log?.warn({ err: error.message }, 'a ledger connection was lost'));
  // One in use tells whoever uses it; but an error that nobody hears would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));

  const run = async <T>(on: pg.Pool | pg.PoolClient, name: string, values: unknown[]): Promise<T[]> => {
    try {
      const result = await on.query({ name, text: statement(name), values });
      return result.rows as T[];
    } catch (error) {
      throw asLedgerError(error);
    }
  };

  return {
    query: <T extends object>(name: string, values: unknown[] = []) =>
      again(() => run<T>(pool, name, values)),
    async transaction(work) {
      const client = await checkout(pool);
      let broken: Error | undefined;
      try {
        await client.query('begin');
        const out = await work({
          client,
          query: (name, values = []) => run(client, name, values),
          async steadily(part) {
            await client.query('savepoint part');
            await again(part, () => client.query('rollback to savepoint part'));
          },
        });
        await client.query('commit');
        return out;
      } catch (error) {
        await client.query('rollback').catch((failure: Error) => {
          broken = failure;
        });
        throw asLedgerError(error);
      } finally {
        client.release(broken);
      }
    },
    connect: () => checkout(pool),
    async ping() {
      await pool.query('select 1').catch((error) => {
        throw asLedgerError(error);
      });
    },
    close: () => pool.end(),
  };
}

/** Two statements wanted the same rows in another order: the one that gave way left nothing, and is asked again. */
async function again<T>(work: () => Promise<T>, undo?: () => Promise<unknown>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01' || tries >= mostTries) throw error;
      await undo?.();
    }
  }
}

async function checkout(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw asLedgerError(error);
  }
}

/** Tells "the ledger is away" from "the statement is wrong": the first is waited out, the second is a fault. */
export function asLedgerError(error: unknown): unknown {
  if (error instanceof CarillonError) return error;
  const code = (error as { code?: string }).code ?? '';
  const text = error instanceof Error ? error.message : String(error);
  const away =
    /^(08|57P|53)/.test(code) ||
    /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(code) ||
    /timeout|terminated|Connection ended|not queryable|Client was closed/i.test(text);
  const denied = /^(28|3D)/.test(code);
  if (!away && !denied) return error;
  return new CarillonError('ledger-unreachable', `The ledger cannot be reached: ${text || code}`, {
    cause: error,
  });
}

/** True when the ledger is away, and a job had better wait than fail. */
export function isLedgerAway(error: unknown): boolean {
  return error instanceof CarillonError && error.code === 'ledger-unreachable';
}
