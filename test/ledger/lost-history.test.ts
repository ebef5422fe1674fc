import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type House, persons, planBlindly, shareBooks, suppress } from './support.ts';

/**
 * A ledger that was put back holds people on a call. That call ended in the part that is gone, and the person may have been
 * called again there: the ledger must not follow the first call to its end and then call once more.
 */
const books = await shareBooks();

const keepsPhoneMs = 7_200_000;

/** Somebody who is on the first of two calls. */
async function onCall(house: House) {
  const campaign = await house.campaign({ people: 1, maxAttempts: 2, retry: { busy: [0] } });
  const [first] = await house.plan(campaign);
  const callId = await house.call(first!);
  const [person] = await house.people(campaign);
  const [{ at }] = (await books.sql<{ at: Date }>('select clock_timestamp() as at')) as [{ at: Date }];
  /** The note that a process made when it sent the second. */
  const note = {
    attempt: randomUUID(),
    recipient: person!.id,
    campaign,
    opens: 1,
    at: at.toISOString(),
  };
  return { campaign, first: first!, callId, phone: person!.phone, note };
}
const busy = (house: House, id: string) => house.settle(id, 'busy', { again: 0 });

describe('after lost history, someone who is on a call here', () => {
  it('is unknown when that call ends, if a process noted that it called them again', async () => {
    const house = books.house();
    const { campaign, first, note } = await onCall(house);
    expect(await house.ledger.lostHistory.loseNoted([note], keepsPhoneMs)).toMatchObject([
      { id: campaign, marked: 1 },
    ]);
    // Its own end and result are still followed.
    expect((await house.attempt(first)).state).toBe('placed');
    await busy(house, first);
    expect((await house.people(campaign))[0]).toMatchObject({ state: 'unknown', outcome: 'busy' });
    expect(await house.ledger.unknowns.list(campaign)).toMatchObject([
      { attempt: note.attempt, reason: 'lost-history', dialingAt: new Date(note.at) },
    ]);
    expect(await house.plan(campaign)).toEqual([]);
    expect(await house.faults()).toEqual([]);
    // Settled like any other.
    expect(await house.ledger.unknowns.free(note.attempt, null, true)).toBe(false);
    expect(await house.free(note.attempt)).toBe(true);
    expect(await house.states(campaign)).toEqual(['waiting']);
  });

  it.each([
    ['its campaign is canceled', (house: House, id: string) => house.ledger.campaigns.cancel(id)],
    [
      'their phone is suppressed',
      (house: House, _: string, phone: string) => suppress(house.ledger, [phone]),
    ],
  ])('is unknown when that call ends, though %s meanwhile and nobody calls them any more', async (_, act) => {
    const house = books.house();
    const { campaign, first, phone } = await onCall(house);
    expect(await house.ledger.lostHistory.loseWaiting(campaign, keepsPhoneMs)).toBe(1);
    await act(house, campaign, phone);
    await busy(house, first);
    const [doubt] = await house.ledger.unknowns.list(campaign);
    expect(doubt).toMatchObject({ reason: 'lost-history' });
    expect(await house.free(doubt!.attempt)).toBe(true);
    expect(await house.plan(campaign)).toEqual([]);
    expect(['done', 'skipped']).toContain((await house.states(campaign))[0]);
    expect(await house.faults()).toEqual([]);
    await house.ledger.suppressions.remove([phone]);
  });

  it('keeps the phone for the call that was noted', async () => {
    const house = books.house();
    const { first, phone, note } = await onCall(house);
    await house.ledger.lostHistory.loseNoted([note], keepsPhoneMs);
    await busy(house, first);
    expect(
      await books.sql('select attempt_id as attempt from carillon.live_phones where phone = $1', [phone]),
    ).toEqual([{ attempt: note.attempt }]);
  });

  it('is unknown when that call ends, if everyone is who could have been called since', async () => {
    const house = books.house();
    const { campaign, first } = await onCall(house);
    // Someone without an attempt left would not have been called again.
    const last = await house.campaign({ people: 1 });
    const [only] = await house.plan(last);
    await house.call(only!);
    expect(await house.ledger.lostHistory.loseWaiting(campaign, keepsPhoneMs)).toBe(1);
    expect(await house.ledger.lostHistory.loseWaiting(last, keepsPhoneMs)).toBe(0);
    await busy(house, first);
    await house.settle(only!);
    expect(await house.ledger.unknowns.list(campaign)).toMatchObject([{ reason: 'lost-history' }]);
    expect(await house.plan(campaign)).toEqual([]);
    expect(await house.states(last)).toEqual(['done']);
  });

  it('is done when that call was their last, and waits as before if the note is of an earlier one', async () => {
    const house = books.house();
    const { campaign, first, note } = await onCall(house);
    await house.ledger.lostHistory.loseNoted([note], keepsPhoneMs);
    await house.settle(first);
    expect(await house.states(campaign)).toEqual(['done']);

    const other = await onCall(house);
    const earlier = { ...other.note, at: new Date(Date.parse(other.note.at) - 60_000).toISOString() };
    expect(await house.ledger.lostHistory.loseNoted([earlier], keepsPhoneMs)).toEqual([]);
    await busy(house, other.first);
    expect(await house.states(other.campaign)).toEqual(['waiting']);
  });

  it('is unknown too when the call that is known was itself unknown, and a person settles it', async () => {
    const house = books.house();
    const { campaign, first, note } = await onCall(house);
    await books.sql(
      `update carillon.attempts set state = 'unknown', reason = 'stale', expires_at = now(), phone_until = now()
       where id = $1`,
      [first],
    );
    expect(await house.ledger.lostHistory.loseNoted([note], keepsPhoneMs)).toMatchObject([{ marked: 1 }]);
    await busy(house, first);
    expect(await house.ledger.unknowns.list(campaign)).toMatchObject([{ attempt: note.attempt }]);
  });
});

