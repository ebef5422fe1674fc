import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { latestCall } from '../../src/control/calls/service-record.ts';
import { findCall } from '../../src/control/calls/show.ts';
import { exportAttempts, listAttempts, showPerson } from '../../src/control/people/person.ts';
import { exportResults, readFilter } from '../../src/control/people/show.ts';
import type { ServiceAccess } from '../../src/control/service/access.ts';
import { type Books, type House, openBooks } from '../ledger/support.ts';

let books: Books;
let house: House;
let id: string;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books?.close());

/** Three people: one called twice, one whose plan was withdrawn, one nobody has tried. */
beforeEach(async () => {
  house = books.house();
  id = await house.campaign({ people: 3, maxAttempts: 2, callers: [{ number: '+14155550100' }] });
  const [first] = await house.plan(id, 1);
  await house.call(first!);
  await house.settle(first!, 'busy', { again: 0 });
  await books.sql(`update carillon.recipients set next_at = '2020-01-01' where outcome = 'busy'`);
  const [again, withdrawn] = await house.plan(id, 2);
  await house.call(again!);
  await house.settle(again!, 'answered', { provider_call_sid: 'CA1', transcript: '=1+1' });
  await house.ledger.attempts.giveBack({ id: withdrawn!, why: 'the window is closed' });
});

it('every attempt of a campaign is listed in input order, a page at a time', async () => {
  const first = await listAttempts(house.ledger, id, { limit: 1 });
  const { items, next } = await listAttempts(house.ledger, id, { limit: 1, cursor: first.next });
  expect(next).toBeNull();
  expect([...first.items, ...items]).toMatchObject([
    {
      row: 2,
      number: 1,
      state: 'done',
      outcome: 'busy',
      agent: 'agent-1',
      key: 'main',
      from: '+14155550100',
    },
    { row: 2, number: 2, state: 'done', outcome: 'answered', provider_call_sid: 'CA1', cost: 0.08 },
  ]);
  expect(items[0]!.dialed_at!.getTime()).toBeGreaterThanOrEqual(items[0]!.planned_at.getTime());
});

it('a person is shown with every attempt, by id or by phone', async () => {
  const clock = { now: () => Date.now() };
  const [called] = await house.people(id);
  const shown = await showPerson({ ledger: house.ledger, clock }, id, called!.phone);
  expect(shown).toEqual(await showPerson({ ledger: house.ledger, clock }, id, String(called!.id)));
  expect(shown).toMatchObject({ agent: 'agent-1', key: 'main', from: '+14155550100' });
  expect(shown.attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
    [1, 'busy'],
    [2, 'answered'],
  ]);
  expect(Object.keys(shown.attempts[0]!).sort()).toEqual(
    'agent,call_id,cost,dialed_at,ended_at,from,id,key,number,outcome,planned_at,provider_call_sid,state'.split(
      ',',
    ),
  );
  await expect(showPerson({ ledger: house.ledger, clock }, id, '+14155559999')).rejects.toMatchObject({
    code: 'recipient-unknown',
  });
});

it('an act on an older attempt goes to the call of the latest one', async () => {
  const { ledger, baseUrl } = house;
  const [called] = await house.people(id);
  const [first, second] = await ledger.search.tries([called!.id]);
  const service = { ledger, baseUrl, clock: { now: () => Date.now() } } as ServiceAccess;
  for (const ref of [first!.id, first!.callId!, second!.id, String(called!.id)]) {
    const found = await findCall(service, ref);
    expect(await latestCall(service, found!, ref), ref).toBe(second!.callId);
  }
});

it('the long form has a row for each attempt, and the results can be filtered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-attempts-'));
  try {
    const campaign = await house.ledger.campaigns.get(id);
    const path = join(folder, 'out');
    expect(await exportAttempts(house.ledger, campaign, { path }, 'csv')).toBe(2);
    const [header, , second] = readFileSync(path, 'utf8').split('\n');
    expect(header).toBe(
      'row,phone,name,id,number,state,outcome,agent,key,from,call_id,provider_call_sid,status,duration,cost,planned_at,dialed_at,started_at,ended_at,transcript,recording_url,structured_data,direction,contact_id,org_id,agent_id,metadata,error,currency,ended_reason,in_phone,in_name',
    );
    expect(second).toContain(`,'=1+1,`);
    expect(await exportAttempts(house.ledger, campaign, { path }, 'ndjson')).toBe(2);
    expect(JSON.parse(readFileSync(path, 'utf8').split('\n')[1]!)).toMatchObject({
      number: 2,
      transcript: '=1+1',
    });

    const rows = (query: object) =>
      exportResults(house.ledger, Date.now(), campaign, { path }, 'csv', readFilter(campaign, query));
    expect(await rows({})).toBe(3);
    expect(await rows({ state: 'waiting' })).toBe(2);
    expect(await rows({ state: 'waiting,done', outcome: 'answered' })).toBe(1);
    expect(await rows({ since: '2020-01-01T00:00:00Z' })).toBe(3);
    expect(await rows({ since: new Date(Date.now() + 3_600_000).toISOString() })).toBe(0);
    const read = (query: object) => () => readFilter(campaign, query);
    expect(read({ state: 'doing' })).toThrow('state must be of waiting, queued');
    expect(read({ outcome: 'great' })).toThrow('outcome must be of answered');
    expect(read({ since: 'monday' })).toThrow('since must be a time');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
