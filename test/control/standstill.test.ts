import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { forecastCampaign } from '../../src/control/campaigns/forecast.ts';
import { listCampaigns, showCampaign } from '../../src/control/campaigns/show.ts';
import { campaignsStill } from '../../src/control/campaigns/standstill.ts';
import type { ProcessReport } from '../../src/ledger/processes/processes.ts';
import { orderFaults } from '../../src/rules/order.ts';
import type { Cause } from '../../src/rules/standstill.ts';
import {
  type Books,
  type CampaignWish,
  type House,
  openBooks,
  persons,
  workerReport,
} from '../ledger/support.ts';

let books: Books;
let house: House;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books?.close());
beforeEach(() => {
  house = books.house();
});

const worker = (more: Partial<ProcessReport> = {}) =>
  house.ledger.processes.report(workerReport(`${house.baseUrl} worker`, more));

/** A key that dials the campaign, as its planner says each second. */
async function dials(campaign: string, seconds = 0) {
  await house.lane();
  await house.plan(campaign, 1);
  await books.sql(
    `update carillon.attempts set planned_at = planned_at - make_interval(secs => $2) where campaign_id = $1`,
    [campaign, seconds],
  );
}
const pause = (reason: string) => (campaign: string) => house.ledger.campaigns.pause([campaign], reason);
/** The service refuses three creates in a row. */
async function refuseOrder(campaign: string) {
  for (const id of await house.plan(campaign, 3)) {
    await house.admit(id);
    await house.ledger.attempts.refuseOrder(id, 'no such agent', orderFaults);
  }
}
/** Calls one person; the answer is lost. */
async function lose(campaign: string) {
  const [id] = await house.plan(campaign, 1);
  await house.admit(id!);
  await house.crash();
}
async function answered(campaign: string, cost: number) {
  const [id] = await house.plan(campaign, 1);
  await house.call(id!);
  await house.settle(id!, 'answered', { cost });
}
/** Nothing of it changed for minutes. */
async function longAgo(campaign: string) {
  const then = `now() - interval '10 minutes'`;
  await books.sql(`update carillon.campaigns set since = ${then}, updated_at = ${then} where id = $1`, [
    campaign,
  ]);
  await books.sql(`update carillon.lanes set since = ${then} where id = $1`, [await house.lane()]);
}
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

type Way = {
  how: string;
  cause: Cause;
  wish?: CampaignWish;
  stop(campaign: string): Promise<unknown>;
  act: RegExp;
  /** Nobody is told: a person did it, it ends by itself, or the key has an alert. */
  quiet?: true;
};

const ways: Way[] = [
  {
    how: 'a person paused it',
    cause: 'paused',
    stop: pause('paused by hand'),
    act: /campaign resume/,
    quiet: true,
  },
  {
    how: 'its run was interrupted',
    cause: 'paused',
    stop: pause('the run was interrupted'),
    act: /^Resume it: /,
    quiet: true,
  },
  { how: 'its first people were called', cause: 'first', stop: pause('first'), act: /Hear/ },
  {
    how: 'too many calls failed',
    cause: 'stop-at',
    stop: pause('stop-at: 9 of 10 calls failed'),
    act: /fail/,
  },
  {
    how: 'the service refused the order',
    cause: 'order',
    stop: refuseOrder,
    act: /Correct what the service names \(agent: agent-1\)/,
  },
  {
    how: 'history was lost',
    cause: 'history-lost',
    stop: pause('history-lost'),
    act: /ledger confirm/,
    quiet: true,
  },
  { how: 'its run ended', cause: 'no-run', wish: { driver: 'run' }, stop: async () => {}, act: /run again/ },
  {
    how: 'no worker lives',
    cause: 'no-worker',
    stop: () => books.sql(`update carillon.processes set seen_at = now() - interval '1 hour'`),
    act: /carillon worker/,
  },
  {
    how: 'the worker’s planner is stuck',
    cause: 'no-worker',
    stop: () => worker({ loops: [{ name: 'planner', age_ms: 90_000, stuck: true }] }),
    act: /doctor/,
  },
  {
    how: 'the worker’s disk is full',
    cause: 'no-worker',
    stop: () => worker({ trouble: 'file-unwritable' }),
    act: /doctor/,
  },
  {
    how: 'its budget is spent',
    cause: 'budget',
    wish: { maxCost: 1 },
    stop: (campaign) => answered(campaign, 0.95),
    act: /max_cost/,
  },
  {
    how: 'unknown calls hold its budget',
    cause: 'budget',
    wish: { maxCost: 1 },
    async stop(campaign) {
      await answered(campaign, 0.4);
      await lose(campaign);
    },
    act: /^Settle 1 unknown call, which frees what is reserved/,
  },
  {
    how: 'its key has no credit',
    cause: 'no-credit',
    async stop(campaign) {
      const [id] = await house.plan(campaign, 1);
      await house.admit(id!);
      await house.ledger.attempts.park(id!, await house.lane(), 'top up');
    },
    act: /Top up/,
    quiet: true,
  },
  {
    how: 'the service does not accept its key',
    cause: 'refused',
    stop: async () => house.ledger.lanes.deny(await house.lane(), 'revoked'),
    act: /Correct the key/,
    quiet: true,
  },
  {
    how: 'it has had no turn for minutes',
    cause: 'rate',
    async stop(campaign) {
      await dials(campaign);
      await longAgo(campaign);
    },
    act: /carillon keys/,
  },
  {
    how: 'another campaign has the phones',
    cause: 'phone-in-use',
    async stop(campaign) {
      const other = await house.campaign();
      const people = await house.people(campaign);
      await house.add(
        other,
        people.map((person, i) => ({ ...persons(3)[i]!, phone: person.phone })),
      );
      for (const id of await house.plan(other)) await house.call(id);
    },
    act: /have ended/,
  },
  {
    how: 'its start is to come',
    cause: 'start',
    wish: { times: { startAt: tomorrow } as never },
    stop: async () => {},
    act: /by itself/,
    quiet: true,
  },
  {
    how: 'all who are left are unknown',
    cause: 'unknown',
    async stop(campaign) {
      for (const id of await house.plan(campaign)) await house.admit(id);
      await house.crash();
    },
    act: /unknown list/,
  },
];

