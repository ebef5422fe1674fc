import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setPolicy } from '../../../src/control/policies/set.ts';
import { awaitLastSends } from '../../../src/control/stopping/hang-ups.ts';
import { type Books, openBooks, person, persons } from '../../ledger/support.ts';

/** An act that stops calls answers when nothing leaves any more. */
let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books?.close());

/** Time stands still, unless the test says what happens during a sleep. */
function clockThat(sleep: () => Promise<unknown>) {
  let sleeps = 0;
  return {
    sleeps: () => sleeps,
    monotonic: () => 0,
    async sleep() {
      sleeps += 1;
      await sleep();
    },
  };
}
const never = () => Promise.reject(new Error('it waited'));
/** However slow the machine is, these were opened just now. */
const keepFresh = (id: string) =>
  books.sql(`update carillon.attempts set dialing_at = now() + interval '1 hour' where id = $1`, [id]);

describe('a standstill', () => {
  it('comes when what was admitted has its answer', async () => {
    const house = books.house();
    const { ledger } = house;
    const campaign = await house.campaign();
    await house.add(campaign, persons(2));
    await awaitLastSends({ ledger, clock: clockThat(never) }, { campaigns: [campaign] });
    const [first, second] = await house.plan(campaign);
    for (const id of [first!, second!]) {
      await house.admit(id);
      await keepFresh(id);
    }
    const answers = [
      () => house.place(first!),
      () => house.ledger.attempts.withhold({ id: second!, sent: true, detail: null }),
    ];
    const clock = clockThat(async () => answers.shift()?.());
    await awaitLastSends({ ledger, clock }, { campaigns: [campaign] });
    expect(clock.sleeps()).toBe(2);
  });

  it('does not wait for other campaigns and phones', async () => {
    const house = books.house();
    const { ledger } = house;
    const campaign = await house.campaign({ people: 1 });
    const other = await house.campaign({ people: 1 });
    const [id] = await house.plan(campaign);
    await house.admit(id!);
    await keepFresh(id!);
    const clock = clockThat(never);
    await awaitLastSends({ ledger, clock }, { campaigns: [other] });
    await awaitLastSends({ ledger, clock }, { phones: [person(700).phone] });
    const { phone } = (await house.people(campaign))[0]!;
    for (const of of [{}, { campaigns: [campaign] }, { phones: [phone] }])
      await expect(awaitLastSends({ ledger, clock }, of), JSON.stringify(of)).rejects.toThrow('it waited');
  });

  it('comes two seconds after the opening, as the dialer sends nothing then', async () => {
    const house = books.house();
    const { ledger } = house;
    const campaign = await house.campaign({ people: 1 });
    const [id] = await house.plan(campaign);
    await house.admit(id!);
    await books.sql(`update carillon.attempts set dialing_at = now() - interval '2 s' where id = $1`, [id]);
    await awaitLastSends({ ledger, clock: clockThat(never) }, { campaigns: [campaign] });
    expect((await house.attempt(id!)).state).toBe('dialing');
  });

  it('is waited for by new contact rules: a call admitted under the rules before may still leave', async () => {
    // People whom the other tests left so.
    await books.sql(
      `update carillon.attempts set dialing_at = now() - interval '1 hour' where state = 'dialing'`,
    );
    const house = books.house();
    const { ledger } = house;
    const campaign = await house.campaign({ people: 1 });
    const [id] = await house.plan(campaign);
    await house.admit(id!);
    await keepFresh(id!);
    const clock = clockThat(() => house.place(id!));
    const set = await setPolicy({ ledger, clock }, { gap: '30s' });
    expect(set.body).toEqual({ gap: '30s' });
    expect(clock.sleeps()).toBe(1);
    // The same rules again stop nothing.
    await setPolicy({ ledger, clock: clockThat(never) }, { gap: '30s' });
  });
});
