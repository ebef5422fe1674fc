import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CarillonError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { createDeadlocks, type Deadlocks, isDeadlock } from '../base/postgres/deadlock.ts';
import { openPool } from '../base/postgres/pool.ts';
import type { Statements } from './rows.ts';
import { type Statement, statements } from './statements.ts';

/** The only way to Postgres: named prepared statements over a pool. Their texts come from statements.ts. */
export type StatementName = keyof Statements;
export type RowOf<N extends StatementName> = Statements[N]['row'];
type ValuesOf<N extends StatementName> = Statements[N]['values'];

/** The row as a caller reads it: it may narrow a column's type, but names no column that does not exist. */
type Reading<T, R> = { [K in keyof T]: K extends keyof R ? R[K] : never };

/**
 * Runs a statement, such as attempts/open for the query `open` of the attempts. Its name gives the types of its values
 * and rows; a caller that knows more, such as the states behind a text, says so by the type of what it assigns or
 * returns.
 */
export type Query = <N extends StatementName, T extends object = RowOf<N>>(
  name: N,
  ...values: ValuesFor<N, T>
) => Promise<T[]>;

export type ValuesFor<N extends StatementName, T> =
  T extends Reading<T, RowOf<N>>
    ? ValuesOf<N> extends null
      ? []
      : [values: ValuesOf<N>]
    : ['src/ledger/rows.ts has other columns or types than this caller reads'];

export type Database = {
  query: Query;
  /** Work of any length on one connection in one transaction; its error rolls everything back. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A few statements in one transaction, through a database that knows only it; run again after a lost deadlock. */
  together<T>(work: (within: Database) => Promise<T>, length: TransactionLength): Promise<T>;
  /** A connection that holds a lock; the caller releases it. */
  connect(): Promise<pg.PoolClient>;
  /** Tells every process that there may be work; called after the commit. */
  wake(): void;
  /** How many statements and transactions lost a deadlock since the start and were run again. */
  deadlocks(): number;
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type Transaction = {
  client: pg.PoolClient;
  query: Query;
  /** Runs work, and runs it again after a lost deadlock; earlier work stays. */
  steadily<T>(work: () => Promise<T>): Promise<T>;
};

/** `quick` for a few rows; `long` if a statement may touch as many as a list has. */
export type TransactionLength = 'quick' | 'long';

/** The values of a statement in the order of its text. */
export const valuesFor = (names: readonly string[], values: unknown): unknown[] =>
  names.map((name) => (values as Record<string, unknown>)[name]);

function statement(name: string): Statement {
  const found = statements.get(name);
  if (!found) throw new Error(`the query ${name} does not exist`);
  return found;
}

/** Counts and identities fit a double; strings would be concatenated, not added. */
export const ledgerTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** How long to retry a server that has no free connection. */
const fullMs = 5_000;

/**
 * A dialer waits for its statement, and must soon know if there will be no answer. A statement over a whole list, and
 * an import, may take minutes: they have connections of their own, so that no call waits behind them.
 */
const limits = { quickMs: 10_000, longMs: 1_800_000 };
const mostQuick = 10;
const callEveryMs = 100;
const mostLong = 6;

/** An acknowledged intent must survive a crash of the server, whatever the server's own setting. */
const settings = { synchronous_commit: 'on', idle_in_transaction_session_timeout: '60s' };
/** The server ends a statement a little before the client gives it up: nothing that no caller awaits may commit. */
const quickSettings = { ...settings, statement_timeout: String(limits.quickMs * 0.9) };

export function openDatabase(
  url: string,
  options: { max?: number | undefined; log?: Log | undefined } = {},
): Database {
  const onLost = (error: Error) => options.log?.warn({ err: error.message }, 'a ledger connection was lost');
  const quick = openPool({
    url,
    types: ledgerTypes,
    onLost,
    max: options.max ?? mostQuick,
    limitMs: limits.quickMs,
    settings: quickSettings,
  });
  const long = openPool({ url, types: ledgerTypes, onLost, max: mostLong, limitMs: limits.longMs, settings });
  const deadlocks = createDeadlocks('ledger', options.log);
  /** Work that lost too many deadlocks is not wrong: as when the ledger is away, it is tried again later. */
  const again: Deadlocks['again'] = async (work, undo) => {
    try {
      return await deadlocks.again(work, undo);
    } catch (error) {
      throw isDeadlock(error) ? unreachable(error) : error;
    }
  };

  const run = async <T>(on: pg.Pool | pg.PoolClient, name: string, values: unknown): Promise<T[]> => {
    try {
      const { text, names } = statement(name);
      const result = await on.query({ name, text, values: valuesFor(names, values) });
      return result.rows as T[];
    } catch (error) {
      throw asLedgerError(error);
    }
  };

  // Sent apart from the work that it announces: Postgres runs commits that notify one by one.
  const caller = createCaller(() => run(quick, 'processes/wake', []));

  const transaction = async <T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const client = await checkout(pool);
    let broken: Error | undefined;
    let wakes = false;
    /** A connection takes one statement at a time. */
    let before: Promise<unknown> = Promise.resolve();
    try {
      await client.query('begin');
      const out = await work({
        client,
        query(name, ...[values]) {
          wakes ||= statement(name).wakes;
          const rows = before.then(() => run<never>(client, name, values));
          before = rows.catch(() => undefined);
          return rows;
        },
        async steadily(part) {
          await client.query('savepoint part');
          return again(part, () => client.query('rollback to savepoint part'));
        },
      });
      await client.query('commit');
      if (wakes) caller.call();
      return out;
    } catch (thrown) {
      const error = asLedgerError(thrown);
      if (isLedgerAway(error)) broken = error as Error;
      else
        await client.query('rollback').catch((failure: Error) => {
          broken = failure;
        });
      throw error;
    } finally {
      client.release(broken);
    }
  };

  const db: Database = {
    async query(name, ...[values]) {
      const { long: isLong, wakes } = statement(name);
      const rows = await untilThereIsRoom(() => again(() => run(isLong ? long : quick, name, values)));
      if (wakes) caller.call();
      return rows as never;
    },
    transaction: (work) => transaction(long, work),
    together: (work, length) =>
      again(() => transaction(length === 'long' ? long : quick, (tx) => work(within(db, tx)))),
    connect: () => checkout(long),
    wake: caller.call,
    deadlocks: deadlocks.count,
    async ping() {
      await quick.query('select 1').catch((error) => {
        throw asLedgerError(error);
      });
    },
    async close() {
      await caller.ended();
      await Promise.all([quick.end(), long.end()]);
    },
  };
  return db;
}

