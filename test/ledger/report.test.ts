import { afterAll, beforeAll, expect, it } from 'vitest';
import { reportCampaign } from '../../src/control/campaigns/report.ts';
import { type Books, openBooks } from './support.ts';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books.close());

const callers = [{ number: '+14155550100' }, { numberId: 'second' }];

it('a report tells by hour, weekday, caller and attempt how the calls ended', async () => {
  const house = books.house();
  const campaign = await house.campaign({ people: 4, callers, maxAttempts: 2, retry: { busy: [1] } });
  const [a, b, c, d] = await house.plan(campaign);
  for (const id of [a!, b!, c!, d!]) await house.call(id);
  // Monday 09:00, Tuesday 09:00, Tuesday 10:00, and nobody knows.
  await house.settle(a!, 'answered', { localHour: 9, cost: 0.2, duration: 30 });
  await house.settle(b!, 'answered', { localHour: 33, cost: null, duration: null });
  await house.settle(c!, 'busy', { localHour: 34, cost: 0.1, duration: 1, again: 0 });
  await house.settle(d!, 'no-answer', { cost: null, duration: null });
  await books.sql(
    `update carillon.recipients set next_at = now() where campaign_id = $1 and state = 'waiting'`,
    [campaign],
  );
  const [again] = await house.plan(campaign);
  await house.call(again!);
  await house.settle(again!, 'answered', { localHour: 34, cost: 0.3, duration: 29 });

  const report = (by?: string) => reportCampaign(house.ledger, campaign, { by });
  const { total, items } = await report();
  expect(items).toEqual([]);
  expect(total).toEqual({
    calls: 5,
    connect_rate: 0.6,
    outcomes: { answered: 3, 'no-answer': 1, busy: 1 },
    cost: 0.6,
    cost_per_connect: 0.2,
    mean_duration: 20,
  });
  const values = async (by: string) => (await report(by)).items.map(({ value, calls }) => [value, calls]);
  expect(await values('hour')).toEqual([
    ['09', 2],
    ['10', 2],
    [null, 1],
  ]);
  expect(await values('weekday')).toEqual([
    ['mon', 1],
    ['tue', 3],
    [null, 1],
  ]);
  expect(await values('attempt')).toEqual([
    ['1', 4],
    ['2', 1],
  ]);
  expect((await values('caller')).map(([value]) => value)).toEqual(['+14155550100', 'second']);
  expect(await values('agent')).toEqual([['agent-1', 5]]);
  expect((await report('hour')).total).toEqual(total);
  expect(await house.faults()).toEqual([]);

  // Folding changes nothing.
  await house.ledger.tallies.fold();
  expect((await report('hour')).total).toEqual(total);
  expect(await house.faults()).toEqual([]);
  await expect(report('moon')).rejects.toThrow('by');
});

it('what a service tells late is added to the report, and the audit sees a sum that is wrong', async () => {
  const house = books.house();
  const campaign = await house.campaign({ people: 1 });
  const [id] = await house.plan(campaign);
  await house.call(id!);
  await house.settle(id!, 'answered', { cost: null, duration: null });
  await books.sql('update carillon.ended_attempts set cost = 0.5, duration = 40 where id = $1', [id]);
  const { total } = await reportCampaign(house.ledger, campaign, {});
  expect(total).toMatchObject({ calls: 1, cost: 0.5, cost_per_connect: 0.5, mean_duration: 40 });
  await house.ledger.tallies.fold();
  await books.sql(
    `update carillon.report_tallies set calls = calls + 1 where campaign_id = $1 and part = 'hour'`,
    [campaign],
  );
  expect(await house.faults()).toEqual(['a report differs from the calls that it counts']);
  await books.sql(
    `update carillon.report_tallies set calls = calls - 1 where campaign_id = $1 and part = 'hour'`,
    [campaign],
  );
});
