import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CarillonError } from '../../src/base/errors.ts';
import { createLifecycle } from '../../src/base/lifecycle.ts';
import type { WorkerName } from '../../workers/loops.ts';
import { startWorkers } from '../../workers/loops.ts';
import { type Hall, log, openHall, type Stage } from '../dispatch/support.ts';
import { until } from '../support/until.ts';

let hall: Hall;
beforeAll(async () => {
  hall = await openHall();
});
afterAll(() => hall.close());

/** Runs workers during `work` and closes them after it. */
async function working<T>(
  stage: Stage,
  only: readonly WorkerName[] | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const crew = createLifecycle(log);
  const { engine, clock } = stage;
  for (const worker of startWorkers(stage.stations, { engine, clock, log, concurrency: 8 }, only))
    crew.add(worker);
  try {
    return await work();
  } finally {
    expect(await crew.stop(120_000)).toEqual([]);
  }
}

const ended = (stage: Stage, campaign: string) =>
  until(
    () => stage.ledger.reports.standing(campaign),
    ({ rows, counts }) => rows === counts.done,
  );

describe.concurrent('the workers', () => {
  it('together finish a campaign: everybody is called once, on every key', async () => {
    await hall.with({ keys: ['a', 'b'], simulator: { speed: 2_000 } }, async (stage) => {
      const campaign = await stage.campaign({ people: 60, from: 1_000, proved: false });
      await working(stage, undefined, () => ended(stage, campaign));
      const state = stage.sim.state();
      expect(state.created).toBe(60);
      expect(state.duplicates).toBe(0);
      expect(state.keys.map((key) => key.requests > 0)).toEqual([true, true]);
      const standing = await stage.ledger.reports.standing(campaign);
      expect(standing.requests).toBe(state.requests);
      expect(await stage.faults()).toEqual([]);
    });
  });

  it('can be started one station at a time', async () => {
    await hall.with({ simulator: { speed: 2_000 } }, async (stage) => {
      const campaign = await stage.campaign({ people: 5, from: 2_000 });
      await working(stage, ['planner'], () =>
        until(
          () => stage.states(campaign),
          (all) => all.every((s) => s === 'queued'),
        ),
      );
      expect(stage.created()).toBe(0);
      await stage.engine.bucket.wake(stage.lane.bucket);
    });
  });

  it('take no more jobs than they can soon send', async () => {
    await hall.with({ simulator: { speed: 2_000 }, rate: 1 }, async (stage) => {
      const campaign = await stage.campaign({ people: 40, from: 3_000 });
      await stage.stations.queues.add(stage.lane.bucket, 'dial', await stage.plan(campaign, 40));
      const queue = stage.stations.queues.queue(stage.lane.bucket, 'dial');
      let most = 0;
      await working(stage, ['dialer'], () =>
        until(
          async () => {
            most = Math.max(most, await queue.getActiveCount());
            return stage.created();
          },
          (created) => created >= 2,
        ),
      );
      // The number depends on how long an answer takes here. It is far below the eight that they could take.
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThan(8);
    });
  });

  it('recover jobs that the queue has lost', async () => {
    await hall.with({ simulator: { speed: 2_000 } }, async (stage) => {
      const campaign = await stage.campaign({ people: 12, from: 4_000 });
      // Planned and placed by processes whose queue is gone.
      const ids = await stage.plan(campaign, 6);
      for (const id of ids.slice(0, 3)) await stage.dial(id);
      await stage.stations.queues.clear([stage.lane.bucket]);
      await working(stage, undefined, () => ended(stage, campaign));
      expect(stage.sim.state()).toMatchObject({ created: 12, duplicates: 0 });
    });
  });

  it('stop without leaving a call unknown or a job lost', async () => {
    await hall.with({ simulator: { speed: 60, latencyMs: 30 }, rate: 60 }, async (stage) => {
      const campaign = await stage.campaign({ people: 400, from: 5_000 });
      await working(stage, undefined, () =>
        until(
          () => stage.created(),
          (count) => count > 15,
        ),
      );
      const standing = await stage.ledger.reports.standing(campaign);
      expect(standing.counts.unknown).toBe(0);
      expect(standing.dialing).toBe(0);
      expect(standing.attempts).toBe(stage.created());
      expect(stage.created()).toBeLessThan(400);
      expect(await stage.faults()).toEqual([]);
    });
  });
});

// Not among those above: five run at once, and the sixth would take the phones of those that still run.
describe('a process that must not dial', () => {
  it('leaves the jobs to others, and takes them when it may dial again', async () => {
    let trouble: CarillonError | null = null;
    const permit = { trouble: () => trouble };
    await hall.with({ simulator: { speed: 2_000 }, permit }, async (stage) => {
      const campaign = await stage.campaign({ people: 8, from: 6_000 });
      const { lane, stations } = stage;
      const seen: string[] = [];
      const fit: boolean[] = [];
      let updates = 0;
      const watched: Stage['stations'] = {
        ...stations,
        dial(...order) {
          seen.push(order[1]);
          return stations.dial(...order);
        },
        async updateLanes() {
          const isBusy = await stations.updateLanes();
          updates += 1;
          return isBusy;
        },
      };
      stations.onFit((isFit) => fit.push(isFit));
      trouble = new CarillonError('clock-off');
      await working({ ...stage, stations: watched }, ['dialer'], async () => {
        await until(
          () => fit.length,
          (count) => count === 1,
        );
        await stations.queues.add(lane.bucket, 'dial', await stage.plan(campaign, 8));
        const from = updates;
        await until(
          () => updates,
          (count) => count >= from + 2,
        );
        // A worker that was waiting for a job when it paused may still take one.
        expect(seen.length).toBeLessThanOrEqual(1);
        expect(stage.created()).toBe(0);
        trouble = null;
        await until(
          () => stage.created(),
          (count) => count === 8,
        );
      });
      expect(fit).toEqual([false, true]);
    });
  });
});

