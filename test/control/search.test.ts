import { afterAll, beforeAll, expect, it } from 'vitest';
import { actAs } from '../../src/base/actor.ts';
import { showAttemptCourse } from '../../src/control/calls/course.ts';
import { filterOf, findFilter } from '../../src/control/people/filter.ts';
import { queryFor } from '../../src/control/people/find.ts';
import { searchPeople } from '../../src/control/people/search.ts';
import { listRecipients } from '../../src/control/people/show.ts';
import { anyone, type SearchCursor } from '../../src/ledger/search/search.ts';
import { standard } from '../../src/voice/load-service.ts';
import { type Books, type House, openBooks, person } from '../ledger/support.ts';

let books: Books;
let house: House;
/** Two campaigns that share the first person. */
let spring: string;
let autumn: string;
/** The first person's call in spring, and its attempt. */
let call: string;
let attempt: string;
const started = new Date();

beforeAll(async () => {
  books = await openBooks();
  house = books.house();
  spring = await house.campaign({ maxAttempts: 2, callers: [{ number: '+14155550100' }] });
  await house.add(spring, [
    person(1, { input: { city: 'Boston' }, variables: { city: 'Boston' } }),
    person(2, { input: { city: 'Austin', vip: true }, variables: { city: 'Austin', vip: true } }),
    person(3),
  ]);
  autumn = await house.campaign({});
  await house.add(autumn, [
    person(1, { input: { city: 'Boston' }, variables: { city: 'Boston' } }),
    person(4),
  ]);
  [attempt] = (await house.plan(spring, 1)) as [string];
  call = await house.call(attempt);
  await house.settle(attempt, 'busy', { again: 3_600 });
  const [second] = await house.plan(spring, 1, null, 'spare');
  await house.call(second!);
  await house.plan(autumn, 1);
});
afterAll(() => books?.close());

const clock = { now: () => Date.now() };
const search = (query: object) => searchPeople({ ledger: house.ledger, clock }, query);
/** The people who are found, each as the last digit of the phone, with the campaign. */
const who = async (query: object): Promise<string[]> =>
  (await search(query)).items.map(({ phone, campaign }) => `${phone.at(-1)}${campaign.at(-1)}`).sort();

it('every part of the filter finds its people, over all campaigns', async () => {
  expect(await who({})).toEqual(['11', '12', '21', '31', '42']);
  expect(await who({ campaign: spring })).toEqual(['11', '21', '31']);
  expect(await who({ phone: '+1 (415) 555-0001' })).toEqual(['11', '12']);
  expect(await who({ call_id: call })).toEqual(['11']);
  expect(await who({ attempt })).toEqual(['11']);
  expect(await who({ state: 'waiting' })).toEqual(['11', '31', '42']);
  expect(await who({ state: 'queued,calling' })).toEqual(['12', '21']);
  expect(await who({ state: ['calling'], campaign: spring })).toEqual(['21']);
  expect(await who({ outcome: 'busy,failed' })).toEqual(['11']);
  expect(await who({ key: 'spare' })).toEqual(['21']);
  expect(await who({ from: '(415) 555-0100' })).toEqual(['11', '21']);
  expect(await who({ key: 'main', from: '+14155550100' })).toEqual(['11']);
  expect(await who({ variable: 'city:Boston' })).toEqual(['11', '12']);
  expect(await who({ variable: ['city:Austin', 'vip:true'] })).toEqual(['21']);
  expect(await who({ since: started.toISOString() })).toHaveLength(5);
  expect(await who({ until: started.toISOString() })).toEqual([]);
  expect(await who({ campaign: autumn, since: started.toISOString(), phone: '4155550001' })).toEqual(['12']);
});

it('a phone is found in any form, with or without its country', async () => {
  for (const phone of ['+14155550001', ' 14155550001', '14155550001', '415-555-0001', '001 415 5550001']) {
    expect(await who({ phone }), phone).toEqual(['11', '12']);
  }
  expect(await who({ phone: '4155550001', country: 'us' })).toEqual(['11', '12']);
  expect(await who({ phone: '4155550001', country: 'DE' })).toEqual([]);
  expect(await who({ phone: ['+14155550003', '+14155550004'] })).toEqual(['31', '42']);
});

