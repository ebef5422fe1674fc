import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createAttempts } from '../../src/ledger/attempts/attempts.ts';
import { openDatabase } from '../../src/ledger/database.ts';
import { takeRunLock } from '../../src/run/prepare.ts';
import { runs } from '../support/property.ts';
import { type House, openerOn, person, persons, shareBooks, suppress, tally } from './support.ts';

const books = await shareBooks();

const runId = '00000000-0000-4000-8000-0000000000aa';

/** The same ledger through the connections of another process. */
const elsewhere = openDatabase(books.url, { max: 4 });
afterAll(() => elsewhere.close());
const other = createAttempts(elsewhere);

/** Admits all of these from two processes at once, each with its own statements. */
async function admitAll(house: House, ids: string[], laneCap: number | null = null) {
  const loaded = (await Promise.all(ids.map((id) => house.ledger.attempts.load(id)))).filter(
    (each) => each !== null,
  );
  return Promise.all(
    loaded.flatMap(({ id, revision, laneId }) => [
      house.ledger.attempts.open({ id, revision }, { ...openerOn(laneId), dialer: 'here', laneCap }),
      other.open({ id, revision }, { ...openerOn(laneId), dialer: 'there', laneCap }),
    ]),
  );
}

describe('admission', () => {
  it('is given once, however many dialers ask at once', async () => {
    const { house, id } = await books.planned({ people: 1 });
    const { revision, laneId } = (await house.ledger.attempts.load(id))!;
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? other : house.ledger.attempts).open(
          { id, revision },
          { ...openerOn(laneId), dialer: `dialer-${i}` },
        ),
      ),
    );
    expect(tally(verdicts)).toEqual({ open: 1, moved: 49 });
    const attempt = await house.attempt(id);
    expect(attempt).toMatchObject({ state: 'dialing', requests: 1, recipientState: 'calling' });
  });

  it('is given once to jobs of one process that meet at the same moment', async () => {
    const { house, campaign } = await books.campaign({ people: 2 });
    const [id, other] = await house.plan(campaign);
    const { revision, laneId } = (await house.ledger.attempts.load(id!))!;
    const by = { ...openerOn(laneId), laneCap: 1 };
    const asked = [id!, id!, other!, id!, other!, id!].map((each) =>
      house.ledger.attempts.open({ id: each, revision }, by),
    );
    expect((await Promise.all(asked)).sort()).toEqual(['full', 'moved', 'moved', 'moved', 'moved', 'open']);
  });

  it('of many attempts by two processes admits each of them once', async () => {
    const { house, campaign, ids } = await books.planned({ people: 100 });
    expect(tally(await admitAll(house, ids))).toEqual({ open: 100, moved: 100 });
    expect(tally(await house.states(campaign))).toEqual({ calling: 100 });
  });

  it('is refused, and says why', async () => {
    const house = books.house();
    const refused = async (spoil: (campaign: string, id: string) => Promise<unknown>) => {
      const campaign = await house.campaign({ people: 1 });
      const [id] = await house.plan(campaign);
      const attempt = (await house.ledger.attempts.load(id!))!;
      await spoil(campaign, id!);
      const by = openerOn(attempt.laneId);
      const verdict = await house.ledger.attempts.open({ id: id!, revision: attempt.revision }, by);
      expect((await house.attempt(id!)).state).not.toBe('dialing');
      return verdict;
    };
    const { campaigns, attempts, lanes } = house.ledger;
    expect(await refused((campaign) => campaigns.pause([campaign], 'a person'))).toBe('paused');
    expect(await refused((_, id) => attempts.skip(id, 'gone'))).toBe('moved');
    expect(await refused((campaign) => campaigns.take(campaign, runId))).toBe('elsewhere');
    expect(await refused((campaign) => campaigns.resume(campaign))).toBe('changed');
    // Only the state: a cancel takes the plans back, and only one that crossed with it is met here.
    const cancel = `update carillon.campaigns set state = 'canceled', sweep = 'campaign canceled' where id = $1`;
    expect(await refused((campaign) => books.sql(cancel, [campaign]))).toBe('canceled');
    const suppress = `insert into carillon.suppressions (phone) values ($1)`;
    let victim = '';
    const bar = async (_: string, id: string) => {
      victim = (await house.attempt(id)).phone;
      await books.sql(suppress, [victim]);
    };
    expect(await refused(bar)).toBe('suppressed');
    await house.ledger.suppressions.remove([victim]);
    expect(await refused(async () => lanes.deny(await house.lane(), 'no'))).toBe('closed');
    await house.ledger.campaigns.sweep(house.baseUrl);
  });

  it('of a run’s campaign is given only to that run', async () => {
    const { house, campaign } = await books.campaign({ people: 2, driver: 'run', state: 'draft' });
    await house.ledger.campaigns.take(campaign, runId);
    await books.sql('update carillon.campaigns set proved = true where id = $1', [campaign]);
    const [first, second] = await house.plan(campaign);
    expect(await house.admit(first!)).toBe('elsewhere');
    expect(await house.admit(first!, { runId: '00000000-0000-4000-8000-0000000000bb' })).toBe('elsewhere');
    expect(await house.admit(first!, { runId })).toBe('open');
    const lock = await takeRunLock(house.ledger, campaign, 'people');
    expect(await house.ledger.campaigns.resume(campaign)).toBe('run');
    expect(await house.admit(second!, { runId })).toBe('open');
    await lock.release();
  });

  it('of an attempt that does not exist is refused', async () => {
    const house = books.house();
    const by = openerOn(await house.lane());
    expect(await house.ledger.attempts.open({ id: runId, revision: 0 }, by)).toBe('moved');
  });

  it('is never given after a pause was committed', async () => {
    const house = books.house();
    for (let round = 0; round < 5; round++) {
      const campaign = await house.campaign({ people: 40 });
      const ids = await house.plan(campaign);
      const admissions = admitAll(house, ids);
      await house.ledger.campaigns.pause([campaign], 'a person');
      const dialingNow = async () => (await house.ledger.reports.standing(campaign)).dialing;
      const atPause = await dialingNow();
      await admissions;
      expect(await dialingNow()).toBe(atPause);
    }
  });
});

