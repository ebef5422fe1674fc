import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBulkWorker } from '../../src/background/bulk.ts';
import { createAsides } from '../../src/base/asides.ts';
import { systemClock } from '../../src/base/clock.ts';
import { CarillonError } from '../../src/base/errors.ts';
import { createLog } from '../../src/base/log.ts';
import { beginBulk, type CountedBulk, stopBulk } from '../../src/control/bulk/begin.ts';
import { createBulkDoer } from '../../src/control/bulk/do.ts';
import { type ShownBulk, showBulk } from '../../src/control/bulk/show.ts';
import { retryCampaign } from '../../src/control/campaigns/retry.ts';
import type { ServiceAccess } from '../../src/control/service/access.ts';
import { anyone } from '../../src/ledger/search/search.ts';
import { type Books, type House, openBooks, suppress } from '../ledger/support.ts';
import { until } from '../support/until.ts';

let books: Books;
let house: House;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books?.close());

/** A campaign with people, each in the state that is named, in this order. */
async function campaignOf(...states: string[]): Promise<string> {
  house = books.house();
  const id = await house.campaign({ people: states.length });
  const planned = await house.plan(id, states.filter((state) => state !== 'waiting').length);
  for (const [at, state] of states.filter((each) => each !== 'waiting').entries()) {
    const attempt = planned[at]!;
    if (state === 'queued') continue;
    if (state === 'unknown') await house.admit(attempt);
    else await house.call(attempt);
    if (state !== 'calling' && state !== 'unknown') await house.settle(attempt, state);
  }
  if (states.includes('unknown')) await house.crash();
  return id;
}

const serviceOf = ({ ledger, baseUrl }: House) =>
  ({
    ledger,
    baseUrl,
    lanes: [],
    clock: systemClock,
    note: () => undefined,
    patienceMs: 0,
  }) as unknown as ServiceAccess;
const doerOf = (of: House) => createBulkDoer(serviceOf(of), { log: createLog('silent') });
const workerOf = (of: House) =>
  createBulkWorker(doerOf(of), {
    ledger: of.ledger,
    clock: systemClock,
    rounds: { asides: createAsides({ clock: systemClock, log: createLog('silent') }) },
  });
const begin = async (body: object) =>
  (await beginBulk({ ledger: house.ledger, clock: systemClock }, body)).answer;

/** Counts, confirms, and does it. */
async function act(act: string, filter: object, more: object = {}): Promise<ShownBulk> {
  const counted = await begin({ act, filter, ...more, dry_run: true });
  const begun = (await begin({ act, filter, ...more, confirm: counted.people })) as ShownBulk;
  while ((await workerOf(house).round()) !== null);
  return showBulk(house.ledger, begun.id);
}

it('an act is counted first, and refused when it would touch more people than were confirmed', async () => {
  const campaign = await campaignOf('answered', 'no-answer', 'no-answer', 'waiting');
  const order = { act: 'retry', filter: { campaign, outcome: 'no-answer' } };
  expect(await begin({ ...order, dry_run: true })).toEqual({
    act: 'retry',
    dry_run: true,
    people: 2,
    able: 2,
    passed: {},
  });
  await expect(begin(order)).rejects.toThrow('confirm: is missing; the filter finds 2 people');
  await expect(begin({ ...order, confirm: 1 })).rejects.toMatchObject({
    code: 'bulk-more',
    remedy: expect.stringContaining('"confirm": 2'),
  });
  await expect(begin({ act: 'skip', filter: {}, confirm: 9 })).rejects.toThrow('must not be empty');
  await expect(begin({ act: 'skip', filter: { nobody: 1 } })).rejects.toThrow();
  expect(await house.ledger.bulk.running()).toEqual([]);
  expect(await house.states(campaign)).toEqual(['done', 'done', 'done', 'waiting']);
});

it('a retry calls nobody again who is being called, whose call is unknown, or who must not be called', async () => {
  const campaign = await campaignOf('no-answer', 'no-answer', 'no-answer', 'calling', 'unknown', 'waiting');
  const [, second, third] = await house.people(campaign);
  await suppress(house.ledger, [second!.phone]);
  await house.ledger.people.remove(third!.id);
  try {
    const from = await house.ledger.events.number();
    const shown = await act('retry', { campaign });
    expect(shown).toMatchObject({
      state: 'done',
      people: 6,
      seen: 6,
      done: 1,
      passed: { suppressed: 1, removed: 1, calling: 1, unknown: 1, waiting: 1 },
      result: null,
    });
    expect(await house.states(campaign)).toEqual([
      'waiting',
      'done',
      'done',
      'calling',
      'unknown',
      'waiting',
    ]);
    await house.ledger.events.number();
    const filter = { types: ['bulk.done' as const], campaignId: null };
    const { events } = await house.ledger.events.read(from, 100, filter);
    expect(events.map(({ subject }) => subject)).toEqual([shown.id]);
    expect(await house.faults()).toEqual([]);
  } finally {
    await house.ledger.suppressions.remove([second!.phone]);
  }
});

