import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Step } from '../../src/queues/job.ts';
import type { Order } from '../../src/rules/order.ts';
import { standard } from '../../src/voice/load-service.ts';
import { until } from '../support/until.ts';
import { shareHall } from './support.ts';

const hall = await shareHall();

const waitOf = (step: Step) => (step as { ms: number }).ms;

describe('a call', () => {
  it('is polled until it has ended, and its result is kept', () =>
    hall.with({ simulator: { shares: { answered: 1 }, speed: 0.01 } }, async (stage) => {
      const { campaign, id } = await stage.onePlaced();
      const early = await stage.track(id);
      expect(early.kind).toBe('wait');
      expect(waitOf(early)).toBeGreaterThan(0);
      stage.sim.control({ speed: 600 });
      expect(await stage.follow(id)).toEqual({ kind: 'done' });
      const report = await stage.attempt(id);
      expect(report).toMatchObject({
        state: 'done',
        outcome: 'answered',
        status: 'completed',
        recipientState: 'done',
      });
      expect(report.transcript).toBeTruthy();
      expect(report.duration).toBeGreaterThan(0);
      const standing = await stage.ledger.reports.standing(campaign);
      expect(standing.requests).toBe(stage.sim.state().requests);
      expect(await stage.track(id)).toMatchObject({ kind: 'drop' });
    }));

  it('is due now after a hint, again after five seconds, in the queue of those who follow it', () =>
    hall.with({ simulator: { shares: { answered: 1 }, speed: 0.01 } }, async (stage) => {
      const { ledger, baseUrl } = stage;
      const { campaign, id } = await stage.onePlaced();
      const callId = (await stage.attempt(id)).callId!;
      const planned = (await stage.attempt(id)).nextPollAt!.getTime();
      const first = await ledger.attempts.hint(baseUrl, callId, 5);
      expect(first).toMatchObject({ id, key: stage.lane.name, run: null });
      expect(first!.at.getTime()).toBeLessThan(planned);
      expect((await stage.attempt(id)).nextPollAt).toEqual(first!.at);
      expect(await ledger.attempts.hint('http://elsewhere.example/v1', callId, 5)).toBeNull();

      const nextPollAt = new Date(planned + 3_600_000).toISOString();
      const { at } = (await ledger.attempts.load(id))!;
      const asked = await ledger.attempts.asked({ id, at, status: null, nextPollAt });
      expect(asked?.nextPollAt?.toISOString()).toBe(nextPollAt);
      await stage.runs(campaign);
      const second = await ledger.attempts.hint(baseUrl, callId, 5);
      expect(second).toMatchObject({ id, run: campaign });
      expect(second!.at.getTime() - first!.at.getTime()).toBe(5_000);
      expect(await ledger.attempts.hint(baseUrl, callId, 5)).toBeNull();
    }));

  it('is polled again at once after a hint that came while its poll was on the way, and only once', () =>
    hall.with({ simulator: { shares: { answered: 1 }, speed: 0.01 } }, async (stage) => {
      const { ledger, baseUrl } = stage;
      const { id } = await stage.onePlaced();
      const callId = (await stage.attempt(id)).callId!;
      expect(await ledger.attempts.hint(baseUrl, callId, 5)).not.toBeNull();
      const { client } = stage.lane;
      const { get } = client;
      let hints = 0;
      client.get = async (...args) => {
        const answer = await get(...args);
        // As after a hang-up: the answer tells what was before.
        if (hints++ === 0) expect(await ledger.attempts.hint(baseUrl, callId, 0)).toBeNull();
        return answer;
      };
      expect(waitOf(await stage.track(id))).toBeLessThanOrEqual(50);
      expect((await stage.attempt(id)).nextPollAt!.getTime()).toBeLessThanOrEqual(Date.now() + 50);
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(waitOf(await stage.track(id))).toBeGreaterThan(500);
      expect(hints).toBe(2);
    }));

  it('teaches how long the agent’s calls last, which the ledger keeps', () =>
    hall.with({ simulator: { shares: { busy: 1 } } }, async (stage) => {
      const { ledger } = stage;
      const { id } = await stage.onePlaced();
      const { agentId } = (await ledger.attempts.load(id))!;
      expect(await stage.follow(id)).toEqual({ kind: 'done' });
      await stage.stations.keepPollTimes();
      const ended = (await ledger.ageCounts.ofLane(stage.lane.id)).filter(({ kind }) => kind === 'ended');
      expect(ended.flatMap(({ counts }) => counts).reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 2);
      expect(await ledger.ageCounts.ofAgent(agentId)).not.toEqual([]);
    }));

  it.each<[string, Record<string, number[]>, Partial<Order>, string]>([
    ['it is tried again now', {}, { retry: { busy: [60] } }, 'waiting'],
    ['no more attempt is allowed', { busy: [60] }, { maxAttempts: 1 }, 'done'],
    ['its outcome is final now', { busy: [60] }, { retry: {} }, 'done'],
  ])(
    'is judged by the order at its end, even when that changed during the poll: %s',
    (_, before, change, state) =>
      hall.with({ simulator: { shares: { busy: 1 } } }, async (stage) => {
        const wish = { maxAttempts: 2, retry: before };
        const { campaign, id } = await stage.onePlaced(wish);
        const { client } = stage.lane;
        const { get } = client;
        // A person changes the order while the answer is on its way.
        client.get = async (...args) => {
          const answer = await get(...args);
          const order = await stage.ledger.campaigns.get(campaign);
          await stage.ledger.campaigns.change(campaign, { ...order, ...change });
          return answer;
        };
        await stage.follow(id);
        expect((await stage.people(campaign))[0]).toMatchObject({ state, outcome: 'busy', attempts: 1 });
        expect((await stage.attempt(id)).state).toBe('done');
      }),
  );

  it.each(['no-room', 'no-credit'] as const)(
    'spends nothing when its record says that nobody was dialled: %s',
    async (why) => {
      const { get, ...rest } = standard();
      const service = { ...rest, get: { ...get, rules: [{ when: { '/status': 'busy' }, is: why }] } };
      await hall.with({ simulator: { shares: { busy: 1 } }, service }, async (stage) => {
        const { campaign, id } = await stage.onePlaced();
        await stage.follow(id);
        expect(await stage.attempt(id)).toMatchObject({ state: 'dropped', outcome: null, reason: why });
        const [person] = await stage.people(campaign);
        expect(person).toMatchObject({ state: 'waiting', outcome: null, attempts: 0 });
        expect(stage.lane.state).toBe(why === 'no-credit' ? 'out_of_credit' : 'open');
      });
    },
  );

  it('ends as dropped when the service broke it off', async () => {
    const { get, ...rest } = standard();
    const service = {
      ...rest,
      get: { ...get, rules: [{ when: { '/status': 'busy' }, is: 'dropped' as const }] },
    };
    await hall.with({ simulator: { shares: { busy: 1 } }, service }, async (stage) => {
      const { campaign, id } = await stage.onePlaced();
      await stage.follow(id);
      expect((await stage.people(campaign))[0]).toMatchObject({
        state: 'done',
        outcome: 'dropped',
        attempts: 1,
      });
    });
  });

  it('continues with an unknown status', async () => {
    const simulator = { speed: 1, statuses: { queued: 'pondering', ringing: 'pondering' } };
    await hall.with({ simulator }, async (stage) => {
      const { id } = await stage.onePlaced();
      const step = await stage.track(id);
      expect(step.kind).toBe('wait');
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed', status: 'pondering' });
      expect((await stage.ledger.attempts.load(id))!.polls).toBe(1);
    });
  });

  it('is tried again when its outcome has a rule, and the person waits until then', () =>
    hall.with({ simulator: { shares: { busy: 1 } } }, async (stage) => {
      const { campaign, id } = await stage.onePlaced({ maxAttempts: 2, retry: { busy: [900] } });
      await stage.follow(id);
      const [who] = await stage.people(campaign);
      expect(who).toMatchObject({ state: 'waiting', outcome: 'busy', attempts: 1 });
      expect((who!.nextAt!.getTime() - Date.now()) / 1_000).toBeGreaterThan(880);
      expect(stage.nudges()).toBeGreaterThan(0);
    }));
});

