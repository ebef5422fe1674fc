import { describe, expect, it } from 'vitest';
import { showAllSeries, showCampaignSeries } from '../../src/control/campaigns/series.ts';
import { shareBooks } from './support.ts';

const books = await shareBooks();

/** The steps in which something happened. */
async function busySteps(campaign: string, query: Record<string, string> = {}) {
  const clock = { now: () => Date.now() + 60_000 };
  const { items } = await showCampaignSeries({ ledger: books.ledger, clock }, campaign, query);
  return items.filter((item) => item.begun + item.calls + item.requests.create + item.refused > 0);
}

type Step = Awaited<ReturnType<typeof busySteps>>[number];
const summed = (items: readonly Step[], read: (item: Step) => number) =>
  items.reduce((sum, item) => sum + read(item), 0);

describe('a campaign’s series', () => {
  it('tells what began, ended, was answered and cost, each once, however often it is folded', async () => {
    const { house, campaign } = await books.campaign({ people: 4 });
    const [a, b, c] = await house.plan(campaign);
    await house.ledger.tallies.fold();
    expect(await busySteps(campaign)).toEqual([]);
    for (const id of [a!, b!, c!]) await house.call(id);
    await house.settle(a!, 'answered', { cost: 0.2 });
    await house.ledger.tallies.fold();
    await house.ledger.tallies.fold();
    await house.settle(b!, 'no-answer', { cost: null });
    await house.ledger.tallies.fold();
    const steps = await busySteps(campaign);
    expect(summed(steps, ({ begun }) => begun)).toBe(3);
    expect(summed(steps, ({ calls }) => calls)).toBe(2);
    expect(summed(steps, ({ connects }) => connects)).toBe(1);
    expect(summed(steps, ({ outcomes }) => outcomes['no-answer'] ?? 0)).toBe(1);
    expect(summed(steps, ({ cost }) => cost ?? 0)).toBeCloseTo(0.2);
    expect(summed(steps, ({ requests }) => requests.create)).toBe(3);
    // The same by the hour.
    expect(summed(await busySteps(campaign, { step: 'hour' }), ({ begun }) => begun)).toBe(3);
  });

  it('counts a call once that nobody knows of, whatever a person finds out', async () => {
    const { house, campaign, id: a } = await books.planned({ people: 2 }, 1);
    await house.admit(a);
    await house.crash();
    await house.ledger.tallies.fold();
    expect(summed(await busySteps(campaign), ({ begun }) => begun)).toBe(1);
    await house.free(a);
    await house.ledger.tallies.fold();
    expect(summed(await busySteps(campaign), ({ begun }) => begun)).toBe(1);
  });

  it('adds what processes saw of refusals and late results', async () => {
    const { house, campaign } = await books.campaign({ people: 1 });
    const { series } = house.ledger;
    await series.see([{ id: campaign, refused: 2, lags: 2, lagSum: 3, lagMax: 2.5 }]);
    await series.see([{ id: campaign, refused: 1, lags: 1, lagSum: 3, lagMax: 3 }]);
    const steps = await busySteps(campaign, { step: 'hour' });
    expect(summed(steps, ({ refused }) => refused)).toBe(3);
    expect(steps.at(-1)).toMatchObject({ result_lag: { mean: 2, max: 3 } });
    // A campaign that is gone gets no rows.
    await series.see([
      { id: '00000000-0000-4000-8000-000000000000', refused: 1, lags: 0, lagSum: 0, lagMax: 0 },
    ]);
  });

  it('has a point for each step, few enough to draw, and refuses more', async () => {
    const { house, campaign } = await books.campaign();
    const now = Date.parse('2026-03-02T12:00:30Z');
    const show = (query: object) =>
      showCampaignSeries({ ledger: house.ledger, clock: { now: () => now } }, campaign, query);
    expect(await show({})).toMatchObject({ step: 'minute', step_seconds: 60 });
    expect((await show({})).items).toHaveLength(61);
    expect((await show({ since: '2026-03-01T00:00:00Z' })).step).toBe('hour');
    expect((await show({ since: '2026-03-02T00:00:00Z' })).step).toBe('5min');
    expect((await show({ since: '2025-03-01T00:00:00Z' })).step).toBe('day');
    await expect(show({ since: '2026-02-01T00:00:00Z', step: 'minute' })).rejects.toThrow('more than 1500');
    await expect(show({ since: '2026-04-01T00:00:00Z' })).rejects.toThrow('since');
    await expect(show({ since: 'noon' })).rejects.toThrow('must be a time');
  });

  it('tells the limits of the open keys together; a key that tells nothing is as it was', async () => {
    const { house, campaign } = await books.campaign();
    const [main, other] = [await house.lane('main'), await house.lane('other')];
    const tell = (lane: number, at: string, state: string, believed: number | null) =>
      books.sql(
        `insert into carillon.lane_series values ($1, 60, $2, $3, 5, $4, 1, null, false, 0, 0, 0, 0, 0, 0, 0, 0)`,
        [lane, `2026-03-02T${at}:00Z`, state, believed],
      );
    await tell(main, '11:01', 'open', null);
    await tell(main, '11:02', 'open', 10);
    await tell(other, '11:03', 'open', 2.5);
    await tell(main, '11:05', 'out_of_credit', 10);
    const clock = { now: () => Date.parse('2026-03-02T12:00:30Z') };
    const since = '2026-03-02T11:00:00Z';
    const { items } = await showCampaignSeries({ ledger: house.ledger, clock }, campaign, { since });
    expect(items.slice(0, 7).map(({ limit }) => limit)).toEqual([null, null, 10, 12.5, 12.5, 2.5, 2.5]);
  });

  it('forgets minutes that are old, keeps hours, and goes with its campaign', async () => {
    const { house, campaign } = await books.campaign({ state: 'draft' });
    const { series } = house.ledger;
    await series.see([{ id: campaign, refused: 1, lags: 0, lagSum: 0, lagMax: 0 }]);
    await books.sql(
      `update carillon.campaign_series set at = at - interval '31 days' where campaign_id = $1`,
      [campaign],
    );
    expect(await series.forget()).toBe(false);
    const left = () =>
      books.sql('select step from carillon.campaign_series where campaign_id = $1', [campaign]);
    expect(await left()).toEqual([{ step: 3600 }]);
    expect(await house.ledger.campaigns.startDelete(campaign)).toBe(null);
    while (!(await house.ledger.campaigns.deleteSome(campaign)));
    expect(await left()).toEqual([]);
  });
});