describe('a campaign that makes no call says why, with one cause, in every place', () => {
  it.each(ways)('$how: $cause', async ({ cause, wish = {}, stop, act, quiet = false }) => {
    await worker();
    const campaign = await house.campaign({ people: 3, ...wish });
    await stop(campaign);
    const { ledger } = house;
    const { standstill, name, waits } = await showCampaign(ledger, campaign);
    expect(standstill, JSON.stringify(waits)).toMatchObject({ cause, people: expect.any(Number) });
    expect(standstill!.act).toMatch(act);
    expect(standstill!.since.getTime()).toBeLessThanOrEqual(Date.now());
    expect(standstill!.message).not.toMatch(/undefined|null|NaN/);
    const { items } = await listCampaigns(ledger, { name, limit: 1 });
    expect(items[0]!.standstill).toEqual(standstill);
    const alerts = await campaignsStill(ledger);
    const told = {
      subject: campaign,
      message: `${name} calls nobody: ${standstill!.message}`,
      remedy: standstill!.act,
    };
    expect(alerts.filter(({ subject }) => subject === campaign)).toEqual(quiet ? [] : [told]);
    const ahead = await forecastCampaign({ ledger, lanes: [], clock: systemClock }, campaign);
    if (!quiet && !/^(?:first|stop-at)$/.test(cause)) expect(ahead.reason).toBe(standstill!.message);
    if (/^(?:budget|rate|phone-in-use|unknown|no-worker|no-run|order)$/.test(cause))
      expect(ahead.ends_at.p50).toBeNull();
  });

  it('one that calls, or has nobody left to call, does not stand still', async () => {
    await worker();
    const campaign = await house.campaign({ people: 1 });
    const [id] = await house.plan(campaign, 1);
    await house.call(id!);
    const cause = async () => (await showCampaign(house.ledger, campaign)).standstill;
    expect(await cause()).toBeNull();
    await house.settle(id!);
    expect(await cause()).toBeNull();
  });

  it('nobody is told of one whose hours are closed, or that waits a moment for its turn', async () => {
    await worker();
    const moment = await house.campaign({ people: 2 });
    await dials(moment);
    expect((await showCampaign(house.ledger, moment)).standstill).toBeNull();
    // As after its budget was raised.
    await longAgo(moment);
    await books.sql('update carillon.campaigns set updated_at = now() where id = $1', [moment]);
    expect((await showCampaign(house.ledger, moment)).standstill).toBeNull();
    const closed = await house.campaign({ people: 2, times: { startAt: tomorrow } as never, driver: 'run' });
    expect((await showCampaign(house.ledger, closed)).standstill).toMatchObject({ cause: 'no-run' });
    expect(await campaignsStill(house.ledger)).toEqual([]);
  });
});
