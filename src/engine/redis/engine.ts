import { Queue, Worker } from 'bullmq';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import {
  createComplaint,
  type Engine,
  endsWithin,
  jobDefaults,
  queueUnreachable,
  workerDefaults,
} from '../contract.ts';
import { arrival, createBackends } from './backend.ts';
import { createRedisBucket } from './bucket.ts';
import { createSpread } from './spread.ts';
import { createNextDue, createStates } from './states.ts';
import { overTls, sentinelOverTls } from './tls.ts';

type Client = Redis | Cluster;

/** The queues of a lane that background workers share. */
const stations = ['dial', 'track'];
type OwnOptions = Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout' | 'retryStrategy'>;

/**
 * The production engine: BullMQ on Redis or Valkey; single, as a Cluster (`?cluster=true` in the URL) or behind
 * Sentinels (`?sentinel=NAME` in the URL of one of them). `&node=HOST:PORT` names others, for when that one is away.
 */
export async function createRedisEngine(options: {
  url: string;
  log: Log;
  ledger?: string | undefined;
  aheadMs: () => number;
}): Promise<Engine> {
  const { log, ledger, aheadMs } = options;
  // A hash tag keeps a queue's keys in one slot, as scripts on a Cluster require.
  const prefix = ledger === undefined ? '{carillon}' : `{carillon:${ledger}}`;
  const complain = createComplaint(log, 'Redis');
  /** Every connection that has not ended, with the promise of its end. */
  const clients = new Map<Client, Promise<void>>();
  const workers = new Set<Worker>();
  let closing = false;
  /** Why the connection is lost; a command's own error may not say it. */
  let trouble: Error | undefined;

  function connect(own: OwnOptions): Client {
    return track(
      open(options.url, { ...own, retryStrategy: (times) => (closing ? null : Math.min(times * 100, 700)) }),
    );
  }

  /** BullMQ duplicates our connection for each worker's blocking one: we must be able to close those too. */
  function track(client: Client): Client {
    const ended = new Promise<void>((resolve) => {
      client.once('end', () => {
        clients.delete(client);
        resolve();
      });
    });
    clients.set(client, ended);
    client.on('error', (error: Error) => {
      trouble = error;
      complain(error);
    });
    client.on('ready', () => {
      trouble = undefined;
    });
    client.setMaxListeners(0);
    const duplicate = client.duplicate.bind(client) as (...args: unknown[]) => Client;
    client.duplicate = ((...args: unknown[]) => track(duplicate(...args))) as typeof client.duplicate;
    return client;
  }

  // Adding a job fails within two seconds when Redis is away; workers wait for it to return.
  const producers = connect({ maxRetriesPerRequest: 1, commandTimeout: 5_000 });
  const consumers = connect({ maxRetriesPerRequest: null });

  const openBackend = createBackends(aheadMs);
  const spread = producers instanceof Cluster ? createSpread(producers, prefix) : null;
  const prefixOf = (queue: string) => spread?.prefixOf(queue) ?? prefix;
  const statesOf = createStates(producers, prefixOf);
  const nextDue = createNextDue(producers, prefixOf);
  const openQueue = (name: string, prefix: string) =>
    new Queue(
      name,
      {
        connection: producers,
        prefix,
        // A full stream of events would cost more than the jobs, and it is never read.
        streams: { events: { maxLen: 100 } },
        defaultJobOptions: jobDefaults,
        // A queue made while Redis is away would hang without these two, or never work.
        skipWaitingForReady: true,
        skipVersionCheck: true,
      },
      openBackend,
    );
  const engine: Engine = {
    kind: 'redis',
    name: 'redis',
    // The prefix leaves out the ledger: the service counts a key's requests, whichever ledger they come from.
    bucket: createRedisBucket(producers, (lane) => (spread ? `{carillon/${lane}}` : '{carillon}')),
    // Redis runs its scripts one at a time.
    deadlocks: () => 0,
    now: () => systemClock.now() - aheadMs(),
    async join(lanes) {
      if (!spread || lanes.length === 0) return;
      const moved = await reached(spread.join(lanes));
      // Their queues were with all others until now. The ledger has what was in them, and the jobs are added again.
      for (const lane of moved) {
        for (const station of stations) {
          const before = openQueue(`${lane}.${station}`, prefix);
          await before.obliterate({ force: true }).catch(complain);
          await before.close();
        }
      }
    },
    newQueue(name) {
      const queue = openQueue(name, prefixOf(name));
      queue.on('error', complain);
      return queue as never;
    },
    newWorker(name, processor, settings) {
      const known = new Set(clients.keys());
      const worker = new Worker(
        name,
        processor as never,
        { connection: consumers, prefix: prefixOf(name), ...workerDefaults(settings) },
        openBackend,
      );
      worker.on('error', complain);
      workers.add(worker);
      worker.once('closed', () => workers.delete(worker));
      const own = [...clients].filter(([client]) => !known.has(client));
      worker.once('closing', () => {
        // BullMQ waits until the worker's blocking connection ends, even one that is reconnecting and never reports it.
        for (const [client, ended] of own)
          if (client.status === 'reconnecting') cut(client, ended).catch(complain);
      });
      return worker as never;
    },
    jobStates: (jobs) => reached(statesOf(jobs)),
    nextDue,
    async ping() {
      const answer = producers.ping();
      if (!(await endsWithin(answer, 6_000))) throw unreachable(trouble ?? new Error('it does not answer'));
      await reached(answer);
    },
    findings: () => reached(inspect(producers)),
    async close() {
      closing = true;
      const ending = Promise.all([...workers].map((worker) => worker.close(true)));
      await endsWithin(ending, 2_000);
      await endsWithin(Promise.all([...clients].map(([client, ended]) => cut(client, ended))), 3_000);
      // A close that hung on a lost connection continues now that the connection has ended.
      await endsWithin(ending, 1_000);
    },
  };

  const reached = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw unreachable(error);
    });

  function unreachable(error: unknown) {
    const { name, message } = error as Error;
    const known = trouble && (name === 'MaxRetriesPerRequestError' || producers.status !== 'ready');
    const why = known ? trouble?.message || trouble?.name : message || name;
    return queueUnreachable(options.url.startsWith('rediss:') ? 'rediss' : 'redis', error, why);
  }

  try {
    if (producers instanceof Cluster && producers.status !== 'ready') {
      // A Cluster client refuses commands until it knows its nodes.
      await endsWithin(new Promise((resolve) => producers.once('ready', resolve)), 6_000);
    }
    await engine.ping();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

function open(text: string, own: OwnOptions): Client {
  const url = new URL(text);
  const taken = (name: string) => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value;
  };
  const nodes = [url.host, ...url.searchParams.getAll('node')].map((host) => new URL(`redis://${host}`));
  const at = (port: number) =>
    nodes.map((node) => ({ host: node.hostname, port: Number(node.port) || port }));
  url.searchParams.delete('node');
  const cluster = taken('cluster') === 'true';
  const sentinel = taken('sentinel');
  // The client would tell its name and version, for which a user of our commands only has no leave.
  const common = { connectTimeout: 5_000, keepAlive: 10_000, disableClientInfo: true, ...own };
  const tls = url.protocol === 'rediss:';
  const user = {
    ...(url.username ? { username: decodeURIComponent(url.username) } : {}),
    ...(url.password ? { password: decodeURIComponent(url.password) } : {}),
  };
  if (sentinel !== null) {
    // A sentinel knows the others, and which server is the master now.
    const sentinels = at(26_379);
    const sentinelRetryStrategy = (times: number) => common.retryStrategy?.(times) ?? null;
    const sentinelUser = {
      sentinelUsername: taken('sentinel_user') ?? undefined,
      sentinelPassword: taken('sentinel_password') ?? undefined,
    };
    const db = Number(url.pathname.slice(1)) || 0;
    return new Redis({
      ...common,
      ...user,
      ...sentinelUser,
      ...(tls ? sentinelOverTls : {}),
      db,
      sentinels,
      name: sentinel,
      sentinelRetryStrategy,
    });
  }
  const wire = tls ? overTls : {};
  if (!cluster) return new Redis(url.href, { ...common, ...wire });
  const { retryStrategy, ...redisOptions } = common;
  return new Cluster(at(6379), {
    redisOptions: { ...redisOptions, ...user, ...wire },
    clusterRetryStrategy: retryStrategy ?? undefined,
    // Commands that wait for a lost Cluster are retried without limit, so producers do not wait.
    enableOfflineQueue: own.maxRetriesPerRequest === null,
    maxRedirections: arrival.tries,
    retryDelayOnTryAgain: arrival.everyMs,
    // Certificates name hosts: with TLS the names must not be resolved to addresses first.
    ...(tls ? { dnsLookup: (address, done) => done(null, address) } : {}),
  });
}

/** Ends a connection for good. One that is about to reconnect emits no end until it has tried once more. */
async function cut(client: Client, ended: Promise<void>): Promise<void> {
  client.disconnect();
  if (await endsWithin(ended, 100)) return;
  await client.connect().catch(() => {});
  client.disconnect();
  await ended;
}

async function inspect(client: Client): Promise<string[]> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  const found = new Set<string>();
  for (const node of nodes) {
    const info = await node.info();
    const read = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim();
    const version = read('redis_version') ?? '0';
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (!read('valkey_version') && (major < 6 || (major === 6 && minor < 2))) {
      found.add(`Redis ${version} is too old: upgrade it to 6.2 or newer.`);
    }
    const policy = read('maxmemory_policy');
    if (policy && policy !== 'noeviction') {
      found.add(
        `Redis may drop jobs when its memory is full (maxmemory-policy ${policy}): set it to noeviction.`,
      );
    }
    if (read('role') === 'slave')
      found.add('REDIS_URL points at a read-only replica: point it at the primary.');
  }
  return [...found];
}
