import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readOrder } from '../../src/control/order/order.ts';
import { changePerson, removePerson } from '../../src/control/people/edit.ts';
import { type Books, type House, openBooks } from '../ledger/support.ts';

let books: Books;
let house: House;
let id: string;
const clock = { now: () => Date.UTC(2026, 2, 2, 18) };
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books?.close());
beforeEach(async () => {
  house = books.house();
  id = await house.campaign({ people: 3, maxAttempts: 2 });
});

const deps = () => ({ ledger: house.ledger, clock });
const phones = async () => (await house.people(id)).map((each) => each.phone);
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

describe('a person on a list that is dialled', () => {
  it('takes another name, time zone, agent and variables, which the next call has', async () => {
    const [phone] = await phones();
    await changePerson(deps(), id, phone!, { name: 'Ann', agent: 'a-2', variables: { plan: 'gold', n: 7 } });
    const denver = { timezone: 'America/Denver', variables: { plan: null, vip: true } };
    const shown = await changePerson(deps(), id, phone!, denver);
    expect(shown).toMatchObject({ name: 'Ann', variables: { n: 7, vip: true }, input: { name: 'Person 1' } });
    const [attempt] = await house.plan(id, 1);
    expect(await house.ledger.attempts.load(attempt!)).toMatchObject({
      phone,
      name: 'Ann',
      agentId: 'a-2',
      place: expect.stringMatching(/^America\/Denver/),
      variables: { n: 7, vip: true },
    });
    // A dialer may have judged the hours of the place before.
    await changePerson(deps(), id, phone!, { name: null, agent: null, timezone: null });
    expect((await house.attempt(attempt!)).state).toBe('dropped');
    const [again] = await house.plan(id, 1);
    expect(await house.ledger.attempts.load(again!)).toMatchObject({ name: null, agentId: 'agent-1' });
    expect(await house.faults()).toEqual([]);
  });

  it('takes another phone only while nobody called, and waits again if it was planned', async () => {
    const [first, second, third] = await phones();
    const [planned] = await house.plan(id, 1);
    const changed = await changePerson(deps(), id, first!, { phone: '(415) 555-7777', country: 'US' });
    expect(changed).toMatchObject({ phone: '+14155557777', state: 'waiting', attempts: [] });
    expect((await house.attempt(planned!)).state).toBe('dropped');
    expect(await refusal(changePerson(deps(), id, second!, { phone: third! }))).toContain(
      'is on the list already',
    );
    const [again] = await house.plan(id, 1);
    await house.call(again!);
    const { phone } = await house.attempt(again!);
    expect(await refusal(changePerson(deps(), id, phone, { phone: '+14155557778' }))).toContain(
      'cannot change',
    );
    await house.settle(again!, 'busy', { again: 3_600 });
    expect(await refusal(changePerson(deps(), id, phone, { phone: '+14155557778' }))).toContain(
      'cannot change',
    );
    expect(await house.faults()).toEqual([]);
  });

  it.each(['phone', 'name'])(
    'stays being called when the dialer was quicker than a new %s',
    async (field) => {
      const [attempt] = await house.plan(id, 1);
      const { phone, revision } = (await house.ledger.attempts.load(attempt!))!;
      const hand = await books.hand();
      await hand.query('begin');
      const opened = await hand.query(
        "select verdict from carillon.open_attempts($1, 'someone', null, null, 1000, 1000)",
        [JSON.stringify([{ id: attempt, revision }])],
      );
      expect(opened.rows).toEqual([{ verdict: 'open' }]);
      const change = refusal(changePerson(deps(), id, phone, { [field]: '+14155557779' }));
      await books.blocked('%carillon.change_person(%');
      await hand.query('commit');
      expect(await change).toContain(field === 'phone' ? 'is being called' : 'done');
      expect((await house.people(id)).map((each) => each.phone)).toContain(phone);
      expect((await house.attempt(attempt!)).state).toBe('dialing');
      expect(await house.faults()).toEqual([]);
    },
  );

  it('is refused what is wrong, with the reason', async () => {
    const [phone] = await phones();
    const change = (body: object) => refusal(changePerson(deps(), id, phone!, body));
    expect(await change({})).toContain('names nothing to change');
    expect(await change({ country: 'US' })).toContain('names nothing to change');
    expect(await change({ timezone: 'EST5' })).toContain('timezone: "EST5" is not a time zone');
    expect(await change({ phone: '12' })).toContain('phone: ');
    expect(await change({ variables: { id: 2 ** 60 } })).toContain('a number that is too long');
    expect(await refusal(changePerson(deps(), id, '+19995550000', { name: 'x' }))).toContain(
      'recipient-unknown',
    );
    await house.ledger.campaigns.change(id, { ...readOrder({ agent: 'a', window: '09:00-10:00' }) });
    expect(await change({ phone: '+80012345678' })).toContain('phone: can never be called');
    const calls = await house.campaign({ kind: 'calls' });
    expect(await refusal(changePerson(deps(), calls, phone!, { name: 'x' }))).toContain(
      'gathers single calls',
    );
  });
});

describe('a person who is taken off the list', () => {
  it('is skipped, also when planned, and a call in progress is told and not touched', async () => {
    const [first, second, third] = await phones();
    const [planned, live] = await house.plan(id, 2);
    await house.call(live!);
    expect(await removePerson(deps(), id, first!)).toMatchObject({ state: 'skipped', error: 'removed' });
    expect((await house.attempt(planned!)).state).toBe('dropped');
    expect(await removePerson(deps(), id, first!)).toMatchObject({ state: 'skipped' });
    expect(await refusal(removePerson(deps(), id, second!))).toContain(
      'is being called; the call is not touched',
    );
    await house.settle(live!, 'busy', { again: 3_600 });
    expect(await removePerson(deps(), id, second!)).toMatchObject({ state: 'done', outcome: 'busy' });
    expect(await removePerson(deps(), id, third!)).toMatchObject({ state: 'skipped' });
    // Nor does a person who asks for another try of the busy bring them back.
    expect(await house.retry(id, ['busy'])).toBe(0);
    expect((await house.ledger.reports.standing(id)).counts).toMatchObject({
      skipped: 2,
      done: 1,
      waiting: 0,
    });
    expect(await house.faults()).toEqual([]);
  });

  it('stays off it when the same file comes again', async () => {
    const [first] = await phones();
    await removePerson(deps(), id, first!);
    const row = { row: 2, phone: first!, name: null, place: '', input: { phone: first }, variables: {} };
    await house.add(id, [row], { mode: 'more' });
    expect((await house.people(id))[0]).toMatchObject({ phone: first, state: 'skipped', reason: 'removed' });
  });
});