it('a person is shown with the result and every attempt', async () => {
  const { items, next } = await search({ call_id: call });
  expect(next).toBeNull();
  expect(items).toMatchObject([
    { phone: '+14155550001', state: 'waiting', reason: 'retry', outcome: 'busy', call_id: call },
  ]);
  expect(items[0]!.attempts).toMatchObject([
    { id: attempt, number: 1, state: 'done', key: 'main', from: '+14155550100', call_id: call, cost: 0.08 },
  ]);
});

it('one person is meant by a phone, a call or an attempt, and is found in every campaign', async () => {
  const everywhere = ['11', '12'];
  for (const ref of ['(415) 555-0001', call, attempt]) {
    expect(await who((await queryFor(house.ledger, ref, undefined))!), ref).toEqual(everywhere);
  }
  const { items } = await search({ attempt });
  // A part of a phone may be the id of another person.
  for (const part of [items[0]!.id, `0${items[0]!.id}`])
    expect(await queryFor(house.ledger, part, undefined), part).toBeNull();
  expect(await queryFor(house.ledger, 'nobody', undefined)).toBeNull();
});

const service = { baseUrl: 'https://voice.example/v1', auth: standard().auth };
const courseOf = (id: string) => showAttemptCourse({ ...service, ledger: house.ledger }, id);

it('an attempt tells its course, each step with its time and reason', async () => {
  const told = await courseOf(attempt);
  expect(told).toMatchObject({ id: attempt, state: 'done', outcome: 'busy', polls: 1, call_id: call });
  expect(told.course.map(({ step, reason }) => [step, reason])).toEqual([
    ['planned', null],
    ['token', expect.stringMatching(/^waited \d+\.\d s for the key main$/)],
    ['sent', 'a call by agent-1 from +14155550100'],
    ['answered', `the call ${call}`],
    ['polls', 'once, the last answer busy'],
    ['end', 'busy'],
  ]);
  const times = told.course.map(({ at }) => at!.getTime());
  expect(times).toEqual([...times].sort((a, b) => a - b));
  await expect(courseOf('none')).rejects.toMatchObject({ code: 'attempt-unknown' });
});

it('a course has the openings that came to nothing, and what the attempt came after', async () => {
  const id = await house.campaign({ maxAttempts: 2 });
  await house.add(id, [person(7)]);
  const [first] = await house.plan(id);
  await house.call(first!);
  await house.settle(first!, 'no-answer', { again: 0 });
  await books.sql(`update carillon.recipients set next_at = '2020-01-01' where campaign_id = $1`, [id]);
  const [second] = await house.plan(id);
  expect(await house.admit(second!)).toBe('open');
  await house.crash();
  const { course, state } = await courseOf(second!);
  expect(state).toBe('unknown');
  expect(course.map(({ step }) => step)).toEqual(['planned', 'token', 'sent', 'unknown']);
  expect(course[0]!.reason).toMatch(/^attempt 2, after no-answer at 20/);
  await house.free(second!);
  expect((await courseOf(second!)).course.at(-1)).toMatchObject({ step: 'end' });
});

it('a course has the plans that were taken back before it, and what webhooks were told', async () => {
  const { ledger } = house;
  const id = await house.campaign();
  await house.add(id, [person(8)]);
  const [withdrawn] = await house.plan(id);
  await ledger.attempts.giveBack({ id: withdrawn!, why: 'the window is closed' });
  const [planned] = await house.plan(id);
  await house.call(planned!);
  await house.settle(planned!, 'answered');
  while (await ledger.events.tidy(86_400));
  const told = await books.sql<{ id: string; event: string }>(
    `insert into carillon.webhooks (id, url, secret, cursor) values (gen_random_uuid(), 'https://hook.example/path', 'x', 0)
     returning id, (select 'evt_' || lpad('', 12, '0') || lpad(to_hex(e.first), 12, '0') from carillon.events e
       where e.type = 'attempt.done' and e.attempts[1] = $1) as event`,
    [planned],
  );
  await books.sql(
    `insert into carillon.webhook_deliveries (webhook_id, delivered, slot, n, at, event, type, try, status, ms, error)
     values ($1, true, 0, 1, now(), $2, 'attempt.done', 2, 204, 12, null)`,
    [told[0]!.id, told[0]!.event],
  );
  const { course } = await courseOf(planned!);
  expect(course.map(({ step }) => step)).toEqual([
    'waited',
    'planned',
    'token',
    'sent',
    'answered',
    'polls',
    'end',
    'webhook',
  ]);
  expect(course[0]!.reason).toBe('the window is closed');
  expect(course[1]!.reason).toBe(null);
  expect(course.at(-1)!.reason).toBe('attempt.done to hook.example: 204 after 12 ms, try 2');
});

