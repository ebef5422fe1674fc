import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastCampaign } from '../../src/control/campaigns/forecast.ts';
import { reportCampaign } from '../../src/control/campaigns/report.ts';
import { showCampaignSeries } from '../../src/control/campaigns/series.ts';
import { showCampaign } from '../../src/control/campaigns/show.ts';
import { lateRecord, settle } from '../../src/dispatch/settle.ts';
import { standard } from '../../src/voice/load-service.ts';
import { createReader } from '../../src/voice/read-answer.ts';
import { runs } from '../support/property.ts';
import { until } from '../support/until.ts';
import { type Stage, shareHall } from './support.ts';

/** One row in which the ledger fails, in each loop and batch: the others go on, and the alert has its id. */
const hall = await shareHall();
await hall.books.sql(`create function public.poison() returns trigger language plpgsql as $$ begin
  if coalesce(to_jsonb(new), to_jsonb(old)) ->> tg_argv[0] = tg_argv[1] then
    raise exception 'value out of range: overflow' using errcode = '22003';
  end if;
  return coalesce(new, old);
end $$`);

/** From now on, to the end of the work, the ledger cannot write this row. */
async function poisoned(table: string, column: string, value: string, work: () => Promise<unknown>) {
  await hall.books.sql(`create trigger poison before insert or update or delete on carillon.${table}
    for each row execute function public.poison('${column}', '${value}')`);
  try {
    await work();
  } finally {
    await hall.books.sql(`drop trigger poison on carillon.${table}`);
  }
}

const aside = (stage: Stage) => stage.stations.asides.list().map(({ id }) => id);
const states = async (stage: Stage, ids: string[]) =>
  Promise.all(ids.map(async (id) => (await stage.attempt(id)).state));
const swap = (all: string[], bad: string, is: string, others: string) =>
  all.map((id) => (id === bad ? is : others));

/** Seven attempts, of which the fourth cannot be written. */
async function seven(stage: Stage, order: Parameters<Stage['campaign']>[0] = {}) {
  const campaign = await stage.campaign({ people: 7, ...order });
  const ids = await stage.planOn(stage.lane.id, campaign, 7);
  return { campaign, ids, bad: ids[3]! };
}

/** Three campaigns, of which the second cannot be written. */
async function three(stage: Stage, order: Parameters<Stage['campaign']>[0] = {}) {
  const all = [];
  for (let n = 0; n < 3; n += 1) all.push(await stage.campaign({ people: 2, ...order }));
  return { all, bad: all[1]! };
}

