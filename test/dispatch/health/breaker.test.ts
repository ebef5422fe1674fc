import { describe, expect, it } from 'vitest';
import { forecastCampaign } from '../../../src/control/campaigns/forecast.ts';
import { showCampaign } from '../../../src/control/campaigns/show.ts';
import { mostLosses } from '../../../src/dispatch/health/breaker.ts';
import { keepGaps, person, probeOf, tally } from '../../ledger/support.ts';
import { delayAnswers, type Stage, shareHall } from '../support.ts';

const hall = await shareHall();
const gapAhead = await keepGaps(hall.books);

const ill = { kind: 'error', status: 503 } as const;
const laneOf = async (stage: Stage) => (await stage.ledger.lanes.list())[0]!;
/** Makes the next probe due. */
const due = (stage: Stage) =>
  hall.books.sql(
    `update carillon.lanes set probe_at = now() - interval '1 ms' where id = $1 and probe_at is not null`,
    [stage.lane.id],
  );
/** How long the lane rests until its next probe, in seconds. */
const gapOf = (stage: Stage) => gapAhead(stage.lane.id);

/** A lane that has just been found failing; returns what is still planned on it. */
async function sicken(stage: Stage, people = 12) {
  const campaign = await stage.campaign({ people });
  const ids = await stage.plan(campaign);
  for (const id of ids.slice(0, mostLosses)) await stage.dial(id);
  expect((await laneOf(stage)).state).toBe('failing');
  return { campaign, ids, left: ids.slice(mostLosses) };
}

/** One probe: chosen, given a job, and dialled. */
async function probe(stage: Stage): Promise<string> {
  await due(stage);
  await stage.stations.probe();
  const [id] = await stage.jobs('dial');
  await stage.stations.queues.queue(stage.lane.bucket, 'dial').obliterate({ force: true });
  await stage.dial(id!);
  return id!;
}

