import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../simulator/faults.ts';
import { person, suppress } from '../ledger/support.ts';
import { runs } from '../support/property.ts';
import { until } from '../support/until.ts';
import { delayAnswers, type Stage, type StageOptions, shareHall, zoneAt } from './support.ts';

/** A create without an answer, at a service that promises one call for one idempotency key. */
const hall = await shareHall();

const day = 86_400;
const promises = (options: StageOptions = {}): StageOptions => ({
  profile: { idempotency: { header: 'Idempotency-Key', holdsSeconds: day } },
  ...options,
  simulator: { idempotencyMs: day * 1_000, ...options.simulator },
});
const lost = (rule: Partial<FaultRule> = {}) =>
  promises({ simulator: { faults: [{ kind: 'error', when: 'after', next: 1, ...rule }] }, timeoutMs: 600 });

/** One whose create got no answer. */
async function one(stage: Stage, wish: Parameters<Stage['campaign']>[0] = {}) {
  const { campaign, id } = await stage.onePlanned({ ...wish });
  await stage.dial(id);
  return { campaign, id };
}
const due = (stage: Stage) =>
  stage.books.sql("update carillon.attempts set look_at = null where look_at < now() + interval '1 day'");
/** The service is asked now about everything in doubt. */
async function ask(stage: Stage) {
  await due(stage);
  await stage.stations.look();
}
const kept = async (stage: Stage, id: string) =>
  (
    await stage.books.sql<{ sent: string | null; until: Date | null }>(
      'select sent, repeat_until as until from carillon.attempts where id = $1',
      [id],
    )
  )[0];
const posts = (stage: Stage) => [...stage.sim.journal({ method: 'POST' })].length;