describe('a cap', () => {
  it('on a campaign’s calls is never exceeded', async () => {
    const { house, campaign, ids } = await books.planned({ people: 60, maxCalls: 7 });
    const verdicts = await admitAll(house, ids);
    expect(tally(verdicts).open).toBe(7);
    expect((await house.ledger.reports.standing(campaign)).dialing).toBe(7);
    const open = (await Promise.all(ids.map((id) => house.attempt(id)))).filter(
      (each) => each.state === 'dialing',
    );
    await house.place(open[0]!.id);
    expect(tally(await admitAll(house, ids)).open).toBeUndefined();
    await house.settle(open[0]!.id);
    expect(tally(await admitAll(house, ids)).open).toBe(1);
  });

  it('lets one create at a time go out until the first was accepted', async () => {
    const { house, ids } = await books.planned({ people: 30, proved: false });
    const verdicts = tally(await admitAll(house, ids));
    expect(verdicts.open).toBe(1);
    const dialing = async () =>
      (await Promise.all(ids.map((id) => house.attempt(id)))).filter((each) => each.state === 'dialing');
    const [first] = await dialing();
    // A call without any news proves nothing.
    await house.ledger.attempts.lose({ id: first!.id, reason: 'lost', detail: 'reset' });
    expect(tally(await admitAll(house, ids)).open).toBe(1);
    const [second] = await dialing();
    await house.place(second!.id);
    expect(tally(await admitAll(house, ids)).open).toBe(28);
  });

  it('lets a run that continues a campaign try its order, whatever a run that died was dialling', async () => {
    const { house, campaign } = await books.campaign({ people: 5, driver: 'run', state: 'draft' });
    const by = { ...openerOn(await house.lane()), dialer: 'first-run', runId };
    await house.ledger.campaigns.take(campaign, runId);
    const [one, two, three, four] = await house.plan(campaign);
    const open = async (id: string, opener: typeof by) => {
      const { revision } = (await house.ledger.attempts.load(id))!;
      return house.ledger.attempts.open({ id, revision }, opener);
    };
    expect(await open(one!, by)).toBe('open');
    expect(await open(two!, by)).toBe('full');
    const next = { ...by, dialer: 'second-run', runId: '00000000-0000-4000-8000-0000000000bb' };
    await house.ledger.campaigns.take(campaign, next.runId);
    const trying = async (dialer: string) =>
      (await house.ledger.lanes.loads(dialer)).find((load) => load.campaignId === campaign);
    expect(await trying('second-run')).toMatchObject({ dialing: 1, trying: 0 });
    expect(await open(three!, next)).toBe('open');
    expect(await trying('second-run')).toMatchObject({ dialing: 2, trying: 1 });
    expect(await open(four!, next)).toBe('full');
  });

  it('on a key’s calls holds over all campaigns on it, and for each key separately', async () => {
    const house = books.house();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const campaign = await house.campaign();
      await house.add(campaign, persons(20, i * 100 + 1));
      ids.push(
        ...(await house.plan(campaign, 10, null, 'a')),
        ...(await house.plan(campaign, 10, null, 'b')),
      );
    }
    const verdicts = await admitAll(house, ids, 4);
    const attempts = (await Promise.all(ids.map((id) => house.attempt(id)))).filter(
      (each) => each.state === 'dialing',
    );
    expect(tally(attempts.map((each) => each.key))).toEqual({ a: 4, b: 4 });
    expect(tally(verdicts).open).toBe(8);
  });
});

