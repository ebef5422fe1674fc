import { describe, expect, it } from 'vitest';
import type { NewRecipient } from '../../src/ledger/people/lines.ts';
import { shareBooks } from './support.ts';

/** People with several numbers: one call at a time over all of them, in their order. */
const books = await shareBooks();

let used = 0;
/** Numbers that nobody else of this file has. */
const numbers = (n: number) =>
  Array.from({ length: n }, () => `+141${String(5_666_000 + ++used).padStart(8, '0')}`);

function someone(row: number, phones: string[], passed: (string | null)[] = []): NewRecipient {
  const place = 'America/Los_Angeles';
  const all = phones.map((phone, n) => ({ phone, place, passed: passed[n] ?? null }));
  const first = all.find((each) => each.passed === null)!;
  const input = Object.fromEntries(phones.map((phone, n) => [`phone${n + 1}`, phone]));
  return {
    row,
    phone: first.phone,
    name: 'Ann',
    place,
    input,
    variables: {},
    ...(phones.length > 1 && { phones: all }),
  };
}

const twice = { maxAttempts: 9, retry: { 'no-answer': [0], answered: [0], busy: [0], failed: [0] } };

async function shownOf(campaign: string) {
  return books.sql<{
    phone: string;
    state: string;
    phones: { phone: string; passed: string | null }[] | null;
  }>('select phone, state, phones from carillon.results where campaign_id = $1 order by row', [campaign]);
}

/** A person with these numbers on a list of their own. */
async function withNumbers(count: 2 | 3 | 4 = 2) {
  const house = books.house();
  const [a = '', b = '', c = '', d = ''] = numbers(count);
  const id = await house.campaign(twice);
  await house.add(id, [someone(2, [a, b, c, d].slice(0, count))]);
  return { house, id, a, b, c, d };
}

