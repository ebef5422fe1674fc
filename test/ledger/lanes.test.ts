import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/ledger/database.ts';
import { createLanes } from '../../src/ledger/lanes/lanes.ts';
import { type House, keepGaps, person, persons, probeOf, shareBooks, suppress } from './support.ts';

const books = await shareBooks();
const gapOf = await keepGaps(books);

/** Makes the next probe due. */
const due = (house: House) =>
  books.sql(`update carillon.lanes set probe_at = now() where base_url = $1`, [house.baseUrl]);

async function broke(house: House, people = 3) {
  const campaign = await house.campaign({ people });
  const lane = await house.lane();
  const [first] = await house.plan(campaign, 1);
  await house.admit(first!);
  expect((await house.ledger.attempts.park(first!, lane, 'no credit')).parked).toBe(1);
  return { campaign, lane, first: first! };
}

describe('a lane', () => {
  it('is made once, however many processes meet it first, and each of them gets it', async () => {
    const house = books.house();
    const databases = Array.from({ length: 6 }, () => openDatabase(books.url, { max: 2 }));
    const names = ['b', 'a', 'c'];
    try {
      const found = await Promise.all(
        databases.flatMap((db) => [
          createLanes(db, house.baseUrl).join(names),
          createLanes(db, house.baseUrl).join([...names].reverse()),
        ]),
      );
      for (const lanes of found) {
        expect(lanes.map((lane) => lane.name)).toEqual(['a', 'b', 'c']);
        expect(lanes.map((lane) => lane.id)).toEqual(found[0]!.map((lane) => lane.id));
      }
    } finally {
      await Promise.all(databases.map((db) => db.close()));
    }
  });

  it('is found even when another process makes it at this very moment', async () => {
    const house = books.house();
    const hand = await books.hand();
    await hand.query('begin');
    await hand.query(`insert into carillon.lanes (base_url, name) values ($1, 'main')`, [house.baseUrl]);
    const joined = house.ledger.lanes.join(['main', 'other']);
    await books.blocked('%insert into carillon.lanes%');
    await hand.query('commit');
    expect((await joined).map((lane) => lane.name)).toEqual(['main', 'other']);
  });

  it('is closed once when it is denied, and its plans move on', async () => {
    const { house, campaign } = await books.campaign({ people: 3 });
    const [a, b] = [await house.lane('a'), await house.lane('b')];
    const ids = await house.plan(campaign, 3, null, 'a');
    await house.call(ids[0]!);
    expect(await house.ledger.lanes.deny(a, 'revoked')).toBe(true);
    expect(await house.ledger.lanes.deny(a, 'revoked again')).toBe(false);
    expect(await house.admit(ids[1]!)).toBe('closed');
    expect((await house.ledger.lanes.move(a, b)).sort()).toEqual(ids.slice(1).sort());
    expect(await house.admit(ids[1]!)).toBe('open');
    // The call stays with the key that made it.
    expect((await house.attempt(ids[0]!)).key).toBe('a');
  });

  it('gives the background and each run only what they have to dial', async () => {
    const house = books.house();
    const [a, b] = [await house.lane('a'), await house.lane('b')];
    const [background, run] = [await house.campaign({ people: 1 }), await house.campaign({ people: 1 })];
    const [mine] = await house.plan(background, 1, null, 'a');
    const [theirs] = await house.plan(run, 1, null, 'a');
    await house.ledger.campaigns.take(run, randomUUID());
    await house.ledger.lanes.deny(a, 'revoked');
    expect(await house.ledger.lanes.move(a, b, run)).toEqual([theirs]);
    expect((await house.attempt(mine!)).key).toBe('b');
    await house.ledger.lanes.deny(b, 'revoked');
    expect(await house.ledger.lanes.open(b)).toEqual([mine]);
  });

  it('moves the deadlines of its calls by the time in which no poll was possible when it opens again', async () => {
    const { house, campaign } = await books.campaign({ people: 1 });
    const lane = await house.lane();
    const [id] = await house.plan(campaign);
    await house.call(id!);
    const before = (await house.ledger.attempts.load(id!))!.deadlineAt!.getTime();
    await house.ledger.lanes.deny(lane, 'revoked');
    await books.sql(`update carillon.lanes set since = now() - interval '2 hours' where id = $1`, [lane]);
    await house.ledger.lanes.open(lane);
    const after = (await house.ledger.attempts.load(id!))!.deadlineAt!.getTime();
    // Plus a little for the time that the machine needed in between.
    expect((after - before) / 1_000).toBeGreaterThanOrEqual(7_199);
    expect((after - before) / 1_000).toBeLessThan(7_300);
    expect(await house.ledger.lanes.open(lane)).toEqual([]);
  });
});