describe('a suppression', () => {
  it('takes effect at once: people who wait, are planned or parked are skipped, not those being called', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(4, 1_001));
    const [calling, parked] = await house.plan(campaign, 2);
    const lane = await house.lane();
    await house.admit(parked!);
    await house.admit(calling!);
    await house.ledger.attempts.park(parked!, lane, 'no credit');
    await house.ledger.lanes.open(lane);
    await house.plan(campaign, 1);
    expect(await house.states(campaign)).toEqual(['calling', 'queued', 'queued', 'waiting']);
    const phones = persons(4, 1_001).map((each) => each.phone);
    const done = await suppress(house.ledger, [...phones, '+19995550000'], 'asked for it');
    expect(done).toEqual({ added: 5, skipped: 3, calls: [] });
    expect(await house.states(campaign)).toEqual(['calling', 'skipped', 'skipped', 'skipped']);
    expect(await house.faults()).toEqual([]);
    // A 429 puts the person back; the dialer asks again before it calls.
    await house.ledger.attempts.withhold({ id: calling!, sent: true, detail: 'busy' });
    expect(await house.admit(calling!)).toBe('suppressed');
    await house.ledger.attempts.skip(calling!, 'suppressed');
    expect(await house.states(campaign)).toEqual(['skipped', 'skipped', 'skipped', 'skipped']);
    expect(await suppress(house.ledger, phones, 'again')).toMatchObject({ added: 0, skipped: 0 });
    await house.ledger.suppressions.remove([...phones, '+19995550000']);
  });

  it('that crosses with a planner leaves a sound ledger, and nobody is called', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, [person(4_001)]);
    const lane = await house.lane();
    const planner = await books.connect();
    try {
      await planner.query('begin');
      const planned = await planner.query(
        `with made as (
           insert into carillon.attempts (campaign_id, recipient_id, lane_id, phone, number)
           select campaign_id, id, $2, phone, 1 from carillon.recipients where campaign_id = $1 returning id, recipient_id)
         update carillon.recipients r set state = 'live' from made m where r.id = m.recipient_id
         returning m.id`,
        [campaign, lane],
      );
      const suppressed = suppress(house.ledger, [person(4_001).phone], null);
      await books.blocked('%carillon.suppress(%');
      await planner.query('commit');
      await suppressed;
      expect(await house.faults()).toEqual([]);
      const id = planned.rows[0].id as string;
      expect(await house.admit(id)).toBe('suppressed');
      await house.ledger.attempts.skip(id, 'suppressed');
      expect(await house.states(campaign)).toEqual(['skipped']);
    } finally {
      planner.release();
      await house.ledger.suppressions.remove([person(4_001).phone]);
    }
  });

  it('while dialers are at work never leaves a suppressed person planned', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(80, 3_001));
    const ids = await house.plan(campaign);
    const phones = persons(80, 3_001).map((each) => each.phone);
    await Promise.all([admitAll(house, ids), suppress(house.ledger, phones, null)]);
    const states = tally(await house.states(campaign));
    expect((states.calling ?? 0) + (states.skipped ?? 0)).toBe(80);
    expect(await house.faults()).toEqual([]);
    await house.ledger.suppressions.remove(phones);
  });
});