describe('a person with several numbers', () => {
  it('is one person, called on the next number where the one before reached nobody', async () => {
    const house = books.house();
    const [a, b, c] = numbers(3);
    const id = await house.campaign(twice);
    expect(await house.add(id, [someone(2, [a!, b!, c!])])).toMatchObject({ new: 1, waiting: 1 });
    const called: string[] = [];
    for (const outcome of ['no-answer', 'busy', 'answered', 'failed', 'no-answer']) {
      const [attempt] = await house.plan(id);
      called.push((await house.attempt(attempt!)).phone);
      await house.call(attempt!);
      await house.settle(attempt!, outcome, { again: 0 });
    }
    // Who was reached is called there again.
    expect(called).toEqual([a, b, c, c, a]);
    const [shown] = await shownOf(id);
    // The last one tried, though the next is due.
    expect(shown).toMatchObject({ phone: a, state: 'waiting' });
    expect(shown!.phones!.map(({ phone }) => phone)).toEqual([a, b, c]);
  });

  it.each(['waits for it', 'is planned on it'])(
    'shows the number that was called last when the campaign ends while the next one %s',
    async (when) => {
      const { house, id, a } = await withNumbers();
      const [first] = await house.plan(id);
      await house.call(first!);
      await house.settle(first!, 'no-answer', { again: 0 });
      if (when === 'is planned on it') expect(await house.plan(id)).toHaveLength(1);
      await house.ledger.campaigns.cancel(id);
      expect(await shownOf(id)).toMatchObject([{ phone: a, state: 'done' }]);
    },
  );

  it('is known again in a list of thousands that was written a moment ago', async () => {
    const { house, campaign: id } = await books.campaign(twice);
    const list = Array.from({ length: 4_000 }, (_, n) => someone(n + 2, numbers(2)));
    expect(await house.add(id, list)).toMatchObject({ new: 4_000 });
    const turned = list.map((each) => ({
      ...each,
      phone: each.phones![1]!.phone,
      phones: [...each.phones!].reverse(),
    }));
    expect(await house.add(id, turned)).toMatchObject({ new: 0, known: 4_000 });
  });

  it('says before each verdict whether a number is left in this round', async () => {
    const { house, id } = await withNumbers();
    const ahead: (boolean | undefined)[] = [];
    for (const _ of [1, 2, 3]) {
      const [attempt] = await house.plan(id);
      ahead.push((await house.ledger.attempts.load(attempt!))?.hasNextPhone);
      await house.call(attempt!);
      await house.settle(attempt!, 'no-answer', { again: 0 });
    }
    expect(ahead).toEqual([true, false, true]);
  });

  it('has one call at a time over all numbers, whoever else has one of them', async () => {
    const house = books.house();
    const [a, b, c] = numbers(3);
    const first = await house.campaign(twice);
    const second = await house.campaign(twice);
    const third = await house.campaign(twice);
    await house.add(first, [someone(2, [a!, b!])]);
    await house.add(second, [someone(2, [c!, b!])]);
    await house.add(third, [someone(2, [b!])]);
    const plans = await Promise.all([first, second, third].map((each) => house.plan(each)));
    const [one, two, three] = plans.flat();
    const verdicts = await Promise.all([one!, two!, three].map((each) => each && house.admit(each)));
    // They were planned at once; the number that they share goes to one.
    expect(verdicts.filter((each) => each === 'open')).toHaveLength(1);
    const [open] = [one, two, three].filter((_, n) => verdicts[n] === 'open');
    await house.place(open!);
    for (const each of [first, second, third]) expect(await house.plan(each)).toEqual([]);
    expect(await house.faults()).toEqual([]);
    await house.settle(open!, 'answered');
    const held = await books.sql('select from carillon.live_phones where attempt_id = $1', [open]);
    expect(held).toEqual([]);
    const rest = [one, two, three].filter((each) => each !== undefined && each !== open);
    const then = await Promise.all(rest.map((each) => house.admit(each!)));
    expect(then.filter((each) => each === 'open')).toHaveLength(rest.length > 0 ? 1 : 0);
  });

  it('gives all numbers back when the call surely did not leave', async () => {
    const { house, id, a, b } = await withNumbers();
    const [attempt] = await house.plan(id);
    expect(await house.admit(attempt!)).toBe('open');
    const held = () => books.sql('select from carillon.live_phones where phone = any ($1)', [[a, b]]);
    expect(await held()).toHaveLength(2);
    await house.ledger.attempts.withhold({ id: attempt!, sent: false, detail: 'x', ticket: null } as never);
    expect(await held()).toHaveLength(0);
    expect(await house.admit(attempt!)).toBe('open');
    await house.age();
    await house.ledger.attempts.crash(house.baseUrl);
    expect(await held()).toHaveLength(2);
    expect(await house.free(attempt!)).toBe(true);
    expect(await held()).toHaveLength(0);
  });

  it('is called on the next number when one is suppressed or refused, and left out when none is left', async () => {
    const { house, id, a, b, c, d } = await withNumbers(4);
    const suppress = (phone: string) =>
      house.ledger.suppressions.add([{ phone, source: 'manual', reason: null, until: null }]);
    // The plan for it is dropped, and the person waits with the next number: nobody was skipped.
    await house.plan(id);
    expect(await suppress(a)).toMatchObject({ added: 1, skipped: 0 });
    const [attempt] = await house.plan(id);
    expect((await house.attempt(attempt!)).phone).toBe(b);
    expect(await house.admit(attempt!)).toBe('open');
    await house.ledger.attempts.refusePerson(attempt!, 'not a phone of ours', null as never);
    const [next] = await house.plan(id);
    expect((await house.attempt(next!)).phone).toBe(c);
    expect(await suppress(d)).toMatchObject({ skipped: 0 });
    expect(await suppress(c)).toMatchObject({ skipped: 1 });
    const [shown] = await shownOf(id);
    expect(shown!.state).toBe('skipped');
    expect(shown!.phones!.map(({ passed }) => passed)).toEqual([
      'suppressed',
      'not a phone of ours',
      'suppressed',
      'suppressed',
    ]);
  });

  it('begins with a number that is not suppressed', async () => {
    const house = books.house();
    const [a, b] = numbers(2);
    await house.ledger.suppressions.add([{ phone: a!, source: 'manual', reason: null, until: null }]);
    const id = await house.campaign(twice);
    expect(await house.add(id, [someone(2, [a!, b!])])).toMatchObject({ waiting: 1 });
    const [attempt] = await house.plan(id);
    expect((await house.attempt(attempt!)).phone).toBe(b);
  });

  it('is called on a number whose hours can open, and left out when none can', async () => {
    const house = books.house();
    const [a, b] = numbers(2);
    const id = await house.campaign(twice);
    const person = someone(2, [a!, b!]);
    await house.add(id, [
      {
        ...person,
        phones: person.phones!.map((each, n) => ({ ...each, place: `zone-${n}` })),
        place: 'zone-0',
      },
    ]);
    const why = 'can never be called: never open';
    const never = (...places: string[]) =>
      house.ledger.people.skipNever(
        id,
        places.map((place) => ({ place, why })),
      );
    expect(await never('zone-0')).toBe(0);
    const [attempt] = await house.plan(id);
    expect((await house.attempt(attempt!)).phone).toBe(b);
    await house.ledger.attempts.giveBack({ id: attempt!, why: 'the window is closed' });
    expect(await never('zone-0', 'zone-1')).toBe(1);
    expect(await house.people(id)).toMatchObject([{ state: 'skipped', reason: why }]);
  });

  it('waits as the retry rule says when the next number is refused, and is done without a rule', async () => {
    const house = books.house();
    for (const [retry, expected] of [
      [{ 'no-answer': [7_200] }, 'waiting'],
      [{ busy: [7_200] }, 'done'],
    ] as const) {
      const [a, b] = numbers(2);
      const id = await house.campaign({
        maxAttempts: 3,
        retry: retry as never,
        nextNumber: { 'no-answer': 0 },
      });
      await house.add(id, [someone(2, [a!, b!])]);
      const [attempt] = await house.plan(id);
      await house.call(attempt!);
      await house.settle(attempt!, 'no-answer', { again: 0 });
      const [next] = await house.plan(id);
      expect(await house.admit(next!)).toBe('open');
      await house.ledger.attempts.refusePerson(next!, 'not a phone of ours');
      const [person] = await house.people(id);
      expect(person!.state).toBe(expected);
      expect(await house.plan(id)).toEqual([]);
      if (expected === 'waiting') expect(person!.nextAt!.getTime()).toBeGreaterThan(Date.now() + 7_000_000);
    }
  });

  it('keeps the number that is called, whatever was said of it, and has the one that a person gives instead', async () => {
    const house = books.house();
    const [a, b, c] = numbers(3);
    const id = await house.campaign(twice);
    await house.add(id, [someone(2, [a!, b!])]);
    const [person] = await house.people(id);
    const change = (phone: string) => house.ledger.people.change(person!.id, { phone });
    expect(await change(b!)).toBe('twice');
    expect(await change(c!)).toBe(null);
    const [shown] = await shownOf(id);
    expect(shown!.phones!.map(({ phone }) => phone)).toEqual([c, b]);
    await books.sql("update carillon.phones set passed = 'said' where recipient_id = $1", [person!.id]);
    const [attempt] = await house.plan(id);
    expect(await house.admit(attempt!)).toBe('open');
    expect(await books.sql('select from carillon.live_phones where phone = $1', [c])).toHaveLength(1);
  });

  it('wants no more calls on any number after an opt-out', async () => {
    const house = books.house();
    const [a, b] = numbers(2);
    const id = await house.campaign(twice);
    const other = await house.campaign(twice);
    await house.add(id, [someone(2, [a!, b!])]);
    await house.add(other, [someone(2, [b!])]);
    const [attempt] = await house.plan(id);
    await house.call(attempt!);
    await house.settle(attempt!, 'answered', { optOut: 'said' });
    expect(await house.states(other)).toEqual(['skipped']);
  });
});