describe('a lane without credit', () => {
  it('counts what its calls cost from the return of its credit on, and for how much the credit lasted', async () => {
    const { house, campaign } = await books.campaign({ people: 9 });
    const lane = await house.lane();
    const credit = async () => {
      await house.ledger.tallies.fold();
      const { creditSpent, creditLasted } = (await house.ledger.lanes.list())[0]!;
      return { creditSpent, creditLasted };
    };
    const spend = async (cost: number) => {
      const [id] = await house.plan(campaign, 1);
      await house.call(id!);
      await house.settle(id!, 'answered', { cost });
    };
    const ends = async () => {
      const [id] = await house.plan(campaign, 1);
      await house.admit(id!);
      await house.ledger.attempts.park(id!, lane, 'no credit');
      const [again] = await house.ledger.lanes.open(lane);
      await house.call(again!);
      await house.settle(again!, 'no-answer', { cost: 0 });
    };
    await spend(7);
    // Nobody knows what was spent before this ledger saw the key.
    expect(await credit()).toEqual({ creditSpent: null, creditLasted: null });
    await ends();
    await spend(2);
    await spend(3);
    expect(await credit()).toEqual({ creditSpent: 5, creditLasted: null });
    await ends();
    await spend(1);
    expect(await credit()).toEqual({ creditSpent: 1, creditLasted: 5 });
  });

  it('is probed after 5 s, then at doubling gaps up to 60 s', async () => {
    const house = books.house();
    const { lane } = await broke(house, 10);
    const gaps = [await gapOf(lane)];
    for (let i = 0; i < 5; i++) {
      await due(house);
      const probe = (await probeOf(house.ledger, lane))!;
      expect(await house.admit(probe)).toBe('open');
      await house.ledger.attempts.park(probe, lane, 'still no credit');
      gaps.push(await gapOf(lane));
    }
    expect(gaps).toEqual([5, 10, 20, 40, 60, 60]);
  });

  it('keeps the probe that is planned when the 402 of an earlier create comes late, and what another closed stays', async () => {
    const { house, campaign } = await books.campaign({ people: 3 });
    const lane = await house.lane();
    const [first, ...late] = await house.plan(campaign);
    for (const id of [first, ...late]) await house.admit(id!);
    await house.ledger.attempts.park(first!, lane, 'no credit');
    await due(house);
    const probe = (await probeOf(house.ledger, lane))!;
    const parked = await house.ledger.attempts.park(late[0]!, lane, 'no credit');
    expect(parked).toEqual({ parked: 1, state: 'out_of_credit' });
    expect((await house.attempt(probe)).state).toBe('planned');
    await books.sql(`update carillon.lanes set state = 'denied' where id = $1`, [lane]);
    expect((await house.ledger.attempts.park(late[1]!, lane, 'no credit')).state).toBe('denied');
  });

  it('is not probed less often because many creates were refused at once', async () => {
    const { house, campaign } = await books.campaign({ people: 12 });
    const lane = await house.lane();
    const ids = await house.plan(campaign);
    for (const id of ids) await house.admit(id);
    await Promise.all(ids.map((id) => house.ledger.attempts.park(id, lane, 'no credit')));
    expect(await gapOf(lane)).toBe(5);
    expect(new Set(await house.states(campaign))).toEqual(new Set(['parked']));
  });

  it('lets only the probe through', async () => {
    const house = books.house();
    const { campaign, lane } = await broke(house, 3);
    // A plan that crossed with the 402.
    const [crossed] = await house.plan(campaign, 1);
    expect(await house.admit(crossed!)).toBe('closed');
    await due(house);
    const probe = await probeOf(house.ledger, lane);
    expect(await house.admit(crossed!)).toBe('closed');
    expect(await house.admit(probe!)).toBe('open');
  });

  it('makes a fresh plan its probe when nobody is parked, once', async () => {
    const house = books.house();
    const { campaign, lane, first } = await broke(house, 3);
    await suppress(house.ledger, [(await house.attempt(first)).phone], null);
    await due(house);
    expect(await probeOf(house.ledger, lane)).toBeNull();
    const [a, b] = await house.plan(campaign, 2);
    expect(await house.ledger.lanes.probeWith(lane, a!)).toBe(true);
    expect(await house.ledger.lanes.probeWith(lane, b!)).toBe(false);
    expect(await house.admit(b!)).toBe('closed');
    expect(await house.admit(a!)).toBe('open');
    await house.ledger.suppressions.remove([person(1).phone]);
  });

  it('probes only for the campaigns of the process that asks', async () => {
    const house = books.house();
    const { campaign, lane } = await broke(house, 2);
    await due(house);
    await house.ledger.campaigns.take(campaign, randomUUID());
    expect(await probeOf(house.ledger, lane)).toBeNull();
    expect(await probeOf(house.ledger, lane, campaign)).not.toBeNull();
  });

  it('parks what was planned as it closed, and what came back to it unsent, but not its probe', async () => {
    const { house, campaign } = await books.campaign({ people: 4 });
    const lane = await house.lane();
    const [first, slow] = await house.plan(campaign, 2);
    await house.admit(slow!);
    await house.admit(first!);
    await house.ledger.attempts.park(first!, lane, 'no credit');
    await house.ledger.attempts.withhold({ id: slow!, sent: false, detail: 'woke too late' });
    await house.plan(campaign, 1);
    expect(await house.states(campaign)).toEqual(['parked', 'queued', 'queued', 'waiting']);
    await due(house);
    const probe = await probeOf(house.ledger, lane);
    expect(await house.ledger.lanes.parkCrossed(lane)).toBe(2);
    expect(await house.ledger.lanes.parkCrossed(lane)).toBe(0);
    expect(await house.attempt(probe!)).toMatchObject({ state: 'planned' });
    const people = await house.people(campaign);
    expect(people.map(({ state }) => state).sort()).toEqual(['parked', 'parked', 'queued', 'waiting']);
    expect(people.filter(({ state }) => state === 'parked').map(({ reason }) => reason)).toEqual([
      'no credit',
      'no credit',
    ]);
    await house.ledger.lanes.open(lane);
    expect(await house.ledger.lanes.parkCrossed(lane)).toBe(0);
  });

  it('keeps the rows of a run that left until the run continues', async () => {
    const house = books.house();
    const { campaign } = await broke(house, 3);
    await house.plan(campaign, 1);
    await house.ledger.campaigns.parkRest(campaign, 'no credit');
    expect(await house.states(campaign)).toEqual(['parked', 'parked', 'parked']);
    expect(await house.faults()).toEqual([]);
    await house.ledger.campaigns.unpark(campaign);
    // The first has an attempt that is parked on the lane, and continues with it.
    expect(await house.states(campaign)).toEqual(['parked', 'waiting', 'waiting']);
  });
});

it('calls in progress are counted for each lane', async () => {
  const { house, campaign } = await books.campaign();
  await house.add(campaign, persons(6));
  const a = await house.plan(campaign, 3, null, 'a');
  await house.plan(campaign, 2, null, 'b');
  await house.call(a[0]!);
  await house.admit(a[1]!);
  const lanes = await house.ledger.lanes.list();
  expect(lanes.map(({ name, planned, parked, calling }) => ({ name, planned, parked, calling }))).toEqual([
    { name: 'a', planned: 1, parked: 0, calling: 2 },
    { name: 'b', planned: 2, parked: 0, calling: 0 },
  ]);
  const loads = await house.ledger.lanes.loads();
  expect(loads.find((room) => room.placed === 1)).toMatchObject({
    campaignId: campaign,
    planned: 1,
    dialing: 1,
  });
});