/**
 * Sends at once, and then at most once in a while; a failed one does no harm, because every process also looks by
 * itself.
 */
function createCaller(send: () => Promise<unknown>) {
  let isCalling = false;
  let isDue = false;
  let isClosing = false;
  const run = async () => {
    isCalling = true;
    do {
      isDue = false;
      await send().catch(() => undefined);
      if (!isClosing) await sleep(callEveryMs, undefined, { ref: false });
    } while (isDue);
    isCalling = false;
  };
  return {
    call() {
      isDue = true;
      if (!isCalling) void run();
    },
    async ended() {
      isClosing = true;
      if (isDue) await send().catch(() => undefined);
    },
  };
}

/** A database whose verbs run in the transaction. */
function within(db: Database, tx: Transaction): Database {
  const inside: Database = {
    ...db,
    query: tx.query,
    transaction: (work) => work(tx),
    together: (work) => work(inside),
  };
  return inside;
}

/** A server that is full for a moment did nothing, so the work runs again. */
async function untilThereIsRoom<T>(work: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + fullMs; ; ) {
    try {
      return await work();
    } catch (error) {
      const known = asLedgerError(error);
      if (!isFull(known) || performance.now() > end) throw known;
      await sleep(100 + Math.random() * 400);
    }
  }
}

function isFull(error: unknown): boolean {
  return ((error as Error).cause as { code?: string } | undefined)?.code === '53300';
}

const checkout = (pool: pg.Pool): Promise<pg.PoolClient> => untilThereIsRoom(() => pool.connect());

/**
 * Error codes, by their first letters, that another try may not meet: no connection, a server that starts, stops or is
 * full, a standby after a failover, a lost race, a statement that was ended, a pooler that forgot a prepared statement,
 * a disk that failed.
 */
const awayCodes = /^(08|57P|53|25006|40001|57014|26000|58030)/;
const awayErrors = /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/;
const awayTexts = /timeout|terminated|Connection ended|not queryable|Client was closed/i;

/** Distinguishes "the ledger is away" from "the statement is wrong": the first is waited out, the second is a fault. */
export function asLedgerError(error: unknown): unknown {
  if (error instanceof CarillonError) return error;
  const code = (error as { code?: string }).code ?? '';
  const text = error instanceof Error ? error.message : String(error);
  const away = awayCodes.test(code) || awayErrors.test(code) || awayTexts.test(text);
  const denied = /^(28|3D)/.test(code);
  if (!away && !denied) return error;
  return unreachable(error);
}

function unreachable(error: unknown): CarillonError {
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const full = code === '53300';
  return new CarillonError(
    'ledger-unreachable',
    full
      ? 'The ledger’s Postgres has no connection left'
      : `The ledger cannot be reached: ${message || code}`,
    {
      cause: error,
      ...(full ? { remedy: 'Raise its max_connections, or run fewer processes on it.' } : {}),
    },
  );
}

/** True when the ledger is away, and a job should wait rather than fail. */
export function isLedgerAway(error: unknown): boolean {
  const known = asLedgerError(error);
  return known instanceof CarillonError && known.code === 'ledger-unreachable';
}