describe('the series of all campaigns', () => {
  it('adds them up by hour and by day, and has no shorter step', async () => {
    const house = books.house();
    for (const id of [await house.campaign(), await house.campaign()])
      await books.sql(
        `insert into carillon.campaign_series (campaign_id, step, at, begun, calls, answered, cost, costed)
         values ($1, 3600, '2026-03-02T10:00Z', 3, 2, 1, 0.5, 2), ($1, 3600, '2026-03-02T11:00Z', 1, 1, 0, 0, 0),
           ($1, 60, '2026-03-02T10:00Z', 3, 2, 1, 0.5, 2)`,
        [id],
      );
    const access = { ledger: house.ledger, clock: { now: () => Date.parse('2026-03-02T12:30:00Z') } };
    const since = '2026-03-02T10:00:00Z';
    const { step, items } = await showAllSeries(access, { since });
    expect(step).toBe('hour');
    expect(items.map(({ begun, calls, connects, cost }) => [begun, calls, connects, cost])).toEqual([
      [6, 4, 2, 1],
      [2, 2, 0, null],
      [0, 0, 0, null],
    ]);
    const days = await showAllSeries(access, { since, step: 'day' });
    expect(days.items.map(({ calls }) => calls)).toEqual([6]);
    await expect(showAllSeries(access, { since, step: 'minute' })).rejects.toThrow('step');
  });
});