it('a row that no rule can open any more is skipped, and says never in one word', async () => {
  const id = await house.campaign({ people: 1, from: 20 });
  await house.ledger.people.skipNever(id, [{ place: '', why: 'can never be called: no window opens' }]);
  const { items } = await search({ campaign: id });
  expect(items).toMatchObject([
    { state: 'skipped', reason: 'never', until: null, error: 'can never be called: no window opens' },
  ]);
});

it('pages follow each other in every order, and nobody is left out', async () => {
  const orders = [{}, { campaign: spring }, { phone: '+14155550001' }, { since: started.toISOString() }];
  for (const query of [...orders, { state: 'waiting', campaign: spring }]) {
    const all = (await search(query)).items.map(({ id }) => id);
    const paged: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await search({ ...query, limit: 1, cursor });
      paged.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    expect(paged).toEqual(all);
  }
});

it('a list keeps the input order, and its filter is the same', async () => {
  const list = async (query: object) =>
    (await listRecipients(house.ledger, Date.now(), spring, query)).items.map(({ row }) => row);
  expect(await list({})).toEqual([2, 3, 4]);
  expect(await list({ since: started.toISOString() })).toEqual([2, 3, 4]);
  expect(await list({ state: 'waiting' })).toEqual([2, 4]);
  expect(await list({ variable: 'city:Austin' })).toEqual([3]);
  expect(await list({ phone: '+14155550003' })).toEqual([4]);
});

it('a list can begin with those who changed last, whole and filtered, a page at a time', async () => {
  await books.sql(
    `update carillon.recipients set updated_at = now() - make_interval(secs => case row when 3 then 0 when 2 then 60 else 30 end)
     where campaign_id = $1`,
    [spring],
  );
  const list = async (query: object) => {
    const rows: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await listRecipients(house.ledger, Date.now(), spring, {
        ...query,
        order: 'moved',
        limit: 1,
        cursor,
      });
      rows.push(...page.items.map(({ row }) => row));
      cursor = page.next;
    }
    return rows;
  };
  expect(await list({})).toEqual([3, 4, 2]);
  expect(await list({ state: 'waiting' })).toEqual([4, 2]);
});

it('a long way is gone in steps: a page says where it stopped', async () => {
  const many = await house.campaign({});
  await books.sql(
    `insert into carillon.recipients (campaign_id, row, phone, state) select $1, n, '+49' || n, 'skipped'
     from generate_series(1, 25000) n`,
    [many],
  );
  await books.sql(
    `update carillon.recipients set state = 'rejected' where campaign_id = $1 and row in (1, 24000)`,
    [many],
  );
  const filter = filterOf({ state: ['rejected'] }, many);
  const pages: number[] = [];
  for (let place: SearchCursor | null | undefined; place !== null; ) {
    const page = await house.ledger.search.page(filter, place ?? null, 10);
    pages.push(page.ids.length);
    place = page.next;
  }
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.reduce((a, b) => a + b)).toBe(2);
  await books.sql('delete from carillon.recipients where campaign_id = $1', [many]);
});

it('an impossible filter is refused in one line', async () => {
  await expect(search({ phone: 'Ann' })).rejects.toThrow('phone: "Ann" contains letters');
  await expect(search({ state: 'busy' })).rejects.toThrow('state must be of waiting, queued');
  await expect(search({ variable: 'Boston' })).rejects.toThrow('variable must be name:value');
  await expect(search({ campaign: 'none' })).rejects.toMatchObject({ code: 'campaign-unknown' });
  const reader = { name: 'board', person: null, role: 'read', address: null, token: null } as const;
  for (const query of [{ phone: '+14155550001' }, { variable: 'city:Boston' }])
    await expect(actAs(reader, () => search(query))).rejects.toMatchObject({ code: 'forbidden' });
  expect((await actAs(reader, () => search({ call_id: call }))).items).toHaveLength(1);
  const late = { since: '2026-03-02T00:00:00Z', until: '2026-03-01T00:00:00Z' };
  await expect(search(late)).rejects.toThrow('until: must be later than since');
  const { next } = await search({ campaign: spring, limit: 1 });
  await expect(search({ cursor: next })).rejects.toThrow('cursor: belongs to another search');
  expect(await findFilter(house.ledger, {})).toEqual(anyone);
});
