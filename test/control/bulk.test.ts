import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { beginBulk, stopBulk } from '../../src/control/bulk/begin.ts';
import { type ShownBulk, showBulk } from '../../src/control/bulk/show.ts';
import { createBulkWorker } from '../../src/control/bulk/work.ts';
import type { Service } from '../../src/control/service.ts';
import { anyone } from '../../src/ledger/search/verbs.ts';
import { type Books, type House, openBooks, suppress, until } from '../ledger/support.ts';

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
  }) as unknown as Service;
const workerOf = (of: House) =>
  createBulkWorker(serviceOf(of), { clock: systemClock, log: createLog('silent') });
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
  expect(await begin({ ...order, dry_run: true })).toEqual({ act: 'retry', dry_run: true, people: 2 });
  await expect(begin(order)).rejects.toThrow('confirm: is missing; the filter finds 2 people');
  await expect(begin({ ...order, confirm: 1 })).rejects.toMatchObject({
    code: 'bulk-more',
    remedy: expect.stringContaining('"confirm": 2'),
  });
  await expect(begin({ act: 'skip', filter: {}, confirm: 9 })).rejects.toThrow('names nobody');
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
    size: 1,
  }))!;
}

it('a stopped act leaves the rest as it is, and two processes do each piece once', async () => {
  const campaign = await campaignOf(...Array(6).fill('waiting'));
  const id = await singly(campaign);
  const [one, other] = [workerOf(house), workerOf(house)];
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
  while (await workerOf(house).step(id));
  expect(await showBulk(house.ledger, id)).toMatchObject({ state: 'done', seen: 3, done: 3, passed: {} });
  expect(await house.states(campaign)).toEqual(['skipped', 'skipped', 'skipped']);
  expect(await house.faults()).toEqual([]);
});