describe('a service that fails', () => {
  it('is sent no more creates after a few losses in a row, and nobody who waits has spent an attempt', () =>
    hall.with({ simulator: { faults: [ill] } }, async (stage) => {
      const { campaign, left } = await sicken(stage);
      const sent = stage.sim.state().requests;
      for (const id of left)
        expect(await stage.dial(id)).toEqual({ kind: 'drop', why: 'the key is failing' });
      expect(stage.sim.state().requests).toBe(sent);
      expect(tally(await stage.states(campaign))).toEqual({ unknown: mostLosses, queued: 12 - mostLosses });
      const waiting = (await stage.people(campaign)).filter((each) => each.state === 'queued');
      expect(waiting.every((each) => each.attempts === 0)).toBe(true);
      // The planner skips the lane, and so does the reconciler.
      expect(await stage.stations.plan()).toBe(0);
      await stage.stations.reconcile.round();
      expect(await stage.jobs('dial')).toEqual([]);
      expect(await stage.faults()).toEqual([]);
      expect(await laneOf(stage)).toMatchObject({ state: 'failing', reason: expect.stringContaining('503') });
    }));

  it.each([
    ['a page of HTML', { kind: 'html' }],
    ['a reset', { kind: 'reset' }],
    ['a 500 after the call was made', { kind: 'error', when: 'after' }],
  ] as const)('is known by %s as well', (_what, fault) =>
    hall.with({ simulator: { faults: [fault] } }, async (stage) => {
      const { campaign } = await sicken(stage, 6);
      expect(tally(await stage.states(campaign))).toEqual({ unknown: mostLosses, queued: 1 });
    }),
  );

  it('is not found failing by bad luck: each good answer makes up for a bad one', async () => {
    const at = [1, 2, 3, 4, 8, 9, 10];
    await hall.with({ simulator: { faults: [{ ...ill, at }] } }, async (stage) => {
      const campaign = await stage.campaign({ people: 11 });
      for (const id of await stage.plan(campaign)) await stage.dial(id);
      expect((await laneOf(stage)).state).toBe('open');
      expect(tally(await stage.states(campaign))).toEqual({ unknown: 7, calling: 4 });
    });
  });

  it('is found failing even when it answers every third create well', async () => {
    const at = [1, 2, 4, 5, 7, 8, 10, 11, 13, 14];
    await hall.with({ simulator: { faults: [{ ...ill, at }] } }, async (stage) => {
      const campaign = await stage.campaign({ people: 15 });
      for (const id of await stage.plan(campaign)) await stage.dial(id);
      expect((await laneOf(stage)).state).toBe('failing');
      expect(tally(await stage.states(campaign))).toEqual({ unknown: 8, calling: 3, queued: 4 });
    });
  });

  it('is still polled for the ends of calls', () =>
    hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
      const placed = await stage.planOne(await stage.campaign({ people: 1 }));
      await stage.dial(placed);
      stage.sim.control({ faults: [ill] });
      await sicken(stage, 5);
      const polls = [...stage.sim.journal({ method: 'GET' })].length;
      await stage.track(placed);
      expect([...stage.sim.journal({ method: 'GET' })]).toHaveLength(polls + 1);
    }));

  it('is probed by one create after 5 s, then at growing gaps up to 60 s; each lost probe is one unknown', () =>
    hall.with({ simulator: { faults: [ill] } }, async (stage) => {
      const { campaign, ids } = await sicken(stage, 20);
      const gaps = [await gapOf(stage)];
      const probes = [];
      for (let i = 0; i < 5; i++) {
        probes.push(await probe(stage));
        gaps.push(await gapOf(stage));
      }
      expect(gaps).toEqual([5, 10, 20, 40, 60, 60]);
      // People who have waited longest go first.
      expect(new Set(probes)).toEqual(new Set(ids.slice(5, 10)));
      expect(tally(await stage.states(campaign))).toEqual({ unknown: 10, queued: 10 });
    }));

  it('is known at once to other processes, which send one probe together', () =>
    hall.with({ simulator: { faults: [ill] } }, async (stage) => {
      await hall.with({ baseUrl: stage.sim.url }, async (other) => {
        const { left } = await sicken(stage);
        expect(other.lane.state).toBe('open');
        expect(await other.dial(left[0]!)).toEqual({ kind: 'drop', why: 'the key is failing' });
        await due(stage);
        await Promise.all([1, 2, 3, 4].flatMap(() => [stage.stations.probe(), other.stations.probe()]));
        const jobs = await stage.jobs('dial');
        expect(jobs).toHaveLength(1);
        // While it is in progress nobody sends another, whatever the clock says.
        const { lane, reached, release } = delayAnswers(stage.lane);
        const dialled = stage.dial(jobs[0]!, lane);
        await reached(1);
        expect((await stage.attempt(jobs[0]!)).state).toBe('dialing');
        await due(stage);
        expect(await probeOf(other.ledger, other.lane.id)).toBeNull();
        await other.ledger.lanes.probeNow();
        expect(await probeOf(other.ledger, other.lane.id)).toBeNull();
        release();
        await dialled;
      });
    }));

  it('is remembered by a process that starts again', () =>
    hall.with({ simulator: { faults: [ill] } }, async (stage) => {
      const { left } = await sicken(stage);
      await hall.with({ baseUrl: stage.sim.url }, async (fresh) => {
        expect(fresh.lane.state).toBe('failing');
        await fresh.stations.reconcile.start();
        expect(await fresh.jobs('dial')).toEqual([]);
        expect((await fresh.attempt(left[0]!)).state).toBe('planned');
      });
    }));

  it('on one key does not stop another: plans go to the one that still creates', () =>
    hall.with({ keys: ['one', 'two'], simulator: { faults: [{ ...ill, next: 5 }] } }, async (stage) => {
      const [one, two] = stage.lanes as [Stage['lane'], Stage['lane']];
      const campaign = await stage.campaign({ people: 8 });
      const ids = await stage.plan(campaign, 8, null, 'one');
      for (const id of ids.slice(0, 5)) await stage.dial(id, one);
      expect(one.state).toBe('failing');
      expect(await stage.jobs('dial', two)).toEqual(ids.slice(5).sort());
      for (const id of ids.slice(5)) expect(await stage.dial(id, two)).toEqual({ kind: 'done' });
      expect(tally(await stage.states(campaign))).toEqual({ unknown: 5, calling: 3 });
    }));
});

