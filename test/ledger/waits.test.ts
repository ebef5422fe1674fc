import { expect, it } from 'vitest';
import { showCampaign } from '../../src/control/campaigns/show.ts';
import { persons, shareBooks } from './support.ts';

const books = await shareBooks();

it('a campaign counts why its people wait, through imports, plans, retries and a fold', async () => {
  const { house, campaign } = await books.campaign({ maxAttempts: 2, retry: { busy: [3_600] } });
  await house.add(campaign, persons(5));
  const waits = async () => (await showCampaign(house.ledger, campaign)).waits;
  expect(await waits()).toEqual({ rate: { n: 5, until: null } });
  const [a, b] = await house.plan(campaign, 3);
  // Those that are planned wait in the key's queue.
  expect(await waits()).toEqual({ rate: { n: 5, until: null } });
  await house.call(a!);
  await house.settle(a!, 'busy', { again: 3_600 });
  await house.call(b!);
  await house.settle(b!, 'busy', { again: 7_200 });
  const [row] = await books.sql<{ at: Date }>(
    `select min(next_at) as at from carillon.recipients where campaign_id = $1 and state = 'waiting' and next_at > now()`,
    [campaign],
  );
  const counted = { rate: { n: 3, until: null }, retry: { n: 2, until: row!.at } };
  expect(await waits()).toEqual(counted);
  await house.ledger.tallies.fold();
  expect(await waits()).toEqual(counted);

  // The same list again with one more, and one less.
  await house.add(campaign, persons(5, 2));
  expect(await waits()).toMatchObject({ retry: { n: 2 } });
  expect(await house.faults()).toEqual([]);
  await house.ledger.campaigns.pause([campaign], 'by hand');
  const { paused, ...others } = await waits();
  expect(others).toEqual({});
  expect(paused!.n).toBe((await house.states(campaign)).filter((state) => state !== 'calling').length);
  await house.ledger.tallies.fold();
});

it('a person who waits for a phone that another campaign calls is counted so', async () => {
  const { house, campaign: first } = await books.campaign();
  const second = await house.campaign();
  for (const each of [first, second]) await house.add(each, persons(2));
  const [id] = await house.plan(first, 1);
  await house.call(id!);
  const { waits } = await showCampaign(house.ledger, second);
  expect(waits).toEqual({ rate: { n: 1, until: null }, 'phone-in-use': { n: 1, until: null } });
});