describe('a list', () => {
  it('knows a person by any of their numbers, and has each person once', async () => {
    const house = books.house();
    const [a, b, c, d] = numbers(4);
    const id = await house.campaign(twice);
    await house.add(id, [someone(2, [a!, b!]), someone(3, [c!])]);
    // By the second number, in another order, and with one more.
    expect(await house.add(id, [someone(2, [b!, a!]), someone(3, [d!, c!])])).toMatchObject({
      new: 0,
      known: 2,
    });
    const shown = await shownOf(id);
    expect(shown.map(({ phone, phones }) => [phone, phones?.map((each) => each.phone)])).toEqual([
      [b, [b, a]],
      [d, [d, c]],
    ]);
    expect(await house.add(id, [someone(4, [c!])], { mode: 'more' })).toMatchObject({ new: 0, known: 1 });
    expect(await house.people(id)).toHaveLength(2);
  });

  it('rejects a second row of one person, and leaves a number with the person who has it', async () => {
    const house = books.house();
    const [a, b, c] = numbers(3);
    const id = await house.campaign(twice);
    await house.add(id, [someone(2, [a!, b!])]);
    const again = await house.add(id, [someone(2, [a!]), someone(3, [b!]), someone(4, [c!])]);
    expect(again).toMatchObject({ accepted: 2, rejected: 1, known: 1, new: 1 });
    const [reject] = await books.sql('select row, reason from carillon.rejects where campaign_id = $1', [id]);
    expect(reject).toMatchObject({ row: 3, reason: 'duplicate of line 2' });
  });

  it('shows no number of a person who was called on several and then erased', async () => {
    const { house, id, a } = await withNumbers();
    const [attempt] = await house.plan(id);
    await house.call(attempt!);
    await house.settle(attempt!, 'answered');
    await books.sql('select * from carillon.erase($1, $2, null, null)', [a, 'k.mark']);
    expect((await shownOf(id))[0]).toMatchObject({ phone: '', state: 'done' });
  });

  it('is copied with all numbers, found by each of them, and erased with them', async () => {
    const { house, id, a, b } = await withNumbers();
    const copy = await house.campaign(twice);
    expect(await house.ledger.campaigns.clonePeople(id, copy)).toBe(1);
    expect((await shownOf(copy))[0]!.phones).toHaveLength(2);
    const places = await books.sql('select from carillon.campaign_places where campaign_id = $1', [copy]);
    expect(places).toHaveLength(1);
    const found = await books.sql('select carillon.people_by_phone($1, 9e15::bigint, 10)', [[b]]);
    expect(found).toHaveLength(2);
    const words = await books.sql<{ words: string }>(
      'select words from carillon.people_words w join carillon.recipients r on r.id = w.recipient_id where r.campaign_id = $1',
      [id],
    );
    expect(words[0]!.words).toContain(b.slice(1));
    await books.sql('select * from carillon.erase($1, $2, null, null)', [b, 'k.hash']);
    expect(await books.sql('select from carillon.phones where phone = any ($1)', [[a, b]])).toEqual([]);
    expect(await books.sql('select from carillon.recipients where phone = any ($1)', [[a, b]])).toEqual([]);
  });
});