describe('a service that has recovered', () => {
  it('accepts the probe, and waiting people are called in their order without a burst', () =>
    hall.with({ simulator: { faults: [{ ...ill, next: 5 }] }, rate: 10 }, async (stage) => {
      const { campaign, left } = await sicken(stage, 15);
      await probe(stage);
      expect((await laneOf(stage)).state).toBe('open');
      expect(await laneOf(stage)).toMatchObject({ losses: 0, probeAt: null, reason: null });
      const jobs = await stage.stations.queues.queue(stage.lane.bucket, 'dial').getJobs(['waiting']);
      expect(jobs).toHaveLength(9);
      const began = stage.clock.monotonic();
      await Promise.all(left.slice(1).map((id) => stage.dial(id)));
      expect(tally(await stage.states(campaign))).toEqual({ unknown: 5, calling: 10 });
      const last = [...stage.sim.journal({ method: 'POST' })].at(-1)!.mono;
      // Nine at ten a second; the first few tokens may have accumulated.
      expect(last - began).toBeGreaterThan(500);
    }));

  it.each([
    ['a 422', { kind: 'error', status: 422 }, 'open'],
    ['a 429', { kind: 'error', status: 429 }, 'open'],
    ['a 402', { kind: 'error', status: 402 }, 'out_of_credit'],
    ['a 401', { kind: 'error', status: 401 }, 'denied'],
  ] as const)('shows it by %s too', async (_what, fault, state) => {
    const faults = [
      { ...ill, next: 5 },
      { ...fault, next: 1 },
    ];
    await hall.with({ simulator: { faults } }, async (stage) => {
      await sicken(stage);
      await probe(stage);
      expect((await laneOf(stage)).state).toBe(state);
    });
  });

  it('is not failing because of earlier creates', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 20 });
      const ids = await stage.plan(campaign);
      for (const id of ids) await stage.admit(id);
      const fail = (id: string) => stage.ledger.lanes.fail(stage.lane.id, id, 'lost', mostLosses);
      for (const id of ids.slice(0, 5)) await fail(id);
      expect((await laneOf(stage)).state).toBe('failing');
      // Creates that were in flight with them move no clock.
      const before = await laneOf(stage);
      await fail(ids[5]!);
      expect((await laneOf(stage)).probeAt).toEqual(before.probeAt);
      await stage.ledger.lanes.open(stage.lane.id);
      for (const id of ids.slice(6)) expect(await fail(id)).toBeNull();
      expect(await laneOf(stage)).toMatchObject({ state: 'open', losses: 0 });
    }));

  it('and fails again soon after is probed later than the first time', () =>
    hall.with({ simulator: { faults: [{ ...ill, next: 6 }] } }, async (stage) => {
      await sicken(stage, 20);
      await probe(stage);
      expect(await gapOf(stage)).toBe(10);
      await probe(stage);
      expect((await laneOf(stage)).state).toBe('open');
      stage.sim.control({ faults: [ill] });
      for (const id of (
        await stage.books.sql<{ id: string }>(
          `select id from carillon.attempts where lane_id = $1 and state = 'planned' limit 5`,
          [stage.lane.id],
        )
      ).map((row) => row.id)) {
        await stage.dial(id);
      }
      expect((await laneOf(stage)).state).toBe('failing');
      expect(await gapOf(stage)).toBe(20);
    }));
});

describe('a service that surely made no call', () => {
  it('according to the profile is probed at growing gaps, and nobody becomes unknown', async () => {
    const profile = { createdNothing: [503] };
    await hall.with({ simulator: { faults: [ill] }, profile }, async (stage) => {
      const campaign = await stage.campaign({ people: 8 });
      const ids = await stage.plan(campaign);
      for (const id of ids) await stage.dial(id).then(() => stage.engine.bucket.wake(stage.lane.bucket));
      expect(stage.sim.state().requests).toBe(mostLosses);
      const gaps = [await gapOf(stage)];
      for (let i = 0; i < 3; i++) {
        await probe(stage);
        gaps.push(await gapOf(stage));
      }
      expect(gaps).toEqual([5, 10, 20, 40]);
      expect(tally(await stage.states(campaign))).toEqual({ queued: 8 });
      expect((await stage.people(campaign)).every((each) => each.attempts === 0)).toBe(true);
      stage.sim.control({ faults: [] });
      await probe(stage);
      expect((await laneOf(stage)).state).toBe('open');
    });
  });
});