describe('a create without an answer is sent again with its key and its bytes', () => {
  it.each<[string, Partial<FaultRule>]>([
    ['a 500 after the call was made', { when: 'after' }],
    ['a 500 before', { when: 'before' }],
    ['a reset after the call was made', { kind: 'reset', when: 'after' }],
    ['a reset before', { kind: 'reset', when: 'before' }],
    ['an answer that never comes', { kind: 'hang' }],
    ['an answer that is cut', { kind: 'cut' }],
    ['broken JSON', { kind: 'broken-json' }],
  ])('after %s, and there is one call', async (_what, rule) => {
    const faults = [{ kind: 'error' as const, next: 1, ...rule }];
    await hall.with({ ...lost(), simulator: { idempotencyMs: day * 1_000, faults } }, async (stage) => {
      const { campaign, id } = await one(stage);
      expect(await stage.attempt(id)).toMatchObject({ state: 'unknown' });
      expect((await kept(stage, id))!.sent).toContain('+1415555');
      await stage.stations.look();
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed', requests: 2 });
      expect([stage.created(), posts(stage)]).toEqual([1, 2]);
      // What was sent is forgotten with the answer.
      expect(await kept(stage, id)).toEqual({ sent: null, until: null });
      expect(await stage.jobs('track')).toEqual([id]);
      expect(await stage.states(campaign)).toEqual(['calling']);
    });
  });

  it('after its process died, by another one, and the late answer of the first is about the same call', () =>
    hall.with(promises(), async (stage) => {
      const { id } = await stage.onePlanned();
      const { lane, reached, release } = delayAnswers(stage.lane);
      const dialled = stage.dial(id, lane);
      await reached(1);
      await stage.crash();
      await stage.stations.look();
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed' });
      release();
      await dialled;
      expect([stage.created(), posts(stage)]).toEqual([1, 2]);
      expect((await stage.ledger.lanes.list())[0]!.state).toBe('open');
    }));

  it('and the limits of a person and of a number count its call from then, as the first may never have arrived', () =>
    hall.with(lost({ when: 'before' }), async (stage) => {
      const { id } = await one(stage);
      await stage.books.sql(
        `update carillon.attempts set dialing_at = now() - interval '20 hours', caller = '{"number": "+14155550000"}'
         where id = $1`,
        [id],
      );
      await ask(stage);
      const { phone } = await stage.attempt(id);
      const counted = async () => {
        const [row] = await stage.books.sql(
          `select (select h.rule from carillon.judge_phones(array[$1], null, clock_timestamp(),
              '[{"calls": 1, "seconds": 7200}]', null, null) h) as rule,
            (select max(x) > now() - interval '1 hour'
              from carillon.caller_calls('+14155550000', null, clock_timestamp()) x) as late`,
          [phone],
        );
        return row;
      };
      expect(await counted()).toEqual({ rule: 'cap', late: true });
      await until(
        () => stage.sim.state(),
        (state) => state.inFlight === 0,
      );
      await stage.settle(id);
      expect(await counted()).toEqual({ rule: 'cap', late: true });
    }));

  it('and not beyond the calls at once of its number, if it lost its place there meanwhile', () =>
    hall.with(lost({ when: 'before' }), async (stage) => {
      const from = { callers: [{ number: '+14155550100' }], perNumberCalls: 1 };
      const { id } = await one(stage, from);
      await stage.books.sql(`update carillon.attempts set phone_until = now() where id = $1`, [id]);
      const other = await stage.onePlanned(from);
      await stage.dial(other.id);
      expect(await stage.attempt(other.id)).toMatchObject({ state: 'placed' });
      await ask(stage);
      expect(await stage.attempt(id)).toMatchObject({ state: 'unknown', requests: 1 });
      await until(
        () => stage.sim.state(),
        (state) => state.inFlight === 0,
      );
      await stage.settle(other.id);
      await ask(stage);
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed', requests: 2 });
    }));

  it('with other words of its person, another agent and order since: the bytes stay', () =>
    hall.with(lost(), async (stage) => {
      const { campaign, id } = await one(stage);
      await stage.books.sql(
        `update carillon.recipients set name = 'Other', variables = '{"a": 1}' where campaign_id = $1`,
        [campaign],
      );
      await stage.books.sql(
        `update carillon.campaigns set terms = terms || '{"override": {"a": 2}}' where id = $1`,
        [campaign],
      );
      await ask(stage);
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed' });
    }));

  it('whatever its words hold: the ledger gives back the bytes that left', () =>
    hall.with(promises(), async (stage) => {
      const { id } = await stage.onePlanned();
      await stage.admit(id, { laneId: stage.lane.id } as never);
      const ticket = '00000000-0000-4000-8000-000000000001';
      await stage.books.sql('update carillon.attempts set ticket = $2 where id = $1', [id, ticket]);
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'binary' }),
          fc.dictionary(fc.string(), fc.anything({ maxDepth: 2 })),
          async (name, variables) => {
            const written = stage.lane.client.write(
              { agentId: 'a', phone: '+14155550100', name, override: variables },
              `${id}-1`,
            )!;
            await stage.ledger.attempts.keepSent({ id, ticket, sent: JSON.stringify(written), seconds: 600 });
            expect(JSON.parse((await kept(stage, id))!.sent!)).toEqual(written);
          },
        ),
        { numRuns: runs(60) },
      );
    }));

  it('again and again while the service fails, and while another one is in progress', async () => {
    // The second one comes while the first is being carried out: 409.
    const faults: FaultRule[] = [
      { kind: 'hang', when: 'before', ms: 1_200, next: 1 },
      { kind: 'error', when: 'before', at: [2, 3] },
    ];
    await hall.with({ ...lost(), simulator: { idempotencyMs: day * 1_000, faults } }, async (stage) => {
      const { id } = await one(stage);
      await ask(stage);
      expect([...stage.sim.journal({ method: 'POST' })].map(({ answer }) => answer)).toContain(409);
      await until(
        async () => {
          await ask(stage);
          return (await stage.attempt(id)).state;
        },
        (state) => state === 'placed',
      );
      expect(stage.created()).toBe(1);
    });
  });
});