describe('after lost history, a phone of two lists', () => {
  /** Asks for the people on that phone who may be called now, of another list. */
  const asks = async (house: House) => {
    const campaign = await house.campaign();
    await house.add(campaign, persons(1));
    const [id] = await planBlindly(books, house, campaign);
    return house.admit(id!);
  };

  it('is kept by the one that is unknown when the other was settled', async () => {
    const house = books.house();
    await house.lane();
    const lists = [await house.campaign(), await house.campaign()];
    for (const list of lists) {
      await house.add(list, persons(1));
      expect(await house.ledger.lostHistory.loseWaiting(list, keepsPhoneMs)).toBe(1);
    }
    for (const list of lists) {
      expect(await asks(house)).toBe('in-use');
      const [unknown] = await house.ledger.unknowns.list(list);
      expect(await house.free(unknown!.attempt)).toBe(true);
    }
    expect(await asks(house)).toBe('open');
  });

  it('is kept by the one that is unknown when the call of the other has ended', async () => {
    const house = books.house();
    const [first, second] = [await house.campaign(), await house.campaign()];
    for (const list of [first, second]) await house.add(list, persons(1));
    const [id] = await house.plan(first);
    await house.call(id!);
    await house.ledger.lostHistory.loseWaiting(second, keepsPhoneMs);
    await house.settle(id!);
    expect(await asks(house)).toBe('in-use');
    const [unknown] = await house.ledger.unknowns.list(second);
    await house.free(unknown!.attempt);
    expect(await asks(house)).toBe('open');
  });
});

describe('after lost history, a phone that the ledger does not have', () => {
  const digestOf = async (phone: string) => {
    const [row] = await books.sql<{ digest: string }>('select carillon.phone_digest($1) as digest', [phone]);
    return row!.digest;
  };
  /** The note of a create to this phone, in a campaign that is gone. */
  const noteOf = async (phone: string, at = new Date()) => ({
    attempt: randomUUID(),
    recipient: 999_999_999,
    campaign: randomUUID(),
    opens: 1,
    at: at.toISOString(),
    phone: await digestOf(phone),
  });
  /** A list with this one person, who is asked for at the fence. */
  const comesIn = async (house: House) => {
    const campaign = await house.campaign();
    await house.add(campaign, persons(1));
    const [id] = await house.plan(campaign);
    return { campaign, id: id!, said: await house.admit(id!) };
  };
  const phoneOf = async (house: House) => {
    const campaign = await house.campaign();
    await house.add(campaign, persons(1));
    return (await house.people(campaign))[0]!.phone;
  };

  it('is not called when it is imported again, but unknown under the id of that call, until a person settles it', async () => {
    const house = books.house();
    await house.lane();
    const note = await noteOf(await phoneOf(house));
    expect(await house.ledger.lostHistory.loseNoted([note], keepsPhoneMs)).toEqual([
      { id: null, name: null, marked: 1, held: 1 },
    ]);
    const { campaign, said } = await comesIn(house);
    expect(said).toBe('moved');
    expect(await house.states(campaign)).toEqual(['unknown']);
    expect(await house.ledger.unknowns.list(campaign)).toMatchObject([
      { attempt: note.attempt, reason: 'lost-history', dialingAt: new Date(note.at) },
    ]);
    expect(await house.plan(campaign)).toEqual([]);
    expect(await house.faults()).toEqual([]);
    expect(await house.free(note.attempt)).toBe(true);
    const [again] = await house.plan(campaign);
    expect(await house.admit(again!)).toBe('open');
  });

  it('of two lists is held in both, and called when it was settled in one', async () => {
    const house = books.house();
    await house.lane();
    const note = await noteOf(await phoneOf(house));
    await house.ledger.lostHistory.loseNoted([note], 0);
    const first = await comesIn(house);
    await books.sql('delete from carillon.live_phones where attempt_id = $1', [note.attempt]);
    const second = await comesIn(house);
    expect([first.said, second.said]).toEqual(['moved', 'moved']);
    expect(await house.states(second.campaign)).toEqual(['unknown']);
    expect(await house.free(second.id)).toBe(true);
    const [again] = await house.plan(second.campaign);
    expect(await house.admit(again!)).toBe('open');
  });

  it('is forgotten with a person who is erased', async () => {
    const house = books.house();
    const phone = await phoneOf(house);
    await house.ledger.lostHistory.loseNoted([await noteOf(phone)], keepsPhoneMs);
    await books.sql('select * from carillon.erase($1, $2, null, null)', [phone, 'a.hash']);
    expect(await books.sql('select 1 from carillon.lost_calls')).toEqual([]);
  });

  it('is held by no note that is older than what the ledger has', async () => {
    const house = books.house();
    await house.lane();
    const old = await noteOf(await phoneOf(house), new Date(Date.now() - 3_600_000));
    await house.ledger.lostHistory.attest(null, [], { vouches: true, beats: true });
    await house.ledger.lostHistory.attest(null, [], { vouches: false, beats: false, claim: 'restored' });
    try {
      expect(await house.ledger.lostHistory.loseNoted([old], keepsPhoneMs)).toEqual([]);
      expect(await house.ledger.lostHistory.loseNoted([{ ...old, at: new Date().toISOString() }], 1)).toEqual(
        [{ id: null, name: null, marked: 1, held: 1 }],
      );
    } finally {
      await house.ledger.lostHistory.confirm();
      await books.sql('delete from carillon.lost_calls');
    }
  });
});