describe('answers that are overdue', () => {
  it('stop further creates until one comes: an outage is found before its first timeout', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 8 });
      const ids = await stage.plan(campaign);
      const { lane, reached, release } = delayAnswers(stage.lane);
      const first = ids.slice(0, 5).map((id) => stage.dial(id, lane));
      await reached(5);
      expect(tally(await stage.states(campaign)).calling).toBe(5);
      stage.clock.shift(4_000);
      expect(await stage.dial(ids[5]!)).toEqual({ kind: 'rest', ms: 500 });
      expect((await stage.attempt(ids[5]!)).state).toBe('planned');
      release();
      await Promise.all(first);
      expect(await stage.dial(ids[5]!)).toEqual({ kind: 'done' });
    }));

  it('are bad luck when there are only a few', () =>
    hall.with({}, async (stage) => {
      const ids = await stage.plan(await stage.campaign({ people: 5 }));
      const { lane, reached, release } = delayAnswers(stage.lane);
      const first = ids.slice(0, 4).map((id) => stage.dial(id, lane));
      await reached(4);
      stage.clock.shift(4_000);
      expect(await stage.dial(ids[4]!)).toEqual({ kind: 'done' });
      release();
      await Promise.all(first);
    }));
});

describe('a probe', () => {
  it('never calls a person whose window is closed, even one who has waited longest', () =>
    hall.with({ simulator: { credits: 0 } }, async (stage) => {
      const minute = new Date(stage.clock.now()).getUTCHours() * 60;
      const hours = [
        { from: (minute + 180) % 1_440, to: (minute + 240) % 1_440, days: [1, 2, 3, 4, 5, 6, 7] },
      ];
      const closed = await stage.campaign({ times: { hours } });
      await stage.add(closed, [person(70, { place: 'UTC' })]);
      const [night] = await stage.plan(closed);
      const day = await stage.campaign({ people: 2 });
      const [first] = await stage.plan(day);
      await stage.dial(first!);
      expect(await stage.states(closed)).toEqual(['parked']);
      const sent = await probe(stage);
      expect(sent).not.toBe(night);
      expect([...stage.sim.journal({ method: 'POST' })]).toHaveLength(2);
      expect((await stage.attempt(night!)).state).toBe('parked');
    }));
});