describe('a poll without an answer', () => {
  it.each([
    ['an unknown call', null],
    ['a server error', { kind: 'error', status: 500, on: 'get' }],
    ['an error page', { kind: 'html', on: 'get' }],
    ['half an answer', { kind: 'broken-json', on: 'get' }],
    ['a broken connection', { kind: 'reset', on: 'get' }],
  ] as const)('(%s) is asked again later and later', (_what, fault) =>
    hall.with({ simulator: { faults: fault ? [fault] : [] } }, async (stage) => {
      const { id } = await stage.onePlaced();
      if (!fault) stage.sim.reset();
      stage.clock.freeze();
      const waits = [];
      for (let i = 0; i < 4; i++) waits.push(Math.round(waitOf(await stage.track(id)) / 1_000));
      expect(waits).toEqual([2, 4, 8, 16]);
      expect((await stage.attempt(id)).state).toBe('placed');
      expect((await stage.ledger.attempts.load(id))!.polls).toBe(4);
    }),
  );

  it('is given up at the deadline, however it failed: stale, and shown to a person', async () => {
    const on = 'get';
    const faults = [
      { kind: 'error', status: 500, on, at: [1] },
      { kind: 'html', on, at: [1] },
      { kind: 'broken-json', on, at: [1] },
      { kind: 'error', status: 404, on },
    ] as const;
    await hall.with({ simulator: { faults }, deadlineMs: 60_000 }, async (stage) => {
      const { id, campaign } = await stage.onePlaced();
      for (let i = 0; i < 4; i++) expect((await stage.track(id)).kind).toBe('wait');
      expect((await stage.attempt(id)).state).toBe('placed');
      stage.clock.shift(61_000);
      expect(await stage.track(id)).toEqual({ kind: 'drop', why: 'stale' });
      expect(await stage.attempt(id)).toMatchObject({ state: 'unknown', reason: 'stale' });
      expect(await stage.states(campaign)).toEqual(['unknown']);
    });
  });

  it('while the service is busy lets the lane rest, and is counted', () =>
    hall.with(
      { simulator: { faults: [{ kind: 'error', status: 429, on: 'get', next: 1 }] } },
      async (stage) => {
        const { id } = await stage.onePlaced();
        expect((await stage.track(id)).kind).toBe('rest');
        expect((await stage.engine.bucket.read(stage.lane.bucket))!.restMs).toBeGreaterThan(0);
        expect((await stage.ledger.attempts.load(id))!.polls).toBe(1);
      },
    ));

  it('waits for a token like any request', () =>
    hall.with({}, async (stage) => {
      const { id } = await stage.onePlaced();
      await stage.engine.bucket.rest(stage.lane.bucket, 120_000);
      expect((await stage.track(id)).kind).toBe('rest');
      expect(stage.sim.state().requests).toBe(1);
    }));
});

