import { Writable } from 'node:stream';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  asLedgerError,
  type Database,
  type Query,
  type Transaction,
  valuesFor,
} from '../../src/ledger/database.ts';
import { statements } from '../../src/ledger/statements.ts';
import type { SimLedger } from './postgres.ts';
import type { Owner, World } from './world.ts';

/**
 * The real statements on the one connection of the simulation. A transaction is played whole, and the next one after it:
 * what meets what between them is drawn. A commit is a savepoint that is kept, as the whole schedule is one transaction.
 */
export type Weather = {
  /** How long a statement takes to reach the ledger, and its answer to come back. */
  reachMs(): number;
  backMs(): number;
  /** 'before': it is not run; 'after': it is, but its answer is lost. */
  failure(): 'before' | 'after' | null;
};

/** Rows that no one ordered come in the order in which they lie, which is not the same in a replay. */
const unordered = new Map<string, boolean>();
function isUnordered(name: string): boolean {
  let known = unordered.get(name);
  if (known === undefined) {
    // The plan's order is that of its function.
    known = name !== 'attempts/plan' && !/order by/i.test(statements.get(name)!.text);
    unordered.set(name, known);
  }
  return known;
}
function sort(rows: unknown[]): void {
  const keys = new Map(rows.map((row) => [row, JSON.stringify(row)]));
  rows.sort((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1));
}

/**
 * An import asks for more while its COPY is under way, on another connection. Here both share one, so what is copied is
 * gathered first.
 */
function clientOn(books: SimLedger): pg.PoolClient {
  const query = (of: string | { text: string; submit?: unknown }, values?: unknown[]) => {
    if (typeof of === 'string' || !of.submit) return books.client().query(of as string, values);
    const lines: Buffer[] = [];
    return new Writable({
      write(line: Buffer, _, next) {
        lines.push(Buffer.from(line));
        next();
      },
      final(next) {
        const into = books.client().query(copyFrom(of.text));
        into.on('finish', () => next()).on('error', next);
        into.end(Buffer.concat(lines));
      },
    });
  };
  return { query } as unknown as pg.PoolClient;
}

/** Told of each statement that was run for a process. */
type Given = Readonly<Record<string, unknown>>;
export type Seen = (owner: Owner, name: string, values: Given, rows: readonly unknown[]) => void;

export function createSimDatabase(
  world: World,
  books: SimLedger,
  owner: Owner,
  weather: Weather,
  seen: Seen,
  /** Nothing is drawn for it: the judge reads, and a world is furnished, outside of the simulated time. */
  direct = false,
  /** A statement that fails is undone alone, and the schedule goes on. */
  alone = false,
): Database {
  /** Set while a transaction of this process is played: its statements meanwhile belong to it. */
  let inside = direct ? 1 : 0;

  const run = async (name: string, values: unknown): Promise<never[]> => {
    const { text, names } = statements.get(name)!;
    const rows = await books.ask(text, valuesFor(names, values));
    if (rows.length > 1 && isUnordered(name)) sort(rows);
    seen(owner, name, (values ?? {}) as Given, rows);
    return rows as never[];
  };

  const lost = () =>
    asLedgerError(Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' }));

  const reach = <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const failure = weather.failure();
    return world.ask(
      owner,
      failure ? `${what}, lost ${failure} it was run` : what,
      async () => {
        if (failure === 'before') throw lost();
        books.setTime(world.now());
        const value = await work();
        if (failure === 'after') throw lost();
        return value;
      },
      weather.reachMs(),
      weather.backMs(),
    );
  };

  const inTransaction = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    inside += 1;
    let usesClient = false;
    books.putOff('savepoint played');
    try {
      const out = await work({
        get client() {
          usesClient = true;
          return clientOn(books);
        },
        query: ((name: string, values?: unknown) => run(name, values)) as Query,
        steadily: (part) => part(),
      });
      if (!books.takeBack('savepoint played')) books.putOff('release savepoint played');
      return out;
    } catch (error) {
      if (!books.takeBack('savepoint played')) await books.ask('rollback to savepoint played');
      books.forgetTime();
      throw error;
    } finally {
      if (usesClient) books.putOff('drop table if exists stage, stage_phones, stage_rejects, repairs');
      inside -= 1;
    }
  };

  const query = ((name: string, values?: unknown) =>
    inside > 0
      ? run(name, values)
      : reach(name, () => (alone ? inTransaction(() => run(name, values)) : run(name, values)))) as Query;

  const db: Database = {
    query,
    transaction: (work) =>
      inside > 0 ? inTransaction(work) : reach('a transaction', () => inTransaction(work)),
    together: (work) => {
      const played = () =>
        inTransaction(async (tx) => {
          const within: Database = {
            ...db,
            query: tx.query,
            transaction: (part) => part(tx),
            together: (part) => part(within),
          };
          return work(within);
        });
      return inside > 0 ? played() : reach('a few statements', played);
    },
    connect: () => Promise.reject(new Error('no connection is given away here')),
    wake: () => undefined,
    deadlocks: () => 0,
    ping: () => reach('a ping', async () => undefined),
    close: async () => undefined,
  };
  return db;
}
