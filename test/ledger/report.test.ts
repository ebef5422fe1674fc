import { expect, it } from 'vitest';
import { reportCampaign } from '../../src/control/campaigns/report.ts';
import { listCampaigns, showCampaign } from '../../src/control/campaigns/show.ts';
import { shareBooks } from './support.ts';

const books = await shareBooks();

const callers = [{ number: '+14155550100' }, { numberId: 'second' }];

it('a report tells by hour, weekday, caller and attempt how the calls ended', async () => {
  const { house, campaign } = await books.campaign({
    people: 4,
    callers,
    maxAttempts: 2,
    retry: { busy: [1] },
  });
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
    people_called: 4,
    people_reached: 3,
    reach_rate: 0.75,
  });
  const values = async (by: string) => (await report(by)).items.map(({ value, calls }) => [value, calls]);
  expect(await values('hour')).toEqual([
    ['09', 2],
    ['10', 2],
    [null, 1],
  ]);
  expect((await values('day')).map(([, calls]) => calls).reduce((a, b) => Number(a) + Number(b))).toBe(5);
  expect((await values('day')).at(-1)).toEqual([null, 1]);
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

it('the day of a call is the date that the person’s clock showed', async () => {
  const zones = [
    'Pacific/Kiritimati',
    'Pacific/Niue',
    'Asia/Kathmandu',
    'Asia/Kolkata',
    'America/Los_Angeles',
    'UTC',
  ];
  const times = Array.from({ length: 40 }, (_, nth) => new Date(Date.UTC(2026, 1, 27, nth * 5, nth * 7)));
  const asked = zones.flatMap((zone) =>
    times.map((at) => {
      const shown = new Intl.DateTimeFormat('en-CA', {
        timeZone: zone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        hourCycle: 'h23',
        weekday: 'short',
      }).formatToParts(at);
      const of = (type: string) => shown.find((part) => part.type === type)!.value;
      const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(of('weekday'));
      const day = `${of('year')}-${of('month')}-${of('day')}`;
      return { zone, at, hour: weekday * 24 + Number(of('hour')), day };
    }),
  );
  for (const { zone, at, hour, day } of asked) {
    const [row] = await books.sql<{ day: string }>(
      'select carillon.local_day($1::timestamptz, $2::smallint)::text as day',
      [at.toISOString(), hour],
    );
    expect([zone, at, row!.day]).toEqual([zone, at, day]);
  }
});

it('answered calls and people reached are counted once, whatever becomes of the people afterwards', async () => {
  const { house, campaign } = await books.campaign({
    people: 6,
    maxAttempts: 3,
    retry: { busy: [1], 'no-answer': [1] },
  });
  const answers = async () => {
    const { answers: shown, balance } = await showCampaign(house.ledger, campaign);
    const { total } = await reportCampaign(house.ledger, campaign, {});
    const { items } = await listCampaigns(house.ledger, {});
    expect(items.find(({ id }) => id === campaign)!.answers).toEqual(shown);
    const { answered, ...same } = shown;
    expect(total).toMatchObject(same);
    expect(total.outcomes.answered ?? 0).toBe(answered);
    expect(await house.faults()).toEqual([]);
    return [shown.answered, shown.calls, shown.people_reached, shown.people_called, balance.done];
  };
  expect((await showCampaign(house.ledger, campaign)).answers).toEqual({
    calls: 0,
    connect_rate: null,
    answered: 0,
    people_called: 0,
    people_reached: 0,
    reach_rate: null,
  });
  const [a, b, c, d] = await house.plan(campaign, 4);
  for (const id of [a!, b!, c!]) await house.call(id);
  await house.settle(a!, 'answered');
  await house.settle(b!, 'busy', { again: 0 });
  // A person who waits for a retry has been called.
  expect(await answers()).toEqual([1, 2, 1, 2, 1]);
  // A call in progress and an unknown one have not ended.
  await house.admit(d!);
  await house.crash();
  expect(await answers()).toEqual([1, 2, 1, 2, 1]);
  await house.ledger.tallies.fold();
  await house.settle(c!, 'no-answer', { again: 0 });
  // A call that a person vouches for has ended, and nobody knows how.
  expect(await house.ledger.unknowns.called(d!, null)).toBeTruthy();
  expect(await answers()).toEqual([1, 4, 1, 4, 2]);
  // Tried again: the first answers now, and a person who was reached stays reached.
  const retried = await house.retry(campaign, ['answered']);
  expect(retried).toBe(1);
  await books.sql(
    `update carillon.recipients set next_at = now() where campaign_id = $1 and state = 'waiting' and outcome is not null`,
    [campaign],
  );
  const seconds = await house.plan(campaign);
  const numbers: { id: string; number: number; outcome: string }[] = await books.sql(
    `select a.id, a.number, r.outcome from carillon.attempts a join carillon.recipients r on r.id = a.recipient_id
     where a.campaign_id = $1 and a.state = 'planned'`,
    [campaign],
  );
  expect(numbers.filter(({ number }) => number === 2)).toHaveLength(3);
  for (const id of seconds) await house.call(id);
  for (const { id, outcome } of numbers.filter(({ number }) => number === 2))
    await house.settle(id, outcome === 'busy' ? 'answered' : 'no-answer', { again: 0 });
  expect(await answers()).toEqual([2, 7, 2, 4, 1]);
  await house.ledger.tallies.fold();
  expect(await answers()).toEqual([2, 7, 2, 4, 1]);
});

it('a late record is added to the report, and the audit sees a sum that is wrong', async () => {
  const { house, campaign, id } = await books.planned({ people: 1 });
  await house.call(id);
  await house.settle(id, 'answered', { cost: null, duration: null });
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
