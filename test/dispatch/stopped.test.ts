import { describe, expect, it } from 'vitest';
import { tally } from '../ledger/support.ts';
import { delayAnswers, type Stage, shareHall } from './support.ts';

/** Keys that stopped creating calls, as two processes see them: 402, 401 and 429 to their end. */
const hall = await shareHall();

const due = (stage: Stage) => stage.ledger.lanes.probeNow();
const laneOf = async (stage: Stage, name = 'main') =>
  (await stage.ledger.lanes.list()).find((lane) => lane.name === name)!;
const posts = (stage: Stage) => [...stage.sim.journal({ method: 'POST' })];

describe('a key without credit, to two processes', () => {
  it('is probed by one create at a time, from either of them', () =>
    hall.with({ simulator: { credits: 0 } }, async (stage) => {
      await hall.with({ baseUrl: stage.sim.url }, async (other) => {
        const campaign = await stage.campaign({ people: 6 });
        const [first] = await stage.plan(campaign);
        await stage.dial(first!);
        for (let round = 0; round < 3; round++) {
          const before = posts(stage).length;
          await due(stage);
          await Promise.all([1, 2, 3].flatMap(() => [stage.stations.probe(), other.stations.probe()]));
          const [probe, ...more] = await stage.jobs('dial');
          expect(more).toEqual([]);
          await stage.stations.queues.queue(stage.lane.bucket, 'dial').obliterate({ force: true });
          const { lane, reached, release } = delayAnswers(other.lane);
          const asked = other.dial(probe!, lane);
          await reached(1);
          expect((await stage.attempt(probe!)).state).toBe('dialing');
          // A run that starts in the meantime does not send a second one.
          await due(stage);
          await stage.stations.probe();
          expect(await stage.jobs('dial')).toEqual([]);
          release();
          await asked;
          expect(posts(stage).length).toBe(before + 1);
        }
        expect(tally(await stage.states(campaign))).toEqual({ parked: 6 });
      });
    }));

  it('is noticed by the next probe when it has credit again; people keep their places, without a burst', () =>
    hall.with({ simulator: { credits: 0 }, rate: 10 }, async (stage) => {
      await hall.with({ baseUrl: stage.sim.url, rate: 10 }, async (other) => {
        const campaign = await stage.campaign({ people: 15 });
        const [first] = await stage.plan(campaign, 1);
        await stage.dial(first!);
        const rows = await hall.books.sql<{ phone: string }>(
          'select phone from carillon.recipients where campaign_id = $1 order by row',
          [campaign],
        );
        stage.sim.control({ credits: 100 });
        await due(stage);
        await other.stations.probe();
        const [probe] = await other.jobs('dial');
        expect(await other.dial(probe!)).toEqual({ kind: 'done' });
        expect((await laneOf(stage)).state).toBe('open');
        await stage.stations.probe();
        expect(stage.lane.state).toBe('open');
        const ids = await stage.plan(campaign);
        const began = stage.clock.monotonic();
        await Promise.all(ids.map((id, i) => (i % 2 ? stage : other).dial(id)));
        expect(posts(stage)[1]!.phone).toBe(rows[0]!.phone);
        // Fourteen at ten a second; the first few tokens may have accumulated.
        expect(posts(stage).at(-1)!.mono - began).toBeGreaterThan(1_000);
        expect(tally(await stage.states(campaign))).toEqual({ calling: 15 });
      });
    }));

  it('gives parked people back in the order in which they waited', () =>
    hall.with({ simulator: { credits: 0 } }, async (stage) => {
      const campaign = await stage.campaign({ people: 12 });
      const ids = await stage.plan(campaign);
      await stage.dial(ids[0]!);
      const rows = await hall.books.sql<{ id: string }>(
        `select a.id from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
       where a.campaign_id = $1 order by r.row`,
        [campaign],
      );
      expect(await stage.ledger.lanes.open(stage.lane.id)).toEqual(rows.map((row) => row.id));
    }));

  it('is not opened by a call that was accepted before the credit ended', () =>
    hall.with({ simulator: { credits: 1 } }, async (stage) => {
      const campaign = await stage.campaign({ people: 3 });
      const [a, b] = await stage.plan(campaign, 2);
      const { lane, reached, release } = delayAnswers(stage.lane);
      const both = [stage.dial(a!, lane), stage.dial(b!, lane)];
      await reached(2);
      release();
      await Promise.all(both);
      expect(
        posts(stage)
          .map((entry) => entry.answer)
          .sort(),
      ).toEqual([201, 402]);
      expect((await laneOf(stage)).state).toBe('out_of_credit');
      expect(tally(await stage.states(campaign))).toEqual({ calling: 1, parked: 1, waiting: 1 });
    }));

  it('does not affect the other keys', async () => {
    const faults = [{ kind: 'error', status: 402, next: 1 }] as const;
    await hall.with({ keys: ['one', 'two'], simulator: { faults } }, async (stage) => {
      const campaign = await stage.campaign({ people: 8 });
      await stage.dial((await stage.plan(campaign, 1, null, 'one'))[0]!, stage.lanes[0]);
      expect((await laneOf(stage, 'one')).state).toBe('out_of_credit');
      expect((await laneOf(stage, 'two')).state).toBe('open');
      await stage.stations.plan();
      const jobs = await stage.jobs('dial', stage.lanes[1]);
      expect(jobs).toHaveLength(7);
      for (const id of jobs) expect(await stage.dial(id, stage.lanes[1])).toEqual({ kind: 'done' });
      expect(tally(await stage.states(campaign))).toEqual({ parked: 1, calling: 7 });
    });
  });
});