it('an act does what it promises beforehand, and passes others over for the reasons it gave', async () => {
  const campaign = await campaignOf('answered', 'no-answer', 'calling', 'unknown', 'waiting');
  const [first] = await house.people(campaign);
  await suppress(house.ledger, [first!.phone]);
  try {
    for (const [act, more, able] of [
      ['retry', {}, 1],
      ['skip', {}, 1],
      ['suppress', {}, 5],
      ['resolve', { as: 'called' }, 1],
      ['resolve', { as: 'not-called' }, 1],
      ['export', {}, 5],
    ] as const) {
      const preview = await begin({ act, filter: { campaign }, ...more, dry_run: true });
      expect(preview).toMatchObject({ act, people: 5, able });
      const passed = Object.values((preview as CountedBulk).passed);
      expect(passed.reduce((sum, n) => sum + n, 0)).toBe(5 - able);
    }
    const promised = (await begin({ act: 'retry', filter: { campaign }, dry_run: true })) as CountedBulk;
    expect(promised.passed).toEqual({ suppressed: 1, calling: 1, unknown: 1, waiting: 1 });
    const shown = await act('retry', { campaign });
    expect([shown.done, shown.passed]).toEqual([promised.able, promised.passed]);
  } finally {
    await house.ledger.suppressions.remove([first!.phone]);
  }
});

it('people who wait for another attempt are counted as such, and have it now where that is wanted', async () => {
  house = books.house();
  const retry = { 'no-answer': [3600] };
  const campaign = await house.campaign({ people: 4, maxAttempts: 3, retry });
  const [one, two, three] = await house.plan(campaign, 3);
  for (const attempt of [one!, two!, three!]) {
    await house.call(attempt);
    await house.settle(attempt, 'no-answer', { again: 3600 });
  }
  // A contact rule holds the third.
  const third = (await house.people(campaign))[2]!.id;
  await books.sql(`update carillon.recipients set held = 'gap' where id = $1`, [third]);
  const filter = { campaign, outcome: 'no-answer' };
  expect(await begin({ act: 'retry', filter, dry_run: true })).toMatchObject({
    people: 3,
    able: 0,
    passed: { later: 2, held: 1 },
  });
  expect(await act('retry', filter)).toMatchObject({ done: 0, passed: { later: 2, held: 1 } });
  expect(await house.plan(campaign, 3)).toHaveLength(1);

  const preview = await begin({ act: 'retry', filter, now: true, dry_run: true });
  expect(preview).toMatchObject({ people: 3, able: 2, passed: { held: 1 } });
  expect(await act('retry', filter, { now: true })).toMatchObject({ done: 2, passed: { held: 1 } });
  // They have no more attempts by it than they had, and nobody is made to wait twice.
  expect(await begin({ act: 'retry', filter, now: true, dry_run: true })).toMatchObject({
    able: 0,
    passed: { waiting: 2, held: 1 },
  });
  const due = await house.plan(campaign, 3);
  expect(due).toHaveLength(2);
  for (const attempt of due) {
    await house.call(attempt);
    await house.settle(attempt, 'no-answer');
  }
  const people = await house.people(campaign);
  expect(people.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['done', 2],
    ['done', 2],
    ['waiting', 1],
    ['queued', 0],
  ]);
  expect(await house.faults()).toEqual([]);
});

it('nobody who is suppressed is called sooner', async () => {
  house = books.house();
  const campaign = await house.campaign({ people: 1, maxAttempts: 3, retry: { busy: [3600] } });
  const [attempt] = await house.plan(campaign);
  await house.call(attempt!);
  await house.settle(attempt!, 'busy', { again: 3600 });
  const [person] = await house.people(campaign);
  // A suppression that crosses with the end of the call leaves the person waiting.
  await books.sql(`insert into carillon.suppressions (phone, source) values ($1, 'manual')`, [person!.phone]);
  const shown = await act('retry', { campaign }, { now: true });
  expect(shown).toMatchObject({ done: 0, passed: { suppressed: 1 } });
  await house.ledger.suppressions.remove([person!.phone]);
});

it('a skip takes those who wait off the list, and tells of whom it is too late', async () => {
  const campaign = await campaignOf('answered', 'calling', 'queued', 'waiting');
  expect(await act('skip', { campaign })).toMatchObject({ done: 2, passed: { done: 1, too_late: 1 } });
  expect(await house.states(campaign)).toEqual(['done', 'calling', 'skipped', 'skipped']);
  expect(await house.faults()).toEqual([]);
});

it('a suppression holds for the phones of everyone who is meant', async () => {
  const campaign = await campaignOf('answered', 'waiting', 'waiting');
  const shown = await act(
    'suppress',
    { campaign, state: 'waiting' },
    { until: '30d', reason: 'asked to wait' },
  );
  expect(shown).toMatchObject({ people: 2, done: 2, passed: {} });
  expect(await house.states(campaign)).toEqual(['done', 'skipped', 'skipped']);
  const phones = (await house.people(campaign)).slice(1).map(({ phone }) => phone);
  const any = { phones, source: null, campaignId: null };
  const kept = await house.ledger.suppressions.page({ phone: '', scope: campaign }, 10, any);
  expect(kept).toMatchObject([
    { reason: 'asked to wait', source: 'api', until: expect.any(Date) },
    { reason: 'asked to wait' },
  ]);
  await house.ledger.suppressions.remove(phones);
});