describe('a create is not sent again', () => {
  const stays = async (stage: Stage, id: string, reason = 'lost') => {
    expect(await stage.attempt(id)).toMatchObject({ state: 'unknown', reason });
    expect(posts(stage)).toBe(1);
  };

  it('by a service that promises nothing', () =>
    hall.with({ simulator: lost().simulator!, timeoutMs: 600 }, async (stage) => {
      const { id } = await one(stage);
      await ask(stage);
      await stays(stage, id);
      expect((await kept(stage, id))!.sent).toBe(null);
    }));

  it('once the service may have forgotten its key: it is unknown then, and its words are erased', () =>
    hall.with(lost(), async (stage) => {
      const { id } = await one(stage);
      const promised =
        (await kept(stage, id))!.until!.getTime() - (await stage.attempt(id)).dialingAt!.getTime();
      // An hour of a day is left.
      expect(promised).toBe((day - 3_600) * 1_000);
      // The answer would come a moment too late.
      await stage.books.sql(
        `update carillon.attempts set repeat_until = clock_timestamp() + interval '0.5 s' where id = $1`,
        [id],
      );
      await ask(stage);
      await stays(stage, id);
      expect((await kept(stage, id))!.sent).toBe(null);
      expect((await stage.ledger.unknowns.get(id))!.looked!.why).toMatch(/no longer promises/);
      await ask(stage);
      await stays(stage, id);
    }));

  it('while something forbids a call, and is when nothing does any more', () =>
    hall.with(promises({ timeoutMs: 600 }), async (stage) => {
      const forbids: Record<
        string,
        [
          stop: (campaign: string, id: string) => Promise<unknown>,
          go: ((campaign: string) => Promise<unknown>) | null,
        ]
      > = {
        'a pause': [
          (c) => stage.ledger.campaigns.pause([c], 'by hand'),
          (c) => stage.ledger.campaigns.resume(c),
        ],
        'a cancel': [(c) => stage.ledger.campaigns.cancel(c), null],
        'a suppression': [
          async (_c, id) => suppress(stage.ledger, [(await stage.ledger.attempts.load(id))!.phone]),
          null,
        ],
        'a closed key': [
          () => stage.ledger.lanes.deny(stage.lane.id, 'no'),
          () => stage.ledger.lanes.open(stage.lane.id),
        ],
      };
      let before = 0;
      for (const [what, [stop, go]] of Object.entries(forbids)) {
        stage.sim.control({ addFaults: [{ kind: 'error', when: 'after', next: 1 }] });
        const { campaign, id } = await one(stage);
        await stop(campaign, id);
        await ask(stage);
        before += 1;
        expect([what, (await stage.attempt(id)).state, posts(stage)]).toEqual([what, 'unknown', before]);
        if (go === null) continue;
        await go(campaign);
        await ask(stage);
        before += 1;
        expect([what, (await stage.attempt(id)).state, posts(stage)]).toEqual([what, 'placed', before]);
      }
    }));

  it('outside the hours of its person', () =>
    hall.with(lost(), async (stage) => {
      const campaign = await stage.campaign({
        times: { hours: [{ from: 11 * 60, to: 13 * 60 + 30, days: [1, 2, 3, 4, 5, 6, 7] }] },
      });
      await stage.add(campaign, [person(700, { place: zoneAt(12, stage.clock.now()) })]);
      const id = await stage.planOne(campaign);
      await stage.dial(id);
      stage.clock.shift(2 * 3_600_000);
      await ask(stage);
      await stays(stage, id);
      stage.clock.shift(-2 * 3_600_000);
      await ask(stage);
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed' });
    }));

  it('that came too late after its commit, and not twice at once', () =>
    hall.with(lost(), async (stage) => {
      const { id } = await one(stage);
      const pass = stage.lane.sendGate.pass;
      stage.lane.sendGate.pass = async (token) => {
        stage.clock.shift(3_000);
        return pass(token);
      };
      await ask(stage);
      await stays(stage, id);
      stage.lane.sendGate.pass = pass;
      const before = await stage.books.sql<{ ticket: string }>(
        'select ticket from carillon.attempts where id = $1',
        [id],
      );
      // Two claims of one attempt: the second finds another ticket.
      const { toLook } = stage.ledger.unknowns;
      const claim = async () => {
        await due(stage);
        return (await toLook([stage.lane.id], 1, 60, false, null))[0]!;
      };
      const both = [await claim(), await claim()];
      expect(before[0]!.ticket).toBe(both[0]!.ticket);
      stage.ledger.unknowns.toLook = async () => both;
      await stage.stations.look();
      stage.ledger.unknowns.toLook = toLook;
      expect([(await stage.attempt(id)).state, posts(stage), stage.created()]).toEqual(['placed', 2, 1]);
    }));

  it('under another body: the service says so, and it is never asked again', () =>
    hall.with(lost(), async (stage) => {
      const { id } = await one(stage);
      await stage.books.sql(
        `update carillon.attempts set sent = replace(sent, '{\\"agent_id', '{ \\"agent_id') where id = $1`,
        [id],
      );
      for (let i = 0; i < 2; i++) await ask(stage);
      expect((await stage.ledger.unknowns.get(id))!.looked!.why).toMatch(/422.*Another body/);
      expect([(await stage.attempt(id)).state, posts(stage), stage.created()]).toEqual(['unknown', 2, 1]);
    }));

  it('for a person who was erased, or in history that is lost', () =>
    hall.with(lost({ next: 2 }), async (stage) => {
      const first = await one(stage);
      const second = await one(stage);
      const { phone } = (await stage.ledger.attempts.load(first.id))!;
      await stage.books.sql('select carillon.erase($1, $2, null, null)', [phone, 'a.b']);
      expect((await kept(stage, first.id))!.sent).toBe(null);
      await stage.books.sql("select carillon.lose_history('intents')");
      expect((await kept(stage, second.id))!.sent).toBe(null);
      await stage.books.sql('select carillon.confirm_history()');
    }));
});