describe('a call that never ends', () => {
  it('is shown to a person after its deadline, and polled no more', () =>
    hall.with({ simulator: { faults: [{ kind: 'endless' }] }, deadlineMs: 60_000 }, async (stage) => {
      const { campaign, id } = await stage.onePlaced();
      await stage.track(id);
      stage.clock.shift(61_000);
      expect(await stage.track(id)).toEqual({ kind: 'drop', why: 'stale' });
      expect(await stage.attempt(id)).toMatchObject({
        state: 'unknown',
        reason: 'stale',
        recipientState: 'unknown',
      });
      expect((await stage.ledger.unknowns.list(campaign))[0]!.detail).toMatch(/its last status was/);
      expect(await stage.jobs('track')).toEqual([id]);
      expect((await stage.track(id)).kind).toBe('drop');
    }));
});

describe('a process whose clock is hours ahead', () => {
  it('follows its calls in the ledger’s time, and gives none of them up', async () => {
    const permit = { now: systemClock.now };
    await hall.with({ deadlineMs: 3_600_000, simulator: { speed: 0.01 }, permit }, async (stage) => {
      stage.clock.suspend(10_800_000);
      const { id } = await stage.onePlaced();
      const step = await stage.track(id);
      expect(step.kind).toBe('wait');
      expect(waitOf(step)).toBeLessThan(600_000);
      const { state, nextPollAt } = await stage.attempt(id);
      expect(state).toBe('placed');
      expect(nextPollAt!.getTime() - Date.now()).toBeLessThanOrEqual(waitOf(step));
      // It is stale by the ledger's time, not by this clock.
      const [{ ahead }] = (await hall.books.sql(
        `select extract(epoch from deadline_at - now())::float as ahead from carillon.attempts where id = $1`,
        [id],
      )) as [{ ahead: number }];
      expect(ahead).toBeGreaterThan(3_000);
      expect(ahead).toBeLessThanOrEqual(3_600);
    });
  });
});

