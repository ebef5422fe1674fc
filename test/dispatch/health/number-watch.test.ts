import { describe, expect, it } from 'vitest';
import { createNumberWatch } from '../../../src/dispatch/health/brake.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { shareBooks, tally } from '../../ledger/support.ts';
import { log } from '../support.ts';

const books = await shareBooks({ audited: false });

/** Calls of a campaign that ended: every nth of a number is answered, and lasts so long. */
async function ended(campaign: string, number: string, calls: number, nth: number, seconds = 60) {
  await books.sql(
    `insert into carillon.ended_attempts (id, recipient_id, campaign_id, lane_id, number, requests, polls, planned_at,
       dialing_at, placed_at, phone, state, was, outcome, duration, caller)
     select gen_random_uuid(), 1, $1, 1, 1, 1, 1, now(), now(), now(), '+14155550000', 'done', 'placed',
       case when k % $4 = 0 then 'answered' else 'no-answer' end, case when k % $4 = 0 then $5::double precision end,
       jsonb_build_object('number', $2::text)
     from generate_series(1, $3) as k`,
    [campaign, number, calls, nth, seconds],
  );
}

async function look(ledger: Ledger) {
  await ledger.tallies.fold();
  await createNumberWatch({ ledger, log })();
}

const restOf = async (ledger: Ledger, names: readonly string[]) =>
  (await ledger.callerNumbers.list(names)).map(({ rest }) => rest);
const toldOf = async () =>
  (
    await books.sql<{ type: string; data: { phone_number: string; sure: number } }>(
      `select type, data from carillon.outbox where type like 'number.%' order by id`,
    )
  ).map(({ type, data }) => [type, data.phone_number]);

describe('the watch over caller numbers', () => {
  it('rests a number that people stop answering, tells so, does not call from it, and returns it after a day', async () => {
    const house = books.house();
    const names = ['+12125557001', '+12125557002', '+12125557003'];
    const campaign = await house.campaign({ people: 9, callers: names.map((number) => ({ number })) });
    const round = async (turned: string | null) => {
      for (const name of names) await ended(campaign, name, 30, name === turned ? 1_000 : 3);
      await look(house.ledger);
    };
    for (let i = 0; i < 8; i += 1) await round(null);
    expect(await restOf(house.ledger, names)).toEqual([null, null, null]);
    for (let i = 0; i < 5; i += 1) await round(names[1]!);
    expect(await restOf(house.ledger, names)).toEqual([null, 'answers', null]);
    const [, line] = await house.ledger.callerNumbers.list(names);
    expect(line!.sure).toBeGreaterThan(0.999);
    expect(line!.calls).toBe(13 * 30);
    expect(line!.short).toBe(0);
    expect(await toldOf()).toEqual([['number.resting', names[1]]]);
    expect(await house.ledger.callerNumbers.resting()).toEqual([
      expect.objectContaining({ name: names[1], rest: 'answers', noneAwake: false }),
    ]);
    const callers = await Promise.all(
      (await house.plan(campaign)).map(
        async (id) => ((await house.attempt(id)).caller as { number: string }).number,
      ),
    );
    expect(Object.keys(tally(callers)).sort()).toEqual([names[0], names[2]]);

    await books.sql(`update carillon.caller_numbers set returns_at = now() where name = $1`, [names[1]]);
    await createNumberWatch({ ledger: house.ledger, log })();
    expect(await restOf(house.ledger, names)).toEqual([null, null, null]);
    expect(await toldOf()).toEqual([
      ['number.resting', names[1]],
      ['number.returned', names[1]],
    ]);
    // On trial: it is still not answered, and rests again sooner.
    for (let i = 0; i < 3; i += 1) await round(names[1]!);
    expect(await restOf(house.ledger, names)).toEqual([null, 'answers', null]);
  });

  it('calls from resting numbers when a campaign has no other, and an alert can say so; a person’s rest holds', async () => {
    const house = books.house('http://first.example/v1');
    const names = ['+12125557101', '+12125557102'];
    const campaign = await house.campaign({ people: 6, callers: names.map((number) => ({ number })) });
    await house.lane();
    await books.sql(
      `insert into carillon.caller_numbers (name, rest, rested_at, returns_at)
       select n, 'answers', now(), now() + interval '1 day' from unnest($1::text[]) n`,
      [names],
    );
    expect(await house.plan(campaign, 2)).toHaveLength(2);
    expect((await house.ledger.callerNumbers.resting()).filter(({ name }) => names.includes(name))).toEqual([
      expect.objectContaining({ name: names[0], noneAwake: true }),
      expect.objectContaining({ name: names[1], noneAwake: true }),
    ]);
    for (const name of names) await house.ledger.callerNumbers.rest(name, 'hand');
    expect(await house.plan(campaign, 2)).toEqual([]);
  });
});
