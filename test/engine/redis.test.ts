import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { freePort } from '../support/ports.ts';
import { canUseRedis, startRedis, type TestRedis, tell } from '../support/redis.ts';
import { redisUser } from '../support/redis-user.ts';
import { startSentinel } from '../support/sentinel.ts';

const log = createLog('silent');
const opened: (Engine | { close(): Promise<unknown> })[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
});

async function start(args: string[] = []): Promise<TestRedis> {
  const redis = await startRedis(async () => args);
  opened.push({ close: redis.stop });
  return redis;
}

async function open(redisUrl: string): Promise<Engine> {
  const engine = await createEngine({ redisUrl, databaseUrl: 'postgres://unused', log });
  opened.push(engine);
  return engine;
}

/** A job that is delayed is run; returns its queue. */
async function runJob(engine: Engine) {
  const queue = engine.newQueue<{ n: number }>('jobs');
  const ran = new Promise<number>((resolve) => {
    engine.newWorker<{ n: number }>('jobs', async (job) => resolve(job.data.n), { concurrency: 2 });
  });
  await queue.add('job', { n: 7 }, { jobId: 'attempt-1', delay: 50 });
  expect(await ran).toBe(7);
  return queue;
}

test('an unreachable Redis is reported, with the cause', async () => {
  await expect(open(`redis://127.0.0.1:${await freePort()}`)).rejects.toMatchObject({
    code: 'queue-unreachable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

describe.runIf(canUseRedis('the redis engine’s own tests'))('with a Redis', () => {
  test('adding a job fails while Redis is away, and works when it is back', async () => {
    const redis = await start();
    const engine = await open(redis.url);
    await redis.kill();
    const queue = engine.newQueue<{ n: number }>('jobs');
    for (let i = 0; i < 3; i++) await expect(queue.add('job', { n: i })).rejects.toThrow();
    await redis.restart();
    await expect.poll(() => queue.add('job', { n: 9 }).then(() => 'added', String)).toBe('added');
    expect(await queue.getJobCountByTypes('wait')).toBe(1);
    await queue.close();
  });

  test('a worker ends when it is closed while it waits to reconnect', async () => {
    const redis = await start();
    const engine = await open(redis.url);
    const queue = engine.newQueue<{ n: number }>('jobs');
    const worker = engine.newWorker<{ n: number }>('jobs', async () => {}, { concurrency: 1 });
    await worker.waitUntilReady();
    await redis.kill();
    await expect(queue.add('job', { n: 1 })).rejects.toThrow();
    const closed = worker.close();
    await redis.restart();
    await closed;
    await queue.close();
  });

  test('a hanging Redis is reported, and closing ends', async () => {
    const redis = await start();
    const engine = await open(redis.url);
    redis.freeze();
    try {
      await expect(engine.ping()).rejects.toMatchObject({ code: 'queue-unreachable' });
      await engine.close();
    } finally {
      redis.thaw();
    }
  });

  test('a Redis that may drop jobs is a finding', async () => {
    const redis = await start(['--maxmemory-policy', 'allkeys-lru']);
    const engine = await open(redis.url);
    expect(await engine.findings()).toEqual([
      expect.stringMatching(/maxmemory-policy allkeys-lru.*set it to noeviction/),
    ]);
  });

  test('a password in the URL is used and never shown', async () => {
    const redis = await start(['--requirepass', 'hush#1']);
    const url = redis.url.replace('redis://', 'redis://default:hush%231@');
    await (await open(`${url}/3`)).ping();
    const refused = await open(redis.url.replace('redis://', 'redis://:wrong@')).catch((error) => error);
    expect(refused).toMatchObject({ code: 'queue-unreachable' });
    expect(refused.message).toMatch(/WRONGPASS|NOAUTH/);
    expect(refused.message).not.toMatch(/hush|wrong@/);
  });

  test('the user of the guide may do all that the engine does', async () => {
    const redis = await start();
    expect(await tell(redis.port, redisUser('pw'))).toMatch(/^\+OK/);
    const engine = await open(redis.url.replace('redis://', 'redis://carillon:pw@'));
    expect(await engine.findings()).toEqual([]);
    const queue = await runJob(engine);
    await engine.bucket.setRate('main', { rate: 100, burst: 1 });
    expect(await engine.jobStates([{ queue: 'jobs', id: 'attempt-1' }])).toHaveLength(1);
    expect(await engine.nextDue('jobs')).toBe(null);
    await queue.obliterate({ force: true });
    await queue.close();
  });

  test('behind Sentinels jobs run on the master, and on the one that takes its place', async () => {
    const [master, replica] = [await start(), await start()];
    await tell(replica.port, `REPLICAOF 127.0.0.1 ${master.port}`);
    await expect.poll(() => tell(replica.port, 'INFO replication')).toMatch(/master_link_status:up/);
    const sentinel = await startSentinel(master.port);
    opened.push(sentinel);
    const { port } = sentinel;
    // It must have heard of the replica.
    await expect
      .poll(() => tell(port, 'SENTINEL REPLICAS calls').catch(String))
      .toContain(String(replica.port));
    const engine = await open(`redis://127.0.0.1:${port}?sentinel=calls`);
    const ran: number[] = [];
    const queue = engine.newQueue<{ n: number }>('jobs');
    engine
      .newWorker<{ n: number }>('jobs', async (job) => void ran.push(job.data.n), { concurrency: 2 })
      .on('error', () => undefined);
    await queue.add('job', { n: 1 });
    await expect.poll(() => ran).toEqual([1]);
    await master.kill();
    await expect
      .poll(() => queue.add('job', { n: 2 }, { jobId: 'second' }).then(() => 'added', String))
      .toBe('added');
    await expect.poll(() => ran).toEqual([1, 2]);
    await queue.close();
  });

  test('all keys have the same hash tag, and finished jobs leave none behind', async () => {
    const redis = await start();
    const engine = await open(redis.url);
    const queue = engine.newQueue<{ n: number }>('jobs');
    const done = new Promise((resolve) => {
      engine.newWorker('jobs', async () => {}, { concurrency: 1 }).on('completed', resolve);
    });
    await queue.add('job', { n: 1 }, { jobId: 'attempt-1' });
    await done;
    await engine.bucket.setRate('main', { rate: 1, burst: 1 });
    await engine.bucket.writeState('main', 0, {});
    const client = new Redis(redis.url);
    const keys = await client.keys('*');
    client.disconnect();
    await queue.close();
    expect(keys.filter((key) => !key.startsWith('{carillon}:'))).toEqual([]);
    expect(keys.filter((key) => key.includes('attempt-1'))).toEqual([]);
  });

  test('ledgers on one Redis never take each other’s jobs, and share what the service counts', async () => {
    const redis = await start();
    const open = async (ledger: string) => {
      const engine = await createEngine({
        redisUrl: redis.url,
        databaseUrl: 'postgres://unused',
        ledger,
        log,
      });
      opened.push(engine);
      return engine;
    };
    const [ours, theirs] = [await open('0a1b'), await open('9f8e')];
    const taken: string[] = [];
    for (const [name, engine] of Object.entries({ ours, theirs })) {
      const worker = engine.newWorker('main.dial', async ({ id }) => void taken.push(`${name} ${id}`), {
        concurrency: 1,
      });
      await worker.waitUntilReady();
    }
    const queue = ours.newQueue('main.dial');
    for (let n = 1; n <= 20; n++) await queue.add('job', {}, { jobId: `attempt-${n}` });
    await expect.poll(() => taken.length).toBe(20);
    expect(taken.filter((each) => each.startsWith('theirs'))).toEqual([]);
    await ours.bucket.setRate('main', { rate: 7, burst: 1 });
    expect(await theirs.bucket.read('main')).toMatchObject({ rate: 7 });
    await queue.close();
  });

  test('on a Cluster jobs run and the bucket counts', async () => {
    const redis = await start(['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1']);
    const admin = new Redis(redis.url);
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await expect.poll(() => admin.call('CLUSTER', 'INFO')).toMatch(/cluster_state:ok/);
    admin.disconnect();
    const engine = await open(`${redis.url}?cluster=true`);
    expect(await engine.findings()).toEqual([]);
    const queue = await runJob(engine);
    await engine.bucket.setRate('main', { rate: 100, burst: 1 });
    const { delays } = await engine.bucket.take('main', 3, 100, { rate: 1, burst: 1 });
    expect(delays).toHaveLength(3);
    await redis.kill();
    await expect
      .poll(() =>
        queue.add('job', { n: 8 }).then(
          () => 'added',
          () => 'refused',
        ),
      )
      .toBe('refused');
    await queue.close();
    await engine.close();
  });
});