describe('whatever becomes of its calls and of the runs before it', () => {
  /** What may happen next, and to which of the attempts. */
  const act = fc.record({
    what: fc.constantFrom(
      'open',
      'open',
      'open',
      'end',
      'withhold',
      'lose',
      'refuse',
      'broke',
      'kill',
      'free',
      'unsent',
    ),
    at: fc.nat(),
    limit: fc.integer({ min: 1, max: 5 }),
    cost: fc.constantFrom(0.1, 0.3, 0.5),
  });

  /** The calls that were opened since the run took the campaign, and were surely made or perhaps. */
  const made = `select count(*)::integer as calls from (
      select dialing_at, state from carillon.attempts where campaign_id = $1
      union all select dialing_at, state from carillon.ended_attempts where campaign_id = $1 and (state = 'done' or reason = 'redialed')
    ) a join carillon.run_limits l on l.campaign_id = $1
    where a.dialing_at >= l.since and a.state in ('dialing', 'placed', 'unknown', 'done')`;

  it('a run may open another for a call that was surely not made, but not for one of the run before', async () => {
    const house = books.house();
    const { attempts, campaigns } = house.ledger;
    const campaign = await house.campaign({ people: 5, driver: 'run' });
    const [old, first, second, third] = await house.plan(campaign, 5);
    const take = async (run: string, limit: number) => {
      await campaigns.take(campaign, run, limit);
      await books.sql('update carillon.campaigns set proved = true where id = $1', [campaign]);
    };
    await take(randomUUID(), 1);
    const { runId: before } = await campaigns.get(campaign);
    expect(await house.admit(old!, { runId: before })).toBe('open');
    expect(await house.admit(first!, { runId: before })).toBe('full');
    await take(runId, 1);
    expect(await attempts.refusePerson(old!, 'no')).toBe(true);
    expect(await campaigns.seen(campaign, runId)).toEqual({ callsLeft: 1 });
    for (const id of [first, second]) {
      expect(await house.admit(id!, { runId })).toBe('open');
      expect(await attempts.refusePerson(id!, 'no')).toBe(true);
      expect(await campaigns.seen(campaign, runId)).toEqual({ callsLeft: 1 });
    }
    expect(await house.admit(third!, { runId })).toBe('open');
    await house.place(third!);
    await house.settle(third!);
    expect(await campaigns.seen(campaign, runId)).toEqual({ callsLeft: 0 });
  });

  it('a run makes no more calls than its limit, and a campaign costs no more than its budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 20, maxLength: 40 }),
        fc.constantFrom(1.2, 40),
        async (acts, maxCost) => {
          const house = books.house();
          const { attempts, campaigns } = house.ledger;
          const campaign = await house.campaign({ people: 60, driver: 'run', maxCost });
          const planned = await house.plan(campaign, 40);
          const lane = await house.lane();
          // The dearest is known: what a budget holds back is enough for every call.
          await house.ledger.lanes.join(['main'], 0.5);
          let run = { id: '', left: 0 };
          let opened: string[] = [];
          const kill = async (limit: number) => {
            run = { id: randomUUID(), left: limit };
            expect(await campaigns.take(campaign, run.id, limit)).toBe(true);
            await books.sql('update carillon.campaigns set proved = true where id = $1', [campaign]);
          };
          await kill(3);
          for (const { what, at, limit, cost } of acts) {
            const id = opened[at % Math.max(1, opened.length)] ?? '';
            if (what === 'open') {
              const from = at % planned.length;
              const some = [...planned.slice(from), ...planned.slice(0, from)].slice(0, 8);
              const verdicts = await Promise.all(some.map((each) => house.admit(each, { runId: run.id })));
              opened.push(...some.filter((_, nth) => verdicts[nth] === 'open'));
            } else if (what === 'kill') await kill(limit);
            else if (id === '') continue;
            else if (what === 'end') {
              await house.place(id);
              await house.settle(id, 'answered', { cost });
            } else if (what === 'withhold') await attempts.withhold({ id, sent: false, detail: null });
            else if (what === 'lose') await attempts.lose({ id, reason: 'lost', detail: 'reset' });
            else if (what === 'refuse') await attempts.refusePerson(id, 'no');
            else if (what === 'free') await house.free(id);
            else if (what === 'broke') {
              await attempts.park(id, lane, 'no credit');
              await books.sql(`update carillon.lanes set state = 'open' where id = $1`, [lane]);
              await books.sql(
                `update carillon.attempts set state = 'planned' where state = 'parked' and lane_id = $1`,
                [lane],
              );
            } else if (what === 'unsent')
              await books.sql('select carillon.free_attempts($1, $2, $3, null, $3, null)', [
                [id],
                ['dialing', 'unknown'],
                'unsent',
              ]);
            opened = [...new Set(opened)];
            const [{ calls }] = (await books.sql<{ calls: number }>(made, [campaign])) as [{ calls: number }];
            expect(calls).toBeLessThanOrEqual(run.left);
            const { spent, reserved } = (await house.ledger.budgets.ofCampaign(campaign))!;
            expect(spent + reserved).toBeLessThanOrEqual(maxCost + 1e-9);
          }
        },
      ),
      { numRuns: runs(4), endOnFailure: true },
    );
  });
});
