import { describe, expect, it } from 'vitest';
import { persons, tally } from '../ledger/support.ts';
import { type Stage, shareHall, zoneAt } from './support.ts';

const hall = await shareHall();

async function planned(stage: Stage): Promise<Record<string, number>> {
  const lanes = await stage.ledger.lanes.list();
  return Object.fromEntries(lanes.map((lane) => [lane.name, lane.planned]));
}

describe('the planner', () => {
  it('gives every attempt a job on its key’s queue', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 7 });
      expect(await stage.stations.plan()).toBe(7);
      expect(await stage.jobs('dial')).toHaveLength(7);
      expect(await stage.states(campaign)).toEqual(Array.from({ length: 7 }, () => 'queued'));
      expect(stage.lane.backlog).toBe(7);
      expect(await stage.stations.plan()).toBe(0);
    }));

  it('shares a short list over the keys, so that none is idle', () =>
    hall.with({ keys: ['a', 'b', 'c'] }, async (stage) => {
      await stage.campaign({ people: 60 });
      expect(await stage.stations.plan()).toBe(60);
      expect(await planned(stage)).toEqual({ a: 20, b: 20, c: 20 });
    }));

  it('gives a faster key more of it', () =>
    hall.with({ keys: ['fast', 'slow'], rate: { fast: 9, slow: 3 } }, async (stage) => {
      await stage.campaign({ people: 40 });
      expect(await stage.stations.plan()).toBe(40);
      const { fast, slow } = await planned(stage);
      expect(fast! + slow!).toBe(40);
      expect(fast! / slow!).toBeGreaterThan(2.5);
      expect(fast! / slow!).toBeLessThan(3.5);
    }));

  it('plans nothing on a key that is closed or without credit', () =>
    hall.with({ keys: ['a', 'b'] }, async (stage) => {
      stage.lanes[0]!.state = 'denied';
      await stage.campaign({ people: 10 });
      expect(await stage.stations.plan()).toBe(10);
      expect(await planned(stage)).toEqual({ a: 0, b: 10 });
      stage.lanes[1]!.state = 'out_of_credit';
      const more = await stage.campaign();
      await stage.add(more, persons(3, 500));
      expect(await stage.stations.plan()).toBe(0);
    }));

  it('keeps no more than a few seconds of work ahead', () =>
    hall.with({ rate: 20 }, async (stage) => {
      await stage.campaign({ people: 300 });
      expect(await stage.stations.plan()).toBe(100);
      expect(await stage.stations.plan()).toBe(0);
    }));

  it('keeps a handful ahead on the slowest key', () =>
    hall.with({ rate: 0.1 }, async (stage) => {
      await stage.campaign({ people: 30 });
      expect(await stage.stations.plan()).toBe(5);
    }));

  it('lets a short list in next to a long one', () =>
    hall.with({ rate: 4 }, async (stage) => {
      await stage.campaign({ people: 300 });
      const short = await stage.campaign();
      await stage.add(short, persons(8, 1_000));
      await stage.stations.plan();
      expect(await stage.states(short)).toEqual(Array.from({ length: 8 }, () => 'queued'));
      // The long one gets what the short one leaves.
      expect((await planned(stage)).main).toBe(20);
    }));

  it('puts the jobs of several campaigns in the queue by their turns', () =>
    hall.with({ rate: 4 }, async (stage) => {
      const heavy = await stage.campaign({ people: 300, weight: 3 });
      const light = await stage.campaign();
      await stage.add(light, persons(300, 1_000));
      await stage.stations.plan();
      const jobs = await stage.stations.queues
        .queue(stage.lane.bucket, 'dial')
        .getJobs(['waiting'], 0, -1, true);
      const order = await Promise.all(
        jobs.map(async (job) => (await stage.ledger.attempts.load(job.data.attemptId))!.campaignId),
      );
      expect(order).toHaveLength(20);
      for (let at = 0; at < 20; at += 4) {
        expect(tally(order.slice(at, at + 4))).toEqual({ [heavy]: 3, [light]: 1 });
      }
    }));

  it('gives a run only its share next to the background', () =>
    hall.with({ rate: 10 }, async (stage) => {
      const other = await stage.campaign({ people: 300 });
      expect(await stage.stations.plan()).toBe(50);
      const own = await stage.campaign({ driver: 'run', state: 'draft' });
      await stage.add(own, persons(300, 1_000));
      await stage.runs(own);
      await hall.books.sql('update carillon.campaigns set proved = true where id = $1', [own]);
      // It starts level with the other, and may be ahead of it by a second and a half of the whole lane.
      expect(await stage.stations.plan()).toBe(16);
      expect(await stage.stations.plan()).toBe(0);
      await stage.ledger.campaigns.pause([other], 'a person');
      expect(await stage.stations.plan()).toBe(34);
    }));

  it('plans one attempt of an unproved order', () =>
    hall.with({ keys: ['a', 'b'] }, async (stage) => {
      const campaign = await stage.campaign({ people: 9, proved: false });
      expect(await stage.stations.plan()).toBe(1);
      expect(await stage.stations.plan()).toBe(0);
      const jobs = await Promise.all(stage.lanes.map((lane) => stage.jobs('dial', lane)));
      expect(jobs.flat()).toHaveLength(1);
      await stage.call(jobs.flat()[0]!);
      expect(await stage.stations.plan()).toBe(8);
      expect(await stage.states(campaign)).not.toContain('waiting');
    }));

  it('keeps the caps of the campaign and of the key', () =>
    hall.with({ keys: ['a', 'b'], calls: { most: 4, inbound: 0 } }, async (stage) => {
      const capped = await stage.campaign({ people: 20, maxCalls: 3 });
      expect(await stage.stations.plan()).toBe(3);
      const free = await stage.campaign();
      await stage.add(free, persons(20, 300));
      expect(await stage.stations.plan()).toBe(5);
      expect(await planned(stage)).toEqual({ a: 4, b: 4 });
      const [first] = await hall.books.sql<{ id: string }>(
        `select id from carillon.attempts where campaign_id = $1 limit 1`,
        [capped],
      );
      await stage.call(first!.id);
      expect(await stage.stations.plan()).toBe(0);
      await stage.settle(first!.id);
      expect(await stage.stations.plan()).toBe(1);
    }));

  it('starts no more new calls than requested', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 20, driver: 'run', state: 'draft' });
      await stage.runs(campaign, 5);
      await hall.books.sql('update carillon.campaigns set proved = true where id = $1', [campaign]);
      expect(await stage.stations.plan()).toBe(5);
      for (const id of await stage.jobs('dial')) expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(await stage.stations.plan()).toBe(0);
      expect(stage.created()).toBe(5);
    }));

  it('plans only those whose window is open', () =>
    hall.with({}, async (stage) => {
      const hours = [{ from: 10 * 60, to: 14 * 60, days: [1, 2, 3, 4, 5, 6, 7] }];
      const campaign = await stage.campaign({ times: { hours } });
      const here = zoneAt(12, stage.clock.now());
      const far = zoneAt(21, stage.clock.now());
      const rows = persons(4).map((row, i) => ({ ...row, place: [here, far, `${here},${far}`, here][i]! }));
      await stage.add(campaign, rows);
      expect(await stage.stations.plan()).toBe(2);
      expect(await stage.states(campaign)).toEqual(['queued', 'waiting', 'waiting', 'queued']);
    }));
});
