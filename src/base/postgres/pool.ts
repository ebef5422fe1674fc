import type { Socket } from 'node:net';
import pg from 'pg';
import { Client } from './client.ts';
import { refuseSharedSessions } from './pooler.ts';

/**
 * Connections to Postgres that notice when they have fallen silent. A connection can be lost without a sign: behind a
 * dropped NAT entry, or a proxy that acknowledges and sends nothing, a statement would wait for ever. So each statement
 * has a limit, an idle connection is asked every few seconds, and one that does not answer is destroyed.
 */
type PoolOptions = {
  url: string;
  max: number;
  /** A statement without an answer after this long has lost its connection. */
  limitMs: number;
  /** Settings of each session, made by a statement: poolers refuse or drop those that a connection starts with. */
  settings?: Readonly<Record<string, string>>;
  types?: pg.CustomTypesConfig | undefined;
  /** A connection was lost while it was idle. */
  onLost?(error: Error): void;
};

/** How long a connection may be idle before it is asked, and how long its answer may take. */
const idleMs = 5_000;
/** A statement that takes longer than this may be slow or lost: the server is asked which, at this interval. */
const longMs = 10_000;
const inquireMs = 5_000;
/** Data that the other side has not taken after this long will never be taken. */
const stalledMs = 30_000;
const tickMs = 1_000;

/**
 * The keepalives let the server notice that a client is gone, and release its locks. JIT is off: our statements are
 * short, and settings that keep a plan to its indexes make it look expensive.
 */
const everySession = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  jit: 'off',
};

const settingsOf = 'unnest($1::text[], $2::text[]) as s(name, value)';
/** Does nothing behind a pooler, whose process ids are made up: there it is not yet known whose session this is. */
const applyDirectly = `select set_config(s.name, s.value, false), a.backend_start::text as start
  from ${settingsOf}, pg_stat_activity a where a.pid = pg_backend_pid() and a.pid = $3`;
const applyPooled = `select set_config(s.name, s.value, false) from ${settingsOf}`;
/**
 * Some poolers are set up to clear nothing. RESET ALL is left out: it would also undo what the pooler has set for us.
 */
const clearPooled = 'deallocate all; unlisten *; select pg_advisory_unlock_all()';
const sessionOf = 'from pg_stat_activity a where a.pid = $1 and a.backend_start = $2::timestamptz';
const endSession = `select pg_terminate_backend(a.pid) ${sessionOf}`;
const askSession = `select a.state, a.wait_event as "waitsFor" ${sessionOf}`;

/** A session as the server knows it; its start tells it from a later one with the same process id. */
type Session = { pid: number; start: string };

export function openPool(options: PoolOptions): pg.Pool {
  const watched = new Set<WatchedClient>();
  const settings = Object.entries({ ...everySession, ...options.settings });
  const values = [settings.map(([name]) => name), settings.map(([, value]) => value)];
  let judged: Promise<void> | null = null;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    ...(options.types ? { types: options.types } : {}),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 10_000,
    // Longer than a process at rest takes between two looks: a new connection costs more than all its queries.
    idleTimeoutMillis: 30_000,
    application_name: 'carillon',
    Client: WatchedClient,
    // The types do not know that the hook is awaited.
    onConnect: (async (client: WatchedClient) => {
      client.limitMs = options.limitMs;
      watched.add(client);
      client.once('end', () => watched.delete(client));
      const { rows } = await client.query(applyDirectly, [...values, client.processID]);
      if (rows[0]) client.session = { pid: client.processID, start: rows[0].start };
      else await beginPooled(client);
    }) as never,
  });
  pool.on('error', (error) => {
    // An orderly shutdown may end the server before every connection has said goodbye.
    if (!pool.ending) options.onLost?.(error);
  });
  const checkAll = () => {
    const now = performance.now();
    for (const client of watched) {
      const fault = client.check(now);
      if (fault !== null) discard(client, fault);
      else if (client.session && client.isDubious(now))
        inquire(client, client.session).catch(() => undefined);
    }
  };
  const ticker = setInterval(() => {
    // One turn later: if this process was suspended, the answers may already be in the sockets.
    if (pool.ended) clearInterval(ticker);
    else setImmediate(checkAll);
  }, tickMs);
  ticker.unref();
  return pool;

  /** Judges the pooler once, and clears what the session's last user left in it. */
  async function beginPooled(client: WatchedClient): Promise<void> {
    judged ??= refuseSharedSessions(client, options.url).catch((error) => {
      judged = null;
      throw error;
    });
    await judged;
    await client.query(clearPooled);
    await client.query(applyPooled, values);
  }

  /** Destroys the connection here and ends its session on the server: others want what it had locked. */
  function discard(client: WatchedClient, why: string): void {
    watched.delete(client);
    client.destroy(why);
    if (client.session) askServer(options.url, endSession, client.session).catch(() => undefined);
  }

  async function inquire(client: WatchedClient, session: Session): Promise<void> {
    const [found] = await askServer<Doing>(options.url, askSession, session);
    if (watched.has(client) && client.isLost(found))
      discard(client, 'the server is not working on its statement');
  }
}

