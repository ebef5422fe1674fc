import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type EventFilter, everyEvent, type LedgerEvent } from '../../src/ledger/events/events.ts';
import { type House, person, persons, shareBooks, suppress, tally } from './support.ts';

/** The ledger's events about the things that it moves. */
const books = await shareBooks();

/** Everything that is numbered by now, after a number. */
async function readAll(
  after: number,
  filter: EventFilter = everyEvent,
  limit = 1_000,
): Promise<LedgerEvent[]> {
  const { events } = books.ledger;
  const last = await events.number();
  const found: LedgerEvent[] = [];
  for (let at = after; at < last; ) {
    const page = await events.read(at, limit, filter);
    found.push(...page.events);
    expect(page.upto).toBeGreaterThan(at);
    at = page.upto;
  }
  return found;
}

/** Does something, and says what was told of it: the types and rows of people. */
async function told(house: House, campaign: string | null, act: () => Promise<unknown>): Promise<string[]> {
  const before = await books.ledger.events.number();
  await act();
  const rows = new Map(campaign ? (await house.people(campaign)).map((each) => [each.id, each.row - 1]) : []);
  const events = await readAll(before);
  return events.map((event) =>
    event.recipientId === null ? event.type : `${event.type} ${rows.get(event.recipientId)}`,
  );
}

describe('the ledger tells', () => {
  it('of an attempt that is placed and done, then of the person, once', async () => {
    const { house, campaign } = await books.campaign({ people: 2, maxAttempts: 2 });
    const [first, second] = await house.plan(campaign);
    expect(await told(house, campaign, () => house.call(first!))).toEqual(['attempt.placed 1']);
    expect(await told(house, campaign, () => house.settle(first!, 'no-answer', { again: 0 }))).toEqual([
      'attempt.done 1',
    ]);
    const [again] = await house.plan(campaign);
    await house.call(again!);
    expect(await told(house, campaign, () => house.settle(again!))).toEqual([
      'attempt.done 1',
      'recipient.done 1',
    ]);
    expect(await told(house, campaign, () => house.settle(again!))).toEqual([]);
    expect(await told(house, campaign, () => house.call(second!))).toEqual(['attempt.placed 2']);
  });

  it('of an attempt that becomes unknown, is found, and is unknown again', async () => {
    const { house, campaign, id } = await books.planned({ people: 1 });
    await house.admit(id);
    expect(await told(house, campaign, () => house.crash())).toEqual(['attempt.unknown 1']);
    expect(await told(house, campaign, () => house.place(id))).toEqual(['attempt.placed 1']);
  });

  it('of a person’s finding about an unknown call', async () => {
    const { house, campaign } = await books.campaign({ people: 2 });
    const [first, second] = await house.plan(campaign);
    for (const id of [first, second]) await house.admit(id!);
    await house.crash();
    const { unknowns } = house.ledger;
    expect(await told(house, campaign, () => unknowns.called(first!))).toEqual([
      'attempt.done 1',
      'recipient.done 1',
    ]);
    expect(await told(house, campaign, () => unknowns.place(second!, 'call-of-2', 60, null))).toEqual([
      'attempt.placed 2',
    ]);
  });

  it('of people who are refused, suppressed, canceled, or barred when they are imported', async () => {
    const { house, campaign, id: first } = await books.planned({ people: 3 }, 1);
    await house.admit(first);
    const { attempts, campaigns, suppressions } = house.ledger;
    const refuse = () => attempts.refusePerson(first, 'not a customer');
    expect(await told(house, campaign, refuse)).toEqual(['recipient.rejected 1']);
    const { phone } = (await house.people(campaign))[1]!;
    expect(await told(house, campaign, () => suppress(house.ledger, [phone]))).toEqual([
      'recipient.skipped 2',
    ]);
    const cancel = () => campaigns.cancel(campaign);
    expect(await told(house, campaign, cancel)).toEqual(['campaign.canceled', 'recipient.skipped 3']);
    const next = await house.campaign();
    const add = (n: number) => house.add(next, [{ ...person(n), phone }, person(n + 1)], { mode: 'more' });
    expect(await told(house, next, () => add(8))).toEqual(['recipient.skipped 8']);
    const others = [person(20), person(21)];
    await suppress(
      house.ledger,
      others.map((each) => each.phone),
    );
    expect(await told(house, next, () => house.add(next, others, { mode: 'more' }))).toEqual([
      'recipient.skipped 10',
      'recipient.skipped 11',
    ]);
    await suppressions.remove([phone, ...others.map((each) => each.phone)]);
  });

  it('of an opt-out after its call and before the end of the person', async () => {
    const { house, campaign } = await books.campaign({ people: 1 });
    const other = await house.campaign();
    await house.add(other, persons(1));
    const [id] = await house.plan(campaign);
    await house.call(id!);
    const events = await told(house, campaign, () => house.settle(id!, 'answered', { optOut: 'said' }));
    expect(events.slice(0, 2)).toEqual(['attempt.done 1', 'recipient.opted_out 1']);
    expect(events.slice(2).sort()).toEqual(['recipient.done 1', 'recipient.skipped undefined']);
    await house.ledger.suppressions.remove([person(1).phone]);
  });

  it('of a campaign from its start to its end', async () => {
    const house = books.house();
    const { campaigns } = house.ledger;
    let draft = '';
    const make = async () => {
      draft = await house.campaign({ people: 0, state: 'draft' });
    };
    expect(await told(house, null, make)).toEqual([]);
    expect(await told(house, null, () => campaigns.resume(draft))).toEqual(['campaign.started']);
    expect(await told(house, null, () => campaigns.pause([draft], 'a person'))).toEqual(['campaign.paused']);
    expect(await told(house, null, () => campaigns.pause([draft], 'a person'))).toEqual([]);
    expect(await told(house, null, () => campaigns.resume(draft))).toEqual(['campaign.resumed']);
    expect(await told(house, null, () => campaigns.finish(house.baseUrl))).toEqual(['campaign.done']);
    expect(await told(house, null, () => house.campaign())).toEqual(['campaign.started']);
  });

  it('of a key that closes and opens, with the key', async () => {
    const house = books.house();
    const lane = await house.lane();
    const before = await books.ledger.events.number();
    await house.ledger.lanes.deny(lane, '401');
    await house.ledger.lanes.open(lane);
    expect(await readAll(before)).toMatchObject([
      { type: 'key.denied', subject: String(lane), campaignId: null },
      { type: 'key.open', subject: String(lane) },
    ]);
  });
});

