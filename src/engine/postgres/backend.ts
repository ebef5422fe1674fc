import { type BackendFactory, type PgPool, PostgresConnection, PostgresQueueBackend } from 'bullmq';
import type { Pool, QueryResult } from 'pg';
import { systemClock } from '../../base/clock.ts';
import type { Deadlocks } from '../../base/postgres/deadlock.ts';
import type { Listener, OnNotice } from '../../base/postgres/listener.ts';
import { createKnownAnswers, type KnownAnswers } from './known-answers.ts';
import type { QueueTimes } from './times.ts';
import { createTogether, type Send } from './together.ts';

/** BullMQ's Postgres backend on connections that the whole process shares: a pool, and one that listens. */
type BackendDeps = {
  schema: string;
  pool: Pool;
  listener: Listener;
  deadlocks: Deadlocks;
  times: QueueTimes;
  /** The ledger's time. */
  now(): number;
};

export function createBackends(deps: BackendDeps): BackendFactory<PostgresQueueBackend, Pool> {
  const known = createKnownAnswers(deps.listener, { now: deps.now, monotonic: systemClock.monotonic });
  // Each of BullMQ's statements is a transaction, so one that lost a deadlock is sent again as it was.
  const together = createTogether(
    (text, values) => deps.deadlocks.again(() => send(deps.pool, text, values)),
    systemClock.monotonic,
  );
  return (name, options, wanted = {}) => {
    const listens = wanted.withBlockingConnection === true;
    const shared = new SharedConnection(name, { ...deps, known, together }, listens);
    return new PatientBackend(shared, name, { ...options, connection: shared.pool }, true);
  };
}

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

type SharedDeps = BackendDeps & { known: KnownAnswers; together: Send };

/** BullMQ uses it both as its own connection and as the client on which a worker listens. */
class SharedConnection extends PostgresConnection {
  override readonly schema: string;
  private readonly noticeClient: ListenClient;
  private readonly forget: (() => void)[];

  constructor(queue: string, deps: SharedDeps, listens: boolean) {
    const { schema, listener, known } = deps;
    super(steady(deps));
    this.schema = schema;
    this.noticeClient = listenClientOf(queue, listener);
    // Notices were missed while nothing listened, so waiting workers look again.
    this.forget = listens
      ? [listener.onBack(() => this.emit('listenerinvalidated')), known.watch(queue)]
      : [];
  }

  /** The tables were created and checked when the engine was made. */
  override async waitUntilReady(): Promise<void> {}

  override async getListenClient(): Promise<ListenClient> {
    return this.noticeClient;
  }

  /** False: a worker looks every ten seconds, in case nothing is listening. */
  override get hasListenClientKeepAlive(): boolean {
    return false;
  }

  /** The connection does not belong to one worker. */
  override async setListenClientName(): Promise<void> {}

  override async close(): Promise<void> {
    for (const forget of this.forget.splice(0)) forget();
    await super.close();
  }
}

/** The engine handles the pool's errors once: here each queue would add a listener that is never removed. */
function steady({ pool, times, known, together }: SharedDeps): PgPool {
  const shared = {
    options: { keepAlive: true },
    query: async (text: string, values?: unknown[]) => {
      const told = times.tell(text, values);
      const old = known.answer(text, told);
      if (old) return times.hear(text, old);
      const hear = known.sent(text, told);
      const answer = await together(text, told);
      hear(answer);
      return times.hear(text, answer);
    },
    connect: pool.connect.bind(pool),
    end: async () => undefined,
    on: () => shared,
  };
  return shared as unknown as PgPool;
}

/**
 * BullMQ has a few dozen statements. A named statement is parsed once per connection, not each time that it is sent.
 */
const names = new Map<string, string | null>();
const mostNames = 100;
let given = 0;

async function send(pool: Pool, text: string, values: unknown[] | undefined): Promise<QueryResult> {
  const name = values && nameOf(text);
  if (!name) return pool.query(text, values);
  try {
    return await pool.query({ name, text, values });
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    // A newer release has changed the tables under this process: the statement is parsed again under another name.
    if (code === '0A000') names.delete(text);
    // A pooler does not know the name, or knows it already, so names are of no use here.
    else if (/^(26000|42P05)$/.test(code)) names.set(text, null);
    else throw error;
    return pool.query(text, values);
  }
}

function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostNames) return known ?? null;
  const name = `queue ${++given}`;
  names.set(text, name);
  return name;
}

/** Passes on only the notices of this queue. */
function listenClientOf(queue: string, listener: Listener): ListenClient {
  const client = {
    query: async () => ({ rows: [] }),
    on: (_event: string, handler: OnNotice) => {
      listener.subscribe('bullmq_jobs', queue, handler);
      return client;
    },
    removeListener: (_event: string, handler: OnNotice) => {
      listener.unsubscribe('bullmq_jobs', queue, handler);
      return client;
    },
  };
  return client as unknown as ListenClient;
}

const pauseMs = { first: 200, most: 5_000 };

/**
 * BullMQ asks for the next job again at once after an error that it does not count as a lost connection, such as a
 * server with no free connection. With a hundred workers the process would do nothing else.
 */
class PatientBackend extends PostgresQueueBackend {
  private pauseNow = pauseMs.first;
  private ending = new AbortController();

  override async moveToActive(
    token: string,
    name?: string,
  ): ReturnType<PostgresQueueBackend['moveToActive']> {
    try {
      const job = await super.moveToActive(token, name);
      this.pauseNow = pauseMs.first;
      return job;
    } catch (error) {
      await systemClock.sleep(this.pauseNow, this.ending.signal);
      this.pauseNow = Math.min(this.pauseNow * 2, pauseMs.most);
      throw error;
    }
  }

  override async disconnectBlocking(wait?: boolean): Promise<void> {
    this.ending.abort();
    await super.disconnectBlocking(wait);
  }

  /** A paused worker that resumes waits between errors again. */
  override async reconnectBlocking(): Promise<void> {
    this.ending = new AbortController();
    await super.reconnectBlocking();
  }

  override async close(force?: boolean): Promise<void> {
    this.ending.abort();
    await super.close(force);
  }
}