/** The activity of a session, as the server reports it; undefined when it has ended. */
type Doing = { state: string | null; waitsFor: string | null } | undefined;

/** Asks outside the pool, whose connections may all be silent. */
async function askServer<T>(url: string, sql: string, session: Session): Promise<T[]> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    application_name: 'carillon',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(sql, [session.pid, session.start])).rows as T[];
  } finally {
    client.end().catch(() => undefined);
  }
}

/** One connection, and since when an answer is due. */
class WatchedClient extends Client {
  /** Set by pg, but missing from its types. */
  declare processID: number;
  limitMs = Number.POSITIVE_INFINITY;
  session: Session | null = null;
  private heardAt = performance.now();
  private owesBy: number | null = null;
  private owesSince = 0;
  private askedAt = 0;
  private signs = 0;
  private unsent = { bytes: 0, since: 0 };

  constructor(config?: pg.ClientConfig) {
    super(config);
    // An unhandled error event would end the process; callers learn of the error from their statement.
    this.on('error', () => undefined);
    // Emitted when every statement has been answered.
    this.on('drain', () => {
      this.owesBy = null;
      this.heardAt = performance.now();
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: it takes all that pg's own takes, in every form.
  override query(...args: any[]): any {
    this.expect(this.limitMs);
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    return (super.query as any)(...args);
  }

  /** Returns what is wrong with the connection, and asks one that has been idle. */
  check(now: number): string | null {
    if (this.owesBy !== null && now > this.owesBy) return 'no answer in time';
    const bytes = this.socket?.writableLength ?? 0;
    if (bytes === 0 || bytes !== this.unsent.bytes) this.unsent = { bytes, since: now };
    if (now - this.unsent.since > stalledMs && bytes > 0) return 'it does not take what is sent';
    if (this.owesBy === null && now - this.heardAt >= idleMs) {
      this.expect(idleMs);
      // Bypasses our own `query`: this answer is due sooner than a statement's.
      super.query('select 1').catch(() => undefined);
    }
    return null;
  }

  destroy(why: string): void {
    const error = new Error(`a connection to Postgres fell silent: ${why}`);
    this.socket?.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  }

  /** A statement has taken long, and it is time to ask the server about it. */
  isDubious(now: number): boolean {
    if (this.owesBy === null || now - this.owesSince < longMs || now - this.askedAt < inquireMs) return false;
    this.askedAt = now;
    return true;
  }

  /**
   * The server is idle while we wait for it: twice in a row, because an answer may be on its way. A session that waits
   * for more of a COPY gets half a minute, because the rows may come slowly.
   */
  isLost(doing: Doing): boolean {
    if (this.owesBy === null) return false;
    // A server that hides what its sessions do shows neither.
    if (!doing || doing.state?.startsWith('idle')) this.signs += 3;
    else if (doing.state === 'active' && doing.waitsFor === 'ClientRead') this.signs += 1;
    else this.signs = 0;
    return this.signs >= 6;
  }

  private expect(ms: number): void {
    if (this.owesBy === null) {
      this.owesSince = performance.now();
      this.signs = 0;
    }
    this.owesBy = Math.max(this.owesBy ?? 0, performance.now() + ms);
  }

  private get socket(): Socket | undefined {
    return (this as unknown as { connection?: { stream?: Socket } }).connection?.stream;
  }
}
