import { describe, expect, it } from 'vitest';
import { slotOf } from '../../src/engine/redis/spread.ts';
import { bucketName } from '../../src/queues/job.ts';
import { openDesk, people, summaryOf } from '../support/carillon.ts';
import { ask, asked, creates, expectSound, until } from '../support/journeys.ts';
import { canUseRedis, startCluster, tell } from '../support/redis.ts';
import { openResharding } from '../support/reshard.ts';

/** What happens to the masters of a Cluster while a campaign is dialled on them. */
describe.runIf(canUseRedis('runs on a Cluster'))('a run on a Cluster', () => {
  it('waits for slots that move to another master, dials on with the others, and calls nobody twice', async () => {
    const cluster = await startCluster(3);
    const slots = await openResharding(cluster);
    const keys = ['sk_one', 'sk_two', 'sk_three'];
    const desk = await openDesk('postgres', { speed: 600, rate: 20, keys });
    const env = {
      REDIS_URL: cluster.url,
      VOICE_API_KEYS: keys.map((key) => `${key.slice(3)}=${key}`).join(','),
      VOICE_RATE: '20',
      LOG_LEVEL: 'warn',
    };
    try {
      desk.write('people.csv', people(400));
      const run = desk.start(['run', 'people.csv', '--agent', 'agent_1', '--json'], env);
      const goesOn = async (calls: number) => {
        const made = creates(desk).length;
        await until(() => creates(desk).length >= made + calls, `${calls} calls more`);
      };
      await goesOn(30);
      const queues = await slots.of('.dial.');
      const buckets = await slots.of(':bucket:');
      expect([queues.size, buckets.size]).toEqual([3, 3]);
      for (const [nth, [slot, master]] of [...queues].entries()) {
        await slots.move(slot, (master + 1) % 3, async () => {
          const refused = await slots.errors('TRYAGAIN');
          await until(async () => (await slots.errors('TRYAGAIN')) > refused + 20, 'scripts that wait');
          await goesOn(5);
          // One is under way for longer than a worker waits.
          if (nth === 0) await run.prints(/Redis has errors/);
        });
      }
      for (const [slot, master] of buckets) await slots.move(slot, (master + 1) % 3, () => goesOn(5));
      expect(await slots.errors('ASK')).toBeGreaterThan(0);
      expect(await slots.errors('MOVED')).toBeGreaterThan(0);
      const ended = await run.ended;
      expect(ended.code, ended.stderr).toBe(0);
      expect(summaryOf(ended)).toMatchObject({ rows: 400, done: 400, attempts: 400, unknown: 0 });
      expect(ended.stderr).not.toContain('a job failed');
      for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
      await expectSound(desk);
    } finally {
      slots.close();
      await desk.close();
      await cluster.stop();
    }
  });

  it('makes the lost jobs of a key again while the server of another is away', async () => {
    const cluster = await startCluster(3);
    const keys = ['sk_one', 'sk_two', 'sk_three'];
    const desk = await openDesk('postgres', { speed: 600, rate: 20, keys });
    try {
      // The second key has its queue on the second master, and its bucket there too.
      const isThere = (name: string) => {
        const slot = slotOf(`carillon/${bucketName(desk.sim.url, name)}`);
        return slot > 5_462 && slot < 10_922;
      };
      const two = Array.from({ length: 100 }, (_, n) => `two${n}`).find(isThere);
      const env = {
        REDIS_URL: cluster.url,
        VOICE_API_KEYS: `one=sk_one,${two}=sk_two,three=sk_three`,
        VOICE_RATE: '20',
      };
      desk.write('people.csv', people(1_000));
      desk.start(['run', 'people.csv', '--agent', 'agent_1', '--json'], env);
      const byTwo = () => creates(desk).filter(({ key }) => key === 1).length;
      await until(() => byTwo() >= 10, '10 calls of the second key');
      const [first, second] = cluster.masters;
      await first!.kill();
      await tell(second!.port, 'FLUSHALL');
      const [flushed] = await ask<{ at: string }>(desk, 'select clock_timestamp()::text as at');
      const left = () =>
        ask<{ n: number }>(
          desk,
          `select count(*)::integer as n from carillon.attempts a join carillon.lanes l on l.id = a.lane_id
           where l.name = $1 and a.planned_at < $2 and a.state = 'planned'`,
          [two, flushed!.at],
        );
      await until(async () => (await left())[0]!.n === 0, 'all that was planned on it is dialled');
      const made = byTwo();
      await until(() => byTwo() >= made + 20, 'its calls go on');
      for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
    } finally {
      await desk.close();
      await cluster.stop();
    }
  });
});
