import { describe, expect, it } from 'vitest';
import type { PlanRequest } from '../../src/ledger/attempts/attempts.ts';
import { type House, persons, shareBooks, tally } from './support.ts';

const books = await shareBooks();

/** Headroom for this many, and at most one job ahead of what others plan. */
type Round = { headroom: number; lead?: number; limit?: number; places?: string[] | null };

function requestOf(id: string, { headroom, limit = headroom, places = null }: Round): PlanRequest {
  return { id, limit, due: limit === 0 ? 0 : limit + 1, queued: 0, places };
}

/** The campaigns of one round's attempts, in the order in which they are dialled. */
async function round(house: House, campaigns: string[], how: Round): Promise<string[]> {
  const wishes = campaigns.map((id) => requestOf(id, how));
  const planned = await house.ledger.attempts.plan(await house.lane(), wishes, how.headroom, how.lead ?? 1);
  return planned.map((attempt) => attempt.campaignId);
}

async function longList(house: House, weight = 1, people = 200): Promise<string> {
  return house.campaign({ people, weight });
}

describe('campaigns on one key', () => {
  it('of the same weight take turns', async () => {
    const house = books.house();
    const [a, b] = [await longList(house), await longList(house)];
    expect(await round(house, [a, b], { headroom: 6 })).toEqual([a, b, a, b, a, b]);
    expect(await round(house, [b, a], { headroom: 3 })).toEqual([a, b, a]);
    expect(await round(house, [a, b], { headroom: 3 })).toEqual([b, a, b]);
  });

  it('share by their weights, in every stretch of the queue', async () => {
    const house = books.house();
    const [three, one] = [await longList(house, 3), await longList(house, 1)];
    const order: string[] = [];
    for (let i = 0; i < 8; i++) order.push(...(await round(house, [three, one], { headroom: 5 })));
    expect(tally(order)).toEqual({ [three]: 30, [one]: 10 });
    for (let at = 0; at + 8 <= order.length; at += 4) {
      expect(tally(order.slice(at, at + 4))).toEqual({ [three]: 3, [one]: 1 });
    }
  });

  it('let a short list through when the long one has hardly moved', async () => {
    const house = books.house();
    const long = await longList(house, 1, 2_000);
    expect(await round(house, [long], { headroom: 20 })).toHaveLength(20);
    const short = await house.campaign({ people: 10 });
    const order: string[] = [];
    while (!order.includes(short) || (await house.states(short)).includes('waiting')) {
      order.push(...(await round(house, [long, short], { headroom: 4 })));
    }
    expect(tally(order)).toEqual({ [long]: 10, [short]: 10 });
    expect(tally(await house.states(long)).waiting).toBe(1_970);
  });

  it('give a late campaign no credit for the time before it came', async () => {
    const house = books.house();
    const [early, late] = [await longList(house), await longList(house)];
    await round(house, [early], { headroom: 50 });
    expect(tally(await round(house, [early, late], { headroom: 10 }))).toEqual({ [early]: 5, [late]: 5 });
  });

  it('give the share of one that rests to the others, and save nothing up for it', async () => {
    const house = books.house();
    const [a, b] = [await longList(house), await longList(house)];
    await round(house, [a, b], { headroom: 4 });
    // Its window is closed, or it has reached its cap of calls.
    const lane = await house.lane();
    const rests = [requestOf(a, { headroom: 20 }), { ...requestOf(b, { headroom: 20, limit: 0 }) }];
    expect(await house.ledger.attempts.plan(lane, rests, 20, 1)).toHaveLength(20);
    expect(tally(await round(house, [a, b], { headroom: 10 }))).toEqual({ [a]: 5, [b]: 5 });
  });

  it('give the share of one that was paused to the others, and save nothing up for it', async () => {
    const house = books.house();
    const [a, b] = [await longList(house), await longList(house)];
    await round(house, [a, b], { headroom: 4 });
    await house.ledger.campaigns.pause([b], 'a person');
    expect(tally(await round(house, [a], { headroom: 20 }))).toEqual({ [a]: 20 });
    await house.ledger.campaigns.resume(b);
    expect(tally(await round(house, [a, b], { headroom: 10 }))).toEqual({ [a]: 5, [b]: 5 });
  });

  it('use what a campaign leaves when it has fewer people than expected', async () => {
    const house = books.house();
    const [few, many] = [await house.campaign({ people: 2 }), await longList(house)];
    expect(tally(await round(house, [few, many], { headroom: 10 }))).toEqual({ [few]: 2, [many]: 8 });
    expect(await round(house, [few, many], { headroom: 5 })).toEqual([many, many, many, many, many]);
  });

  it('use what a campaign leaves when its people are in closed zones', async () => {
    const house = books.house();
    const [asleep, awake] = [await longList(house), await longList(house)];
    const wishes = [
      requestOf(asleep, { headroom: 10, places: ['Asia/Tokyo'] }),
      requestOf(awake, { headroom: 10 }),
    ];
    const planned = await house.ledger.attempts.plan(await house.lane(), wishes, 10, 1);
    expect(tally(planned.map((attempt) => attempt.campaignId))).toEqual({ [awake]: 10 });
  });

  it('have separate turns on each key', async () => {
    const house = books.house();
    const [a, b] = [await longList(house), await longList(house)];
    await round(house, [a], { headroom: 10 });
    const other = await house.lane('other');
    const wishes = [a, b].map((id) => requestOf(id, { headroom: 4 }));
    const planned = await house.ledger.attempts.plan(other, wishes, 4, 1);
    expect(planned.map((attempt) => attempt.campaignId)).toEqual([a, b, a, b]);
  });

  it('share by weight also when each has its own planner process', async () => {
    const house = books.house();
    const [three, one] = [await longList(house, 3), await longList(house, 1)];
    // Both are there before either goes ahead.
    const order = [
      ...(await round(house, [one], { headroom: 1 })),
      ...(await round(house, [three], { headroom: 1 })),
    ];
    // The light one asks first, and for as much as it can get.
    for (let i = 0; i < 20; i++) {
      order.push(
        ...(await round(house, [one], { headroom: 20 })),
        ...(await round(house, [three], { headroom: 4 })),
      );
    }
    const { [three]: heavy, [one]: light } = tally(order);
    expect(heavy! / light!).toBeGreaterThan(2.5);
    expect(heavy! / light!).toBeLessThan(3.5);
  });

  it('are not delayed by one whose process is gone', async () => {
    const house = books.house();
    const [gone, here] = [await longList(house), await longList(house)];
    await round(house, [gone], { headroom: 1 });
    expect((await round(house, [here], { headroom: 20 })).length).toBeLessThan(4);
    await books.sql(
      `update carillon.shares set seen_at = seen_at - interval '6 seconds' where campaign_id = $1`,
      [gone],
    );
    expect(await round(house, [here], { headroom: 20 })).toHaveLength(20);
    // When it comes back, it has no more than its share.
    expect(tally(await round(house, [gone, here], { headroom: 10 }))).toEqual({ [gone]: 5, [here]: 5 });
  });

  it('are not delayed by one whose queue is stuck', async () => {
    const house = books.house();
    const [stuck, here] = [await longList(house), await longList(house)];
    const lane = await house.lane();
    await round(house, [stuck], { headroom: 10 });
    expect((await round(house, [here], { headroom: 20 })).length).toBeLessThan(4);
    // Its planner is alive, but nobody dials what it has planned.
    await books.sql(
      `update carillon.shares set free_at = free_at - interval '6 seconds' where campaign_id = $1`,
      [stuck],
    );
    const waits = { ...requestOf(stuck, { headroom: 10 }), queued: 10 };
    expect(await house.ledger.attempts.plan(lane, [waits], 0, 1)).toEqual([]);
    expect(await round(house, [here], { headroom: 20 })).toHaveLength(20);
  });

  it('of another process are waited for by level, whatever waits in their queue', async () => {
    const house = books.house();
    const [slow, fast] = [await longList(house), await longList(house)];
    const lane = await house.lane();
    const ask = async (id: string, queued: number, headroom: number) =>
      (await house.ledger.attempts.plan(lane, [{ ...requestOf(id, { headroom: 50 }), queued }], headroom, 20))
        .length;
    expect(await ask(slow, 0, 30)).toBe(30);
    // It starts level with the slow one, ignoring all that waits, and gets ten ahead.
    expect(await ask(fast, 0, 50)).toBe(11);
    expect(await ask(fast, 0, 50)).toBe(0);
    // Six of the thirty are dialled.
    expect(await ask(slow, 24, 0)).toBe(0);
    expect(await ask(fast, 0, 50)).toBe(6);
  });

  it('by many planners at once share as by one, and nobody is claimed twice', async () => {
    const house = books.house();
    const [two, one] = [await longList(house, 2), await longList(house, 1)];
    const lane = await house.lane();
    const wishes = [two, one].map((id) => requestOf(id, { headroom: 6 }));
    const rounds = await Promise.all(
      Array.from({ length: 12 }, () => house.ledger.attempts.plan(lane, wishes, 6, 1)),
    );
    const planned = rounds.flat();
    expect(new Set(planned.map((attempt) => attempt.id)).size).toBe(72);
    expect(tally(planned.map((attempt) => attempt.campaignId))).toEqual({ [two]: 48, [one]: 24 });
  });

  it('keep a promised time before first attempts', async () => {
    const { house, campaign } = await books.campaign({ people: 5, maxAttempts: 2, retry: { busy: [60] } });
    const [first] = await house.plan(campaign, 1);
    await house.call(first!);
    await house.settle(first!, 'busy', { again: 60 });
    await books.sql(
      `update carillon.recipients set next_at = now() - interval '1 second'
       where campaign_id = $1 and next_at > now()`,
      [campaign],
    );
    const [again] = await house.plan(campaign, 1);
    expect((await house.ledger.attempts.load(again!))!.number).toBe(2);
  });

  it('keep the list’s order and promised times also when a window is open only in some zones', async () => {
    const { house, campaign } = await books.campaign({ maxAttempts: 2, retry: { busy: [60] } });
    const places = ['Asia/Tokyo', 'UTC', 'Europe/Berlin'];
    await house.add(
      campaign,
      persons(9).map((row, i) => ({ ...row, place: places[i % 3]! })),
    );
    const awake = ['UTC', 'Europe/Berlin'];
    const rowOf = async (id: string) => (await house.attempt(id)).row;
    const first = await house.plan(campaign, 3, awake);
    expect(await Promise.all(first.map(rowOf))).toEqual([3, 4, 6]);
    await house.call(first[0]!);
    await house.settle(first[0]!, 'busy', { again: 60 });
    await books.sql(
      `update carillon.recipients set next_at = now() - interval '1 second'
       where campaign_id = $1 and next_at > now()`,
      [campaign],
    );
    const next = await house.plan(campaign, 9, awake);
    expect(await Promise.all(next.map(rowOf))).toEqual([3, 7, 9, 10]);
    expect(tally(await house.states(campaign))).toEqual({ waiting: 3, queued: 6 });
  });

  it('refuse an invalid weight', async () => {
    const house = books.house();
    await expect(house.campaign({ weight: 0 })).rejects.toThrow();
    await expect(house.campaign({ weight: 101 })).rejects.toThrow();
  });
});