describe('a service that refuses every create as too many', () => {
  const full = { kind: 'error', status: 429, on: 'create' } as const;
  const words = 'every call is refused: the service answered 429: Error 429';
  /** A create that does not wait for the rest that the refusal before it asked for. */
  const rested = async (stage: Stage) => {
    stage.clock.shift(120_000);
    await stage.engine.bucket.wake(stage.lane.bucket);
  };
  const ask = async (stage: Stage, id: string) => {
    await rested(stage);
    return stage.dial(id);
  };
  /** Makes the first refusal so much older. */
  const age = (stage: Stage, seconds: number) =>
    hall.books.sql(
      `update carillon.lanes set refused_since = refused_since - make_interval(secs => $2),
        spare_since = spare_since - make_interval(secs => $2) where id = $1`,
      [stage.lane.id, seconds],
    );
  const turnOf = async (stage: Stage, campaign: string) =>
    (await stage.ledger.lanes.turns([campaign])).get(campaign)?.turn;

  it('is failing after 20 s, in the service’s words, and nobody has spent an attempt', () =>
    hall.with({ simulator: { faults: [full] } }, async (stage) => {
      const campaign = await stage.campaign({ people: 3 });
      await stage.stations.plan();
      const [id] = await stage.jobs('dial');
      expect((await ask(stage, id!)).kind).toBe('rest');
      await age(stage, 19);
      await stage.stations.probe();
      expect(await laneOf(stage)).toMatchObject({ state: 'open', reason: null });
      expect(await turnOf(stage, campaign)).toBe('rate');
      await age(stage, 1);
      await stage.stations.probe();
      expect(await laneOf(stage)).toMatchObject({ state: 'failing', reason: words });
      // Rows and forecast say so as well.
      const { ledger, lanes, clock } = stage;
      expect((await showCampaign(ledger, campaign)).waits).toEqual({ refused: { n: 3, until: null } });
      expect(await forecastCampaign({ ledger, lanes, clock }, campaign)).toMatchObject({
        ends_at: { p10: null, p50: null, p90: null },
        limited_by: 'refused',
        reason: words,
      });
      expect(tally(await stage.states(campaign))).toEqual({ queued: 3 });
      expect((await stage.people(campaign)).every((each) => each.attempts === 0)).toBe(true);
    }));

  it('is probed by one create at growing gaps up to a minute, and opens when one is accepted', () =>
    hall.with({ simulator: { faults: [full] } }, async (stage) => {
      const campaign = await stage.campaign({ people: 3 });
      await stage.stations.plan();
      const [id] = await stage.jobs('dial');
      await ask(stage, id!);
      await age(stage, 20);
      await stage.stations.probe();
      const gaps = [await gapOf(stage)];
      for (let i = 0; i < 5; i++) {
        await due(stage);
        await stage.stations.probe();
        const { probeAttempt } = await laneOf(stage);
        expect(await stage.ledger.lanes.refuse(stage.lane.id, probeAttempt!, 'Slow down')).toBe('failing');
        gaps.push(await gapOf(stage));
      }
      expect(gaps).toEqual([5, 10, 20, 40, 60, 60]);
      expect((await laneOf(stage)).reason).toBe('every call is refused: Slow down');
      await stage.stations.queues.queue(stage.lane.bucket, 'dial').obliterate({ force: true });
      stage.sim.control({ faults: [] });
      await rested(stage);
      await probe(stage);
      expect(await laneOf(stage)).toMatchObject({ state: 'open', reason: null, refusedSince: null });
      expect(await turnOf(stage, campaign)).toBe('rate');
    }));

  it('is not failing while one create in between is accepted', () =>
    hall.with({ simulator: { faults: [{ ...full, at: [1, 3] }] } }, async (stage) => {
      const campaign = await stage.campaign({ people: 3 });
      const [first, second] = await stage.plan(campaign);
      await ask(stage, first!);
      await age(stage, 30);
      expect(await ask(stage, second!)).toEqual({ kind: 'done' });
      await ask(stage, first!);
      await age(stage, 19);
      await stage.stations.probe();
      expect((await laneOf(stage)).state).toBe('open');
    }));

  it('may have a cap on calls at once, and is not failing until fewer are in progress than at the first refusal', () =>
    hall.with({ simulator: { concurrency: 1, shares: { answered: 1 }, speed: 1 } }, async (stage) => {
      const campaign = await stage.campaign({ people: 3 });
      const [first, second] = await stage.plan(campaign);
      await ask(stage, first!);
      expect((await ask(stage, second!)).kind).toBe('rest');
      await age(stage, 600);
      await stage.stations.probe();
      expect((await laneOf(stage)).state).toBe('open');
      // That call is followed no more, and the service still refuses.
      stage.sim.control({ faults: [full] });
      await hall.books.sql(`update carillon.attempts set state = 'unknown', reason = 'stale' where id = $1`, [
        first!,
      ]);
      await ask(stage, second!);
      await stage.stations.probe();
      expect((await laneOf(stage)).state).toBe('open');
      await age(stage, 5);
      await stage.stations.probe();
      expect((await laneOf(stage)).state).toBe('failing');
    }));

  it('is not failing when nobody waits for it', () =>
    hall.with({ simulator: { faults: [full] } }, async (stage) => {
      const campaign = await stage.campaign({ people: 1 });
      const [id] = await stage.plan(campaign);
      await ask(stage, id!);
      await age(stage, 60);
      await hall.books.sql(`update carillon.campaigns set state = 'paused' where id = $1`, [campaign]);
      await stage.stations.probe();
      expect((await laneOf(stage)).state).toBe('open');
    }));
});
