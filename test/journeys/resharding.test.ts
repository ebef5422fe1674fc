import { describe, expect, it } from 'vitest';
import { openDesk, people, summaryOf } from '../support/carillon.ts';
import { asked, creates, expectSound, until } from '../support/journeys.ts';
import { canUseRedis, startCluster } from '../support/redis.ts';
import { openResharding } from '../support/reshard.ts';

/** The slots of lanes move between the masters of a Cluster while a campaign is dialled on them. */
describe.runIf(canUseRedis('resharding'))('a run on a Cluster that is resharded', () => {
  it('waits for the slots that are under way, dials on with the others, and calls nobody twice', async () => {
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
});
