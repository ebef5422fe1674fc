import fc from 'fast-check';
import { expect } from 'vitest';
import { readOrder } from '../../src/control/order/order.ts';
import { type Books, type House, person, persons, probeOf, suppress } from './support.ts';

/** A campaign to which anything happens, in any order. */
export const size = 5;

/** The verbs that may happen to a campaign, in any order: each verb finds the rows that it can apply to. */
const verbs = [
  'plan',
  'plan',
  'plan',
  'admit',
  'admit',
  'admit',
  'place',
  'place',
  'withhold',
  'lose',
  'park',
  'probe',
  'openLane',
  'crash',
  'settle',
  'settleAgain',
  'stale',
  'free',
  'called',
  'name',
  'refusePerson',
  'refuseOrder',
  'suppress',
  'unsuppress',
  'release',
  'pause',
  'resume',
  'importWhole',
  'importLess',
  'importMore',
  'skip',
  'deny',
  'move',
  'due',
  'parkRest',
  'unpark',
  'tidy',
  'change',
] as const;
export type Verb = (typeof verbs)[number];
export type Move = { verb: Verb; pick: number };

async function live(books: Books, campaign: string, states: string[]): Promise<string[]> {
  const rows = await books.sql<{ id: string }>(
    'select id from carillon.attempts where campaign_id = $1 and state = any ($2) order by planned_at, id',
    [campaign, states],
  );
  return rows.map((row) => row.id);
}

export async function act(books: Books, house: House, campaign: string, { verb, pick }: Move): Promise<void> {
  const { attempts, lanes, campaigns, unknowns, suppressions } = house.ledger;
  const lane = await house.lane(pick % 3 === 0 ? 'b' : 'a');
  const one = async (...states: string[]) => {
    const ids = await live(books, campaign, states);
    return ids.length > 0 ? ids[pick % ids.length]! : null;
  };
  const on = async (states: string[], work: (id: string) => Promise<unknown>) => {
    const id = await one(...states);
    if (id) await work(id);
  };
  const any = ['planned', 'parked', 'dialing', 'placed', 'unknown', 'done', 'dropped', 'refused'];
  const phone = person(1 + (pick % size)).phone;
  switch (verb) {
    case 'plan':
      await house.planOn(lane, campaign, 1 + (pick % 3));
      break;
    case 'admit':
      return on(['planned'], (id) => house.admit(id, { laneCap: pick % 4 === 0 ? 1 : null }));
    case 'place':
      return on(['dialing', 'unknown', 'dropped'], (id) => house.place(id));
    case 'withhold':
      return on(['dialing', 'unknown'], (id) => attempts.withhold({ id, sent: pick % 2 === 0, detail: 'x' }));
    case 'lose':
      return on(any, (id) => attempts.lose({ id, reason: 'lost', detail: 'x' }));
    case 'park':
      return on(['dialing'], async (id) => attempts.park(id, (await house.attempt(id)).laneId, 'no credit'));
    case 'probe':
      await books.sql(
        'update carillon.lanes set probe_at = now() where base_url = $1 and probe_at is not null',
        [house.baseUrl],
      );
      await probeOf(house.ledger, lane);
      break;
    case 'openLane':
      await lanes.open(lane);
      break;
    case 'crash':
      await house.crash();
      break;
    case 'settle':
      return on(any, (id) => house.settle(id, 'answered'));
    case 'settleAgain':
      return on(any, async (id) => {
        const loaded = await attempts.load(id);
        const isLeft = loaded !== null && loaded.attempts < loaded.order.maxAttempts;
        await house.settle(id, 'busy', { again: isLeft ? 0 : null });
      });
    case 'stale':
      return on(any, (id) => attempts.stale(id, 'too long'));
    case 'free':
      return on(any, (id) => house.free(id));
    case 'called':
      return on(any, (id) => unknowns.called(id));
    case 'name':
      return on(any, (id) => unknowns.place(id, `named ${id}`, 60));
    case 'refusePerson':
      return on(any, (id) => attempts.refusePerson(id, 'no'));
    case 'refuseOrder':
      return on(any, (id) => attempts.refuseOrder(id, 'no', 3));
    case 'suppress':
      await suppress({ suppressions }, [phone]);
      break;
    case 'unsuppress':
      await suppressions.remove([phone]);
      break;
    case 'release':
      await attempts.release(campaign, 'the run ended');
      break;
    case 'pause':
      await campaigns.pause([campaign], 'x');
      break;
    case 'resume':
      await campaigns.resume(campaign);
      break;
    case 'importWhole':
      await house.add(campaign, persons(size), { rejected: [{ row: 99, reason: 'x', input: {} }] });
      break;
    case 'importLess':
      await house.add(campaign, persons(size - 2, 1 + (pick % 3)));
      break;
    case 'importMore':
      await house.add(campaign, [person(1 + (pick % (size + 2)))], { mode: 'more' });
      break;
    case 'skip':
      return on(any, (id) => attempts.skip(id, 'x'));
    case 'deny':
      await lanes.deny(lane, 'revoked');
      break;
    case 'move':
      await lanes.move(await house.lane('a'), await house.lane('b'));
      break;
    case 'due':
      await books
        .sql(`update carillon.recipients set next_at = '-infinity' where campaign_id = $1`, [
          campaign,
          // Nothing repeats the test's own statement after a deadlock.
        ])
        .catch(() => undefined);
      break;
    case 'parkRest':
      await campaigns.parkRest(campaign, 'no credit');
      break;
    case 'unpark':
      await campaigns.unpark(campaign);
      await lanes.unpark();
      break;
    case 'tidy':
      await attempts.tidy();
      break;
    case 'change':
      await campaigns.change(campaign, { ...order, maxAttempts: 1 + (pick % 4) });
      break;
  }
}

export const order = { ...readOrder({ agent: 'a' }), maxCalls: 3, maxAttempts: 3, retry: { busy: [0] } };

export const moves = fc.array(fc.record({ verb: fc.constantFrom(...verbs), pick: fc.nat(11) }), {
  minLength: 15,
  maxLength: 40,
});

/** Both sides of the balance, counted separately, and that no call is counted twice. */
export async function expectBalance(house: House, campaign: string): Promise<void> {
  expect(await house.faults()).toEqual([]);
  const standing = await house.ledger.reports.standing(campaign);
  const balance = (await house.ledger.reports.balance()).find((each) => each.id === campaign)!;
  expect(standing.rows).toBe(balance.people + balance.refused);
  const { live: alive } = balance;
  const calling = (alive.dialing ?? 0) + (alive.placed ?? 0);
  expect(standing.counts.calling).toBe(calling);
  expect(standing.counts.queued).toBe(alive.planned ?? 0);
  expect(standing.counts.unknown).toBe(alive.unknown ?? 0);
  expect(standing.counts.parked).toBeGreaterThanOrEqual(alive.parked ?? 0);
}