describe('one row that the ledger cannot write', () => {
  it('is left out of a plan when its costs cannot be added', () => {
    let bad: string | undefined;
    const fails: Stage['ledger']['lanes']['plannable'] = async () => {
      throw Object.assign(new Error('value out of range: overflow'), { code: '22003' });
    };
    const through = (ledger: Stage['ledger']) => {
      const plannable: typeof fails = (...asked) =>
        (asked[3] ?? [bad]).includes(bad!) ? fails(...asked) : ledger.lanes.plannable(...asked);
      return { ...ledger, lanes: { ...ledger.lanes, plannable } };
    };
    return hall.with({ through }, async (stage) => {
      const { all, bad: one } = await three(stage);
      bad = one;
      expect(await stage.stations.plan()).toBe(4);
      expect(aside(stage)).toEqual([bad]);
      expect(await stage.states(all[2]!)).toEqual(['queued', 'queued']);
    });
  });

  it('is left out of the turns of a lane', () =>
    hall.with({}, async (stage) => {
      const { all, bad } = await three(stage);
      await poisoned('shares', 'campaign_id', bad, async () => {
        expect(await stage.stations.plan()).toBe(4);
        expect(aside(stage)).toEqual([bad]);
      });
      const found = await Promise.all(all.map((id) => stage.states(id)));
      expect(found.flat()).toEqual(['queued', 'queued', 'waiting', 'waiting', 'queued', 'queued']);
    }));

  it('is a person who is put off, and the others of the campaign are planned', () =>
    hall.with({}, async (stage) => {
      const { id } = await stage.ledger.campaigns.get(await stage.campaign({ people: 7 }));
      const [, , third] = await stage.people(id);
      await poisoned('attempts', 'recipient_id', String(third!.id), async () => {
        expect(await stage.stations.plan()).toBe(6);
        expect(aside(stage)).toEqual([String(third!.id)]);
      });
      const states = await stage.states(id);
      expect([states[2], states.filter((state) => state === 'queued').length]).toEqual(['waiting', 6]);
    }));

  it('is passed over by the probe of a key that rests, which asks with the next', () =>
    hall.with({}, async (stage) => {
      const { ids } = await seven(stage);
      await stage.books.sql(`update carillon.lanes set state = 'failing', probe_at = now() where id = $1`, [
        stage.lane.id,
      ]);
      // Other loops set aside people and their own rounds.
      stage.stations.asides.fail('planner', '17', Object.assign(new Error('overflow'), { code: '22003' }));
      await poisoned('attempts', 'id', ids[0]!, async () => {
        await stage.stations.probe();
        expect(aside(stage)).toEqual(['17', ids[0]]);
        expect(await stage.jobs('dial')).toEqual([ids[1]]);
      });
    }));

  it('is settled by itself, and the six of its batch are done', () =>
    hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
      const { ids, bad } = await seven(stage);
      for (const id of ids) await stage.dial(id);
      await until(
        () => stage.sim.state(),
        (state) => state.inFlight === 0,
      );
      await poisoned('ended_attempts', 'id', bad, async () => {
        const done = await Promise.allSettled(ids.map((id) => stage.settle(id)));
        expect(done.map(({ status }) => status)).toEqual(swap(ids, bad, 'rejected', 'fulfilled'));
        expect(await states(stage, ids)).toEqual(swap(ids, bad, 'placed', 'done'));
      });
      expect(await stage.settle(bad)).toBe(true);
    }));

  it.each([
    ['opened', 'dialing', async (stage: Stage, id: string) => expect(await stage.admit(id)).toBe('open')],
    [
      'given back',
      'dropped',
      (stage: Stage, id: string) => stage.ledger.attempts.giveBack({ id, why: 'shut' }),
    ],
    ['held', 'dropped', (stage: Stage, id: string) => stage.ledger.attempts.hold(id)],
  ] as const)('is not %s, and the six of its batch are', (_, state, move) =>
    hall.with({}, async (stage) => {
      const { ids, bad } = await seven(stage);
      await poisoned('attempts', 'id', bad, async () => {
        await Promise.allSettled(ids.map((id) => move(stage, id)));
        const found = await hall.books.sql<{ id: string; state: string }>(
          'select id, state from carillon.all_attempts where id = any ($1) order by id',
          [ids],
        );
        const now = new Map(found.map((each) => [each.id, each.state]));
        expect(ids.map((id) => now.get(id))).toEqual(swap(ids, bad, 'planned', state));
      });
    }),
  );

  it('is left out by the reconciler, whose other steps and rows go on', () =>
    hall.with({}, async (stage) => {
      const { ids, bad, campaign } = await seven(stage, { onUnknown: 'redial' });
      for (const id of ids) expect(await stage.admit(id)).toBe('open');
      await stage.age();
      await poisoned('attempts', 'id', bad, async () => {
        await stage.stations.reconcile.round();
        expect(aside(stage)).toEqual([bad]);
        const waiting = (await stage.states(campaign)).filter((state) => state === 'waiting');
        expect(waiting).toHaveLength(6);
      });
      stage.clock.shift(6_000);
      const folded = await stage.campaign({ people: 1 });
      const other = await stage.campaign({ people: 1 });
      await poisoned('tallies', 'campaign_id', folded, async () => {
        await stage.stations.reconcile.round();
        expect(aside(stage)).toContain(folded);
        const left = await stage.ledger.tallies.unfolded();
        expect([left.includes(folded), left.includes(other)]).toEqual([true, false]);
      });
    }));

  it('does not keep other campaigns from ending, from being swept or from stopping', () =>
    hall.with({}, async (stage) => {
      const { all, bad } = await three(stage, { first: 1 });
      for (const campaign of all) {
        const id = await stage.planOne(campaign);
        await hall.books.sql(
          'update carillon.recipients set is_first = true where campaign_id = $1 and state = $2',
          [campaign, 'live'],
        );
        await stage.call(id);
        await stage.settle(id);
      }
      const stateOf = async (id: string) => (await stage.ledger.campaigns.get(id)).state;
      await poisoned('campaigns', 'id', bad, async () => {
        await stage.stations.brake();
        expect(await Promise.all(all.map(stateOf))).toEqual(swap(all, bad, 'running', 'paused'));
      });
      for (const id of all) await stage.ledger.campaigns.cancel(id);
      await hall.books.sql(`update carillon.campaigns set sweep = 'enough' where id = any ($1)`, [all]);
      await hall.books.sql(
        `update carillon.recipients set state = 'waiting', reason = null where campaign_id = any ($1) and state = 'skipped'`,
        [all],
      );
      await poisoned('recipients', 'campaign_id', bad, async () => {
        await stage.stations.sweep();
        const found = await Promise.all(all.map((id) => stage.states(id)));
        expect(found.map((each) => each.includes('waiting'))).toEqual([false, true, false]);
        expect(aside(stage)).toContain(bad);
      });
    }));
});

