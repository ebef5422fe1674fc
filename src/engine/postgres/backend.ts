import { type BackendFactory, PostgresConnection, PostgresQueueBackend } from 'bullmq';
import type { Pool } from 'pg';
import { systemClock } from '../../base/clock.ts';
import type { Hear, Listener } from './listener.ts';

/** BullMQ's backend in Postgres on connections that the whole process shares: a pool, and one that listens. */
export type BackendDeps = { schema: string; pool: Pool; listener: Listener };

export function createBackends(deps: BackendDeps): BackendFactory<PostgresQueueBackend, Pool> {
  return (name, options, wanted = {}) => {
    const listens = wanted.withBlockingConnection === true;
    return new PatientBackend(new SharedConnection(name, deps, listens), name, options, true);
  };
}

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

/** What BullMQ takes for a connection of its own, and for the client with which a worker listens. */
class SharedConnection extends PostgresConnection {
  override readonly schema: string;
  private readonly ear: ListenClient;
  private readonly forget: () => void;

  constructor(queue: string, { schema, pool, listener }: BackendDeps, listens: boolean) {
    super(withoutEvents(pool));
    this.schema = schema;
    this.ear = earOf(queue, listener);
    // What came while nobody listened was missed: those who wait look again.
    this.forget = listens ? listener.onBack(() => this.emit('listenerinvalidated')) : () => undefined;
  }

  /** The tables were laid, and found to fit, when the engine was made. */
  override async waitUntilReady(): Promise<void> {}

  override async getListenClient(): Promise<ListenClient> {
    return this.ear;
  }

  /** False: a worker looks every ten seconds, in case that nobody listens just now. */
  override get hasListenClientKeepAlive(): boolean {
    return false;
  }

  /** The connection is not one worker's. */
  override async setListenClientName(): Promise<void> {}

  override async close(): Promise<void> {
    this.forget();
    await super.close();
  }
}

/** Errors of the pool are heard once, by the engine: here each queue would add a listener that nobody takes off. */
function withoutEvents(pool: Pool): Pool {
  const shared = {
    options: { keepAlive: true },
    query: pool.query.bind(pool),
    connect: pool.connect.bind(pool),
    end: async () => undefined,
    on: () => shared,
  };
  return shared as unknown as Pool;
}

/** Notices of other queues are not even offered. */
function earOf(queue: string, listener: Listener): ListenClient {
  const ear = {
    query: async () => ({ rows: [] }),
    on: (_event: string, hear: Hear) => {
      listener.subscribe(queue, hear);
      return ear;
    },
    removeListener: (_event: string, hear: Hear) => {
      listener.unsubscribe(queue, hear);
      return ear;
    },
  };
  return ear as unknown as ListenClient;
}

const pauseMs = { first: 200, most: 5_000 };

/**
 * BullMQ asks for the next job again at once after an error that it does not take for a lost connection, such as a
 * server without a free one: a hundred workers would make of it all that the process does.
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

  /** After a pause it waits between errors again. */
  override async reconnectBlocking(): Promise<void> {
    this.ending = new AbortController();
    await super.reconnectBlocking();
  }

  override async close(force?: boolean): Promise<void> {
    this.ending.abort();
    await super.close(force);
  }
}
