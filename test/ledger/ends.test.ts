import { expect, it } from 'vitest';
import { person, persons, shareBooks, tally } from './support.ts';

/** A campaign whose end has come: people not called are skipped, and calls in progress are followed to their end. */
const books = await shareBooks();
const past = '2020-01-01T00:00:00.000Z';

it('people who were not called by the end are skipped with that reason, and calls in progress are left', async () => {
  const { house, campaign } = await books.campaign({});
  await house.add(campaign, persons(4));
  const [first] = await house.plan(campaign, 1);
  await house.call(first!);
  await house.ledger.campaigns.sweep(house.baseUrl);
  expect(tally(await house.states(campaign))).toEqual({ calling: 1, waiting: 3 });
  const { id: _, ...order } = await house.ledger.campaigns.get(campaign);
  await house.ledger.campaigns.change(campaign, { ...order, times: { endAt: past } });
  while (await house.ledger.campaigns.sweep(house.baseUrl));
  expect(tally(await house.states(campaign))).toEqual({ calling: 1, skipped: 3 });
  const reasons: { reason: string }[] = await books.sql(
    `select distinct reason from carillon.recipients where campaign_id = $1 and state = 'skipped'`,
    [campaign],
  );
  expect(reasons).toEqual([{ reason: 'ended' }]);
  await house.settle(first!, 'answered');
  expect(tally(await house.states(campaign))).toEqual({ done: 1, skipped: 3 });
});

it('a paused campaign ends too, and another that ends later does not', async () => {
  const { house, campaign } = await books.campaign({ times: { endAt: past } });
  const other = await house.campaign({ times: { endAt: '2999-01-01T00:00:00.000Z' } });
  await house.add(campaign, [person(1)]);
  await house.add(other, [person(2)]);
  await house.ledger.campaigns.pause([campaign], 'by hand');
  while (await house.ledger.campaigns.sweep(house.baseUrl));
  expect(tally(await house.states(campaign))).toEqual({ skipped: 1 });
  expect(tally(await house.states(other))).toEqual({ waiting: 1 });
});