/** What a service may say of a call: of each field a value of its kind, or anything. */
const anything = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      1.3e154,
      -1_000,
      1e-200,
      1.7e308,
      Number.MAX_VALUE,
      5e-324,
      '1e400',
      'NaN',
    ),
  },
  { weight: 2, arbitrary: fc.double() },
  fc.constantFrom<unknown>(
    '99999-01-01T00:00:00Z',
    '0000-01-01',
    '\0',
    '\ud800',
    'x'.repeat(300_000),
    0.1,
    60,
    null,
    [],
    {},
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
const fields =
  'duration cost created_at updated_at transcript recording_url structured_data provider_call_sid direction contact_id metadata org_id agent_id mood'.split(
    ' ',
  );
const record = fc.record(Object.fromEntries(fields.map((name) => [name, anything])), { requiredKeys: [] });

it('whatever a service says of a call, it is settled, and every figure of it can be read', () =>
  hall.with({}, async (stage) => {
    const { ledger, clock } = stage;
    const campaign = await stage.campaign({ people: 400 });
    // Its price is what those calls cost.
    const frugal = await stage.campaign({ maxCost: 1_000 });
    const reader = createReader(standard(), (path) => path);
    const read = (id: string, given: object) =>
      reader.call({ ...given, id, status: 'completed' }, '', clock.now())!;
    await fc.assert(
      fc.asyncProperty(record, record, async (given, late) => {
        const id = await stage.planOne(campaign);
        await stage.call(id);
        const attempt = (await ledger.attempts.load(id))!;
        expect(await settle({ ledger, clock, optOut: [] }, attempt, 'answered', read('c', given))).toBe(true);
        await ledger.refreshes.keep({ id, asked: 1, next: null, over: true, ...lateRecord(read('c', late)) });
        await ledger.tallies.fold();
        const { total } = await reportCampaign(ledger, campaign, {});
        expect(total.cost === null || (total.cost >= 0 && total.cost <= 1e5 * total.calls)).toBe(true);
        for (const each of [campaign, frugal]) await showCampaign(ledger, each);
        await showCampaignSeries({ ledger, clock }, campaign, {});
        await ledger.lanes.plannable(null, null, 10);
        await ledger.budgets.near(0.8);
        await ledger.lanes.list();
        await forecastCampaign({ ledger, lanes: stage.lanes, clock }, campaign);
      }),
      { numRuns: runs(25) },
    );
  }));