it('unknown attempts are resolved as not called only when nothing can be on its way', async () => {
  const campaign = await campaignOf('unknown', 'unknown', 'answered');
  expect(await act('resolve', { campaign }, { as: 'not-called' })).toMatchObject({
    people: 3,
    done: 2,
    passed: { done: 1 },
  });
  expect(await house.states(campaign)).toEqual(['waiting', 'waiting', 'done']);
  const called = await campaignOf('unknown', 'waiting');
  expect(await act('resolve', { campaign: called, state: 'unknown' }, { as: 'called' })).toMatchObject({
    people: 1,
    done: 1,
  });
  expect(await house.states(called)).toEqual(['done', 'waiting']);
});

/** Pieces of one person each, to look between them. */
async function singly(campaign: string): Promise<string> {
  const people = (await house.people(campaign)).map(({ id }) => id);
  const filter = { ...anyone, campaign };
  const options = { until: null, reason: null, hangUp: false, as: null, source: 'api' };
  return (await house.ledger.bulk.create({
    act: 'skip',
    asked: { campaign },
    filter,
    options,
    people,
    told: { verb: 'bulk.end', campaign, after: { act: 'skip' } },
    size: 1,
  }))!;
}

it('trying a campaign again is an act on many, which the same request finishes after its process was lost', async () => {
  const campaign = await campaignOf('busy', 'no-answer', 'busy', 'waiting');
  const service = { ...serviceOf(house), log: createLog('silent') };
  const { db } = house.ledger;
  const lost = () => Promise.reject(new CarillonError('ledger-unreachable'));
  const dying = { ...service, ledger: { ...house.ledger, db: { ...db, transaction: lost } } };
  const body = { outcomes: ['busy'] };
  await expect(retryCampaign(dying, campaign, body, 'a-key')).rejects.toMatchObject({
    code: 'ledger-unreachable',
  });
  const [id] = await house.ledger.bulk.running();
  expect(await showBulk(house.ledger, id!)).toMatchObject({ act: 'retry', state: 'running', people: 2 });
  expect(await house.states(campaign)).toEqual(['done', 'done', 'done', 'waiting']);
  const { answer, fresh } = await retryCampaign(service, campaign, body, 'a-key');
  expect([answer.retried, answer.state, fresh]).toEqual([2, 'running', false]);
  expect(await house.states(campaign)).toEqual(['waiting', 'done', 'waiting', 'waiting']);
  expect(await showBulk(house.ledger, id!)).toMatchObject({ state: 'done', seen: 2, done: 2 });
  expect(await house.faults()).toEqual([]);
});

it('a stopped act leaves the rest as it is, and two processes do each piece once', async () => {
  const campaign = await campaignOf(...Array(6).fill('waiting'));
  const id = await singly(campaign);
  const [one, other] = [doerOf(house), doerOf(house)];
  await Promise.all([one.step(id), other.step(id)]);
  await one.step(id);
  const { seen, done } = await showBulk(house.ledger, id);
  expect([seen, done]).toEqual([expect.toBeOneOf([2, 3]), seen]);
  expect(await stopBulk(house, id)).toMatchObject({ state: 'stopped', seen, people: 6 });
  expect(await one.step(id)).toBe(false);
  expect((await house.states(campaign)).filter((state) => state === 'skipped')).toHaveLength(seen);
  expect(await stopBulk(house, id)).toMatchObject({ state: 'stopped', seen });
});

it('a piece that a killed process had in hand is done by the next one, once', async () => {
  const campaign = await campaignOf('waiting', 'waiting', 'waiting');
  const id = await singly(campaign);
  const [, second] = await house.people(campaign);
  // The child does the first person, and waits for this row in the middle of the second one's piece.
  const client = await books.connect();
  await client.query('begin');
  await client.query('select from carillon.recipients where id = $1 for update', [second!.id]);
  const home = mkdtempSync(join(tmpdir(), 'carillon-bulk-'));
  const program = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));
  const child = spawn(process.execPath, [program, 'worker', '--only', 'bulk'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: books.url,
      VOICE_BASE_URL: house.baseUrl,
      VOICE_API_KEYS: 'main=secret-of-main',
      CARILLON_HOME: home,
    },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const isFree = async () =>
    house.ledger.db.transaction(async (tx) => (await house.ledger.bulk.take(tx, id)) !== null);
  await until(
    async () => (await showBulk(house.ledger, id)).seen === 1 && !(await isFree()),
    (isInHand) => isInHand,
  );
  child.kill('SIGKILL');
  await ended;
  await client.query('rollback');
  client.release();
  rmSync(home, { recursive: true, force: true });
  await until(isFree, (free) => free);
  while (await doerOf(house).step(id));
  expect(await showBulk(house.ledger, id)).toMatchObject({ state: 'done', seen: 3, done: 3, passed: {} });
  expect(await house.states(campaign)).toEqual(['skipped', 'skipped', 'skipped']);
  expect(await house.faults()).toEqual([]);
});