describe('a key that is closed', () => {
  it('suspends its calls and their deadlines until it is open again', () =>
    hall.with({ deadlineMs: 60_000 }, async (stage) => {
      const { id } = await stage.onePlaced();
      stage.sim.control({ revokeKeys: [0] });
      const step = await stage.track(id);
      expect(step.kind).toBe('wait');
      expect(waitOf(step)).toBeGreaterThan(25_000);
      expect(stage.lane.state).toBe('denied');
      const asked = stage.sim.state().requests;
      stage.clock.shift(3_600_000);
      expect((await stage.track(id)).kind).toBe('wait');
      expect(stage.sim.state().requests).toBe(asked);
      expect((await stage.attempt(id)).state).toBe('placed');
    }));

  it('leaves its calls to another key of the account', () =>
    hall.with({ keys: ['a', 'b'] }, async (stage) => {
      const [a, b] = stage.lanes;
      const { id } = await stage.onePlaced({}, a);
      await stage.ledger.lanes.deny(a!.id, 'revoked');
      a!.state = 'denied';
      await stage.follow(id, a);
      expect(await stage.attempt(id)).toMatchObject({ state: 'done', key: 'b' });
      expect(b!.state).toBe('open');
    }));
});

it('a call that another process follows is left to it', () =>
  hall.with({}, async (stage) => {
    const { campaign, id } = await stage.onePlaced();
    await stage.ledger.campaigns.take(campaign, randomUUID());
    expect(await stage.track(id)).toMatchObject({ kind: 'drop' });
    // A run that is gone follows nothing any more.
    await hall.books.sql(
      `update carillon.campaigns set run_seen_at = now() - interval '1 minute' where id = $1`,
      [campaign],
    );
    expect((await stage.track(id)).kind).not.toBe('drop');
  }));

describe('a transcript', () => {
  it('is waited for when it comes late', async () => {
    const simulator = {
      shares: { answered: 1 },
      faults: [{ kind: 'late-transcript', ms: 1_800_000 }],
    } as const;
    await hall.with({ simulator }, async (stage) => {
      const { id } = await stage.onePlaced();
      stage.clock.freeze();
      await until(
        async () => stage.sim.state().ended.completed ?? 0,
        (ended) => ended === 1,
      );
      const held = await stage.track(id);
      expect(held.kind).toBe('wait');
      expect(Math.abs(waitOf(held) - 2_000)).toBeLessThan(100);
      const { callId } = await stage.attempt(id);
      await until(
        () => stage.lane.client.get({ id: callId! }),
        (answer) => answer.ok && answer.value.kept.transcript !== null,
      );
      expect((await stage.track(id)).kind).toBe('done');
      expect((await stage.attempt(id)).transcript).toBeTruthy();
    });
  });

  it('is no longer waited for once it is known that the service gives none', async () => {
    const never = {
      shares: { answered: 1 },
      speed: 3_600,
      faults: [{ kind: 'late-transcript', ms: 86_400_000 }],
    } as const;
    await hall.with({ simulator: never }, async (stage) => {
      const polls: number[] = [];
      const campaign = await stage.campaign({ people: 5 });
      for (let i = 0; i < 5; i++) {
        const id = await stage.planOne(campaign);
        await stage.dial(id);
        const all = stage.sim.state();
        await until(
          async () => stage.sim.state().ended.completed ?? 0,
          (ended) => ended === i + 1,
        );
        let asked = 0;
        while ((await stage.track(id)).kind === 'wait') asked += 1;
        polls.push(asked);
        expect(all.created).toBe(i + 1);
        expect((await stage.attempt(id)).transcript).toBeNull();
      }
      expect(polls).toEqual([3, 3, 3, 0, 0]);
    });
  });
});