describe('what an answer to the second request means', () => {
  it('a refusal of the person ends the attempt, and one of the order frees nobody', () =>
    hall.with(lost({ when: 'before', next: 2 }), async (stage) => {
      const person = await one(stage);
      const order = await one(stage);
      stage.sim.control({
        refused: [(await stage.ledger.attempts.load(person.id))!.phone],
        unknownAgents: [],
      });
      await stage.books.sql("update carillon.attempts set look_at = 'infinity' where id = $1", [order.id]);
      await stage.stations.look();
      expect(await stage.states(person.campaign)).toEqual(['rejected']);
      stage.sim.control({ refused: [], unknownAgents: ['agent-1'] });
      await stage.books.sql('update carillon.attempts set look_at = null where id = $1', [order.id]);
      await stage.stations.look();
      expect(await stage.states(order.campaign)).toEqual(['unknown']);
      expect((await stage.ledger.unknowns.get(order.id))!.looked!.why).toMatch(/404/);
      expect(stage.created()).toBe(0);
    }));

  it('a refusal of one number does not turn to the next, as the first request may have called', () =>
    hall.with(lost({ when: 'before' }), async (stage) => {
      const { campaign, id } = await one(stage);
      const { phone } = (await stage.ledger.attempts.load(id))!;
      await stage.books.sql('update carillon.attempts set keeps = array[phone, $2] where id = $1', [
        id,
        '+14155559999',
      ]);
      stage.sim.control({ refused: [phone] });
      await ask(stage);
      expect(await stage.states(campaign)).toEqual(['unknown']);
      expect([stage.created(), posts(stage)]).toEqual([0, 2]);
    }));

  it('no rule redials somebody whose create is still asked about', () =>
    hall.with(lost({ next: 5 }), async (stage) => {
      const { campaign } = await one(stage, { onUnknown: 'redial' });
      await stage.age();
      await stage.stations.reconcile.round();
      expect(await stage.states(campaign)).toEqual(['unknown']);
      await stage.books.sql('update carillon.attempts set repeat_until = now() where sent is not null');
      await stage.stations.reconcile.round();
      expect(await stage.states(campaign)).toEqual(['waiting']);
    }));

  it('two calls under one key are found out by the late answer: both are shown, and the key is closed', () =>
    hall.with(promises({ simulator: { idempotencyMs: 0 } }), async (stage) => {
      const { id } = await stage.onePlanned();
      const { lane, reached, release } = delayAnswers(stage.lane);
      const dialled = stage.dial(id, lane);
      await reached(1);
      await stage.crash();
      await stage.stations.look();
      const { callId } = await stage.attempt(id);
      release();
      await dialled;
      expect(stage.created()).toBe(2);
      const first = [...stage.sim.journal({ method: 'POST' })][0]!.call;
      expect((await stage.ledger.lanes.list()).find((each) => each.id === stage.lane.id)).toMatchObject({
        state: 'denied',
        reason: `one idempotency key made two calls: ${callId} and ${first}`,
      });
      const { recipientId } = await stage.attempt(id);
      const told = await stage.ledger.calls.history(recipientId, 100);
      expect(told.map(({ kind, detail }) => `${kind} ${detail}`)).toContain(`late-call ${first}`);
    }));
});