describe('a key that is not accepted, to two processes', () => {
  it('is closed for both by the ledger, and the other key takes its plans', async () => {
    const options = { keys: ['one', 'two'], simulator: { keys: ['secret-of-two'] } };
    await hall.with(options, async (stage) => {
      await hall.with({ ...options, baseUrl: stage.sim.url }, async (other) => {
        const campaign = await stage.campaign({ people: 6 });
        const ids = await stage.plan(campaign, 6, null, 'one');
        await stage.dial(ids[0]!, stage.lanes[0]);
        const before = posts(stage).length;
        for (const id of ids) await other.dial(id, other.lanes[0]);
        expect(posts(stage)).toHaveLength(before);
        expect(await stage.jobs('dial', stage.lanes[1])).toEqual([...ids].sort());
        for (const id of ids) expect(await other.dial(id, other.lanes[1])).toEqual({ kind: 'done' });
        expect(tally(await stage.states(campaign))).toEqual({ calling: 6 });
        expect((await stage.people(campaign)).every((each) => each.attempts === 1)).toBe(true);
      });
    });
  });
});

describe('a key that is asked too often, to two processes', () => {
  it('rests in both, the other key continues, and nothing is spent', async () => {
    const faults = [{ kind: 'error', status: 429, next: 1 }] as const;
    const options = { keys: ['one', 'two'], simulator: { faults, retryAfter: 'seconds' as const } };
    await hall.with(options, async (stage) => {
      await hall.with({ ...options, baseUrl: stage.sim.url }, async (other) => {
        const campaign = await stage.campaign({ people: 3 });
        const [a, b] = await stage.plan(campaign, 2, null, 'one');
        const [c] = await stage.plan(campaign, 1, null, 'two');
        expect((await stage.dial(a!, stage.lanes[0])).kind).toBe('rest');
        await stage.engine.bucket.rest(stage.lane.bucket, 120_000);
        const before = posts(stage).length;
        expect((await other.dial(b!, other.lanes[0])).kind).toBe('rest');
        expect(posts(stage)).toHaveLength(before);
        expect(await other.dial(c!, other.lanes[1])).toEqual({ kind: 'done' });
        expect((await laneOf(stage, 'one')).state).toBe('open');
        expect(tally(await stage.states(campaign))).toEqual({ queued: 2, calling: 1 });
      });
    });
  });
});