describe('the events', () => {
  it('are numbered without gaps, and have the same ids however they are read', async () => {
    const house = books.house();
    const before = await books.ledger.events.number();
    const campaign = await house.campaign({ people: 40 });
    const ids = await house.plan(campaign);
    await Promise.all(ids.map((id) => house.call(id)));
    await Promise.all(ids.map((id) => house.settle(id)));
    const all = await readAll(before);
    expect(all.map((event) => event.number)).toEqual(all.map((_, i) => before + 1 + i));
    expect(tally(all.map((event) => event.type))).toEqual({
      'campaign.started': 1,
      'attempt.placed': 40,
      'attempt.done': 40,
      'recipient.done': 40,
    });
    expect(await readAll(before, everyEvent, 7)).toEqual(all);
    const done = await readAll(before, { types: ['recipient.done'], campaignId: campaign }, 3);
    expect(done).toEqual(all.filter((event) => event.type === 'recipient.done'));
    expect([...all].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(all);
    for (const { id, number } of all.slice(0, 5)) {
      expect(await books.ledger.events.place(id)).toBe(number);
    }
  });

  it('are forgotten after their time, but not the newest', async () => {
    const { events } = books.ledger;
    const last = await events.number();
    const [newest] = (await events.read(last - 1, 1)).events;
    const [older] = (await events.read(last - 300, 1)).events;
    expect(await events.forget(3_600, 100_000)).toBe(0);
    // A webhook that is behind needs them.
    const id = randomUUID();
    await books.ledger.webhooks.add(
      { id, url: 'https://a.example', secret: '', events: null, cursor: 0 },
      10,
    );
    expect(await events.forget(0, 100_000)).toBe(0);
    await books.ledger.webhooks.remove(id);
    while ((await events.forget(0, 10)) > 0);
    expect(await events.place(older!.id)).toBeNull();
    expect(await events.place(newest!.id)).toBe(last);
    expect((await events.read(0, 10)).events).toContainEqual(newest);
    expect(await events.place('evt_1')).toBeUndefined();
    // The same number in the history of another ledger.
    const other = newest!.id.replace(/^evt_(.{12})/, 'evt_000000000000');
    expect(await events.place(other)).toBeNull();
  });
});
