import { expect, it } from 'vitest';
import type { CallOrder } from '../../src/ledger/calls/add.ts';
import { writtenPolicy } from '../../src/ledger/policies/policies.ts';
import { shareBooks, suppress } from './support.ts';

/** Single calls that are ordered at the same time: added together, and judged one by one. */
const books = await shareBooks();

const phone = (n: number) => `+1415556${String(n).padStart(4, '0')}`;

function call(n: number, more: Partial<CallOrder> = {}): CallOrder {
  return { phone: phone(n), name: null, place: '', variables: {}, override: null, request: null, ...more };
}

it('of many orders at once, one that is refused or wrong fails none of the others', async () => {
  const house = books.house();
  const { calls } = house.ledger;
  const running = await house.campaign({ kind: 'calls' });
  const other = await house.campaign({ kind: 'calls' });
  const paused = await house.campaign({ kind: 'calls' });
  await house.ledger.campaigns.pause([paused], 'a pause');
  await suppress(house.ledger, [phone(1)]);
  const request = { ref: 'of these calls', asked: 'the same' };
  const alone = calls.add(running, call(2));
  // While the first one commits, these come together.
  const together = [
    calls.add(running, call(1)),
    calls.add(running, call(3, { variables: { city: 'Bonn' }, overriddenBy: 'ann' })),
    calls.add(other, call(3)),
    calls.add(paused, call(4)),
    calls.add(running, call(5, { request })),
    calls.add(running, call(5, { request })),
    calls.add('no campaign', call(6)),
  ];
  expect(await alone).toMatchObject({ id: expect.any(Number), campaign: 'running', suppressed: false });
  const settled = await Promise.allSettled(together);
  const ended = settled.map((each) => (each.status === 'fulfilled' ? each.value : each.status));
  const added = { id: expect.any(Number), attempt: null, campaign: 'running', suppressed: false };
  expect(ended).toEqual([
    { id: null, attempt: null, campaign: 'running', suppressed: true },
    added,
    added,
    { id: null, attempt: null, campaign: 'paused', suppressed: false },
    expect.anything(),
    expect.anything(),
    'rejected',
  ]);
  const [first, second] = [ended[4], ended[5]] as { id: number | null }[];
  expect([first!.id, second!.id].filter((id) => id !== null)).toHaveLength(1);
  const rows = await books.sql<{ row: number; phone: string }>(
    'select row, phone from carillon.recipients where campaign_id = $1 order by row',
    [running],
  );
  expect(rows.map((each) => each.row)).toEqual([1, 2, 3]);
  expect(rows.map((each) => each.phone).sort()).toEqual([2, 3, 5].map(phone));
  expect(await house.states(other)).toEqual(['waiting']);
  expect(await house.states(paused)).toEqual([]);
  const { columns } = await house.ledger.campaigns.get(running);
  expect(columns).toEqual(['city']);
  const told = await books.sql('select detail from carillon.history where kind = $1', ['policy-ignored']);
  expect(told).toEqual([{ detail: 'ann' }]);
});

it('an order that a rule holds says so, and the ones next to it wait for nothing', async () => {
  const house = books.house();
  const { calls, policies } = house.ledger;
  const campaign = await house.campaign({ kind: 'calls' });
  const ignoring = await house.campaign({ kind: 'calls' });
  await books.sql(
    `update carillon.campaigns set terms = terms || '{"times": {"ignoresPolicy": true}}' where id = $1`,
    [ignoring],
  );
  await books.sql(
    `insert into carillon.phone_calls (phone, at, ended_at, answered, attempt_id)
     values ($1, now(), now(), false, gen_random_uuid())`,
    [phone(21)],
  );
  await policies.set(writtenPolicy({ gap: '4h' }), 'api');
  const orders = [campaign, campaign, ignoring].map((id, n) => calls.add(id, call(n === 1 ? 22 : 21)));
  const ids = (await Promise.all(orders)).map(({ id }) => id!);
  const found = await Promise.all(ids.map((id) => calls.find(id)));
  expect(found.map((each) => each?.held ?? null)).toEqual(['gap', null, null]);
  const lane = await house.lane();
  const [held, planned] = await Promise.all([21, 23].map((n) => calls.add(campaign, call(n, { lane }))));
  expect([held!.id, held!.attempt]).toEqual([expect.any(Number), null]);
  expect((await house.attempt(planned!.attempt!)).state).toBe('planned');
});
