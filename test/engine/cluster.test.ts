import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { slotOf } from '../../src/engine/redis/spread.ts';
import { canUseRedis, startCluster, type TestCluster } from '../support/redis.ts';

/** The engine on a Redis Cluster: lanes share its masters, and one that fails stops only its own. */
const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
});

const own = <T extends { close(): Promise<unknown> }>(part: T): T => {
  opened.push(part);
  return part;
};

async function startOwn(masters: number, replicas = 0): Promise<TestCluster> {
  const cluster = await startCluster(masters, replicas);
  opened.push({ close: cluster.stop });
  return cluster;
}

const open = async (url: string): Promise<Engine> =>
  own(
    await createEngine({
      redisUrl: url,
      databaseUrl: 'postgres://unused',
      ledger: '0a1b',
      log: createLog('silent'),
    }),
  );

const lanes = Array.from({ length: 30 }, (_, nth) => `key-${nth}.0a1b2c3d`);

describe.runIf(canUseRedis('the tests of a Redis Cluster'))('on three masters', () => {
  test('thirty lanes are spread evenly, and every process finds them where they are', async () => {
    const cluster = await startOwn(3);
    const before = await open(cluster.url);
    // As it was when all queues were in one slot.
    const old = own(before.newQueue(`${lanes[0]}.dial`));
    await old.add('dial', {}, { jobId: 'left' });
    expect(await old.getJobCountByTypes('wait')).toBe(1);
    const engine = await open(cluster.url);
    await engine.join(lanes);
    expect(await old.getJobCountByTypes('wait')).toBe(0);
    const queues = lanes.flatMap((lane) => ['dial', 'track'].map((station) => `${lane}.${station}`));
    for (const name of queues) await own(engine.newQueue(name)).add('job', {}, { jobId: `of ${name}` });
    const [first] = cluster.masters;
    const asked = new Redis(first!.url);
    for (const tag of ['carillon', 'carillon:0a1b:7.12', 'ü', '123456789'])
      expect(slotOf(tag)).toBe(await asked.cluster('KEYSLOT', tag));
    asked.disconnect();
    await Promise.all(lanes.map((lane) => engine.bucket.setRate(lane, { rate: 7, burst: 1 })));
    const counts: number[] = [];
    for (const { url } of cluster.masters) {
      const client = new Redis(url);
      const keys = await client.keys('*:of *');
      expect((await client.keys('*:bucket:*')).length).toBeGreaterThan(2);
      counts.push(keys.length);
      client.disconnect();
      for (const lane of lanes) {
        const found = keys.filter((key) => key.includes(`${lane}.`)).length;
        expect([0, 2]).toContain(found);
      }
    }
    const mean = queues.length / 3;
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThanOrEqual(mean * 0.15);

    // Another process knows some of them, in another order.
    const other = await open(cluster.url);
    await other.join(lanes.slice(10).toReversed());
    const jobs = queues.slice(20).map((queue) => ({ queue, id: `of ${queue}` }));
    expect(await other.jobStates(jobs)).toEqual(jobs.map(() => 'waiting'));
    expect(await other.bucket.read(lanes[5]!)).toMatchObject({ rate: 7 });
    const ran = new Promise((resolve) => {
      other.newWorker(`${lanes[12]}.dial`, async ({ id }) => resolve(id), { concurrency: 1 });
    });
    expect(await ran).toBe(`of ${lanes[12]}.dial`);
  });

  test('a master that is killed stops only its own lanes, until its replica has its place', async () => {
    const cluster = await startOwn(3, 1);
    const engine = await open(cluster.url);
    await engine.join(lanes);
    const ran = new Map<string, number>();
    const queues = new Map(lanes.map((lane) => [lane, own(engine.newQueue(`${lane}.dial`))]));
    for (const lane of lanes) {
      const worker = engine.newWorker(
        `${lane}.dial`,
        async ({ id }) => void ran.set(id!, (ran.get(id!) ?? 0) + 1),
        { concurrency: 2 },
      );
      worker.on('error', () => undefined);
    }
    let n = 0;
    /** Adds a job to each of these lanes, waits until it ran, and returns the lanes whose master took one. */
    const round = async (among: readonly string[], timeout = 120_000) => {
      n += 1;
      const id = (lane: string) => `${lane} ${n}`;
      const added = await Promise.allSettled(
        among.map((lane) => queues.get(lane)!.add('job', {}, { jobId: id(lane) })),
      );
      const taken = among.filter((_, at) => added[at]!.status === 'fulfilled');
      await expect.poll(() => taken.filter((lane) => !ran.has(id(lane))), { timeout }).toEqual([]);
      return taken;
    };
    expect(await round(lanes)).toEqual(lanes);

    const [dead] = cluster.masters;
    const client = new Redis(dead!.url);
    const held = await client.keys('*:meta');
    client.disconnect();
    const hit = lanes.filter((lane) => held.some((key) => key.includes(`${lane}.dial`)));
    expect(hit.length).toBeGreaterThan(7);
    await dead!.kill();
    const spared = lanes.filter((lane) => !hit.includes(lane));
    expect(await round(spared)).toEqual(spared);
    await expect.poll(() => round(hit, 20_000), { timeout: 300_000 }).toEqual(hit);
    // A job whose answer was lost as connections moved does not run: in the ledger its attempt gets another.
    await expect.poll(() => round(lanes, 20_000), { timeout: 300_000 }).toEqual(lanes);
    // A process that starts now finds the others only by another node.
    await expect(open(cluster.url)).rejects.toMatchObject({ code: 'queue-unreachable' });
    await (await open(`${cluster.url}&node=127.0.0.1:${cluster.masters[1]!.port}`)).ping();
    // None of these jobs was added twice, so none ran twice.
    expect([...ran.values()].filter((times) => times > 1)).toEqual([]);
  });
});