describe('a key without work', () => {
  it('has no worker: it gets one with its first job, also from another process, and loses it after a minute', async () => {
    const keys = Array.from({ length: 30 }, (_, nth) => `key-${nth}`);
    await hall.with({ keys, simulator: { speed: 2_000 } }, async (stage) => {
      const open = new Map<string, number>();
      const engine: Stage['engine'] = {
        ...stage.engine,
        newWorker(name, ...rest) {
          const worker = stage.engine.newWorker(name, ...rest);
          open.set(name, (open.get(name) ?? 0) + 1);
          worker.once('closed', () => open.delete(name));
          return worker as never;
        },
      };
      const { stations, lanes, ledger, clock } = stage;
      let updates = 0;
      const watched: Stage['stations'] = {
        ...stations,
        async updateLanes() {
          const isBusy = await stations.updateLanes();
          updates += 1;
          return isBusy;
        },
      };
      const updated = async () => {
        const from = updates;
        await until(
          () => updates,
          (count) => count >= from + 2,
        );
      };
      await working({ ...stage, engine, stations: watched }, ['dialer', 'tracker'], async () => {
        await updated();
        expect([...open.keys()]).toEqual([]);
        const campaign = await stage.campaign({ people: 2, from: 6_500 });
        const [own, other] = await stage.plan(campaign, 2);
        // The second is planned on another key, by another process: this one sees it in the ledger.
        await hall.books.sql('update carillon.attempts set lane_id = $2 where id = $1', [
          other,
          lanes[7]!.id,
        ]);
        await stage.stations.queues.add(lanes[0]!.bucket, 'dial', [own!]);
        await until(
          () => [...open.keys()].filter((name) => /\.(dial|track)$/.test(name)).length,
          (count) => count === 4,
        );
        await ledger.campaigns.cancel(campaign);
        await until(
          () => ledger.lanes.loads(),
          (loads) => loads.length === 0,
        );
        clock.shift(61_000);
        await until(
          () => open.size,
          (count) => count === 0,
        );
      });
    });
  });
});

describe('the refresher', () => {
  it('brings in what the service adds to a record after the end of its call', async () => {
    const simulator = {
      shares: { busy: 1 },
      speed: 2_000,
      faults: [{ kind: 'late-record', ms: 86_400_000 }],
    } as const;
    await hall.with({ simulator }, async (stage) => {
      const campaign = await stage.campaign({ people: 3, from: 8_000 });
      await working(stage, undefined, async () => {
        expect((await ended(stage, campaign)).cost).toBeNull();
        stage.sim.control({ speed: 1_000_000 });
        await hall.books.sql(
          `update carillon.refreshes r set due_at = now() + interval '1 second' from carillon.ended_attempts e
           where e.id = r.attempt_id and e.campaign_id = $1`,
          [campaign],
        );
        await until(
          () => hall.books.sql('select from carillon.refreshes'),
          (left) => left.length === 0,
        );
      });
      expect(await stage.ledger.reports.standing(campaign)).toMatchObject({ cost: 0, outcomes: { busy: 3 } });
      expect((await stage.ledger.reports.standing(campaign)).requests).toBe(stage.sim.state().requests);
      expect(await stage.faults()).toEqual([]);
    });
  });
});

describe('the sweeper', () => {
  it('skips the rows of a long list after a cancel, which does not wait for it', async () => {
    await hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 1, from: 9_000 });
      const client = await stage.ledger.db.connect();
      await client.query(
        `with made as (
          insert into carillon.recipients (campaign_id, row, phone)
          select $1, 10 + i, '+1212' || (3000000 + i) from generate_series(1, 60000) i returning id
        ), waits as (
          insert into carillon.waiting_deltas (campaign_id, place, due, attempts, held, n)
          select $1, '', '-infinity', 0, '', count(*) from made
        )
        insert into carillon.tally_deltas (campaign_id, name, n) select $1, 'waiting', count(*) from made`,
        [campaign],
      );
      client.release();
      await stage.ledger.campaigns.cancel(campaign);
      const left = (await stage.ledger.reports.standing(campaign)).counts;
      expect(left.waiting).toBeGreaterThan(0);
      await working(stage, ['reconciler'], () =>
        until(
          () => stage.ledger.reports.standing(campaign),
          ({ counts }) => counts.waiting === 0,
        ),
      );
      expect((await stage.ledger.reports.standing(campaign)).counts).toMatchObject({ skipped: 60_001 });
      expect(await stage.faults()).toEqual([]);
    });
  });
});
