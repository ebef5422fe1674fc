import { expect, it } from 'vitest';
import type { LedgerEvent } from '../../src/ledger/events/events.ts';
import { until } from '../support/until.ts';
import { shareBooks } from './support.ts';

/** Many write at once and commit late; several number and read meanwhile. */
const books = await shareBooks();
await books.sql('create schema storm');
await books.sql('create table storm.people (id bigint primary key, n integer not null)');
await books.sql('insert into storm.people select i, 0 from generate_series(1, 12) i');

const writers = 8;
const turns = 30;
const people = 12;

/** Moves a person or two in one transaction, tells of it, and commits a little later. */
async function write(writer: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    const first = 1 + ((writer * 7 + turn * 5) % people);
    const both = turn % 3 === 0 && first < people ? [first, first + 1] : [first];
    const steps = both.map(
      (id) => `with moved as (update storm.people set n = n + 1 where id = ${id} returning id, n)
        insert into carillon.outbox (type, recipients, data)
        select 'recipient.done', array[id], jsonb_build_object('n', n) from moved;
        select pg_sleep(${(((writer * 13 + turn * 17) % 7) / 1_000).toFixed(3)});`,
    );
    await books.sql(`begin; ${steps.join('\n')} ${turn % 11 === 10 ? 'rollback' : 'commit'}`);
  }
}

/** Everything up to a number that is known later. */
async function read(end: () => number, numbers: boolean): Promise<LedgerEvent[]> {
  const { events } = books.ledger;
  const found: LedgerEvent[] = [];
  for (let after = 0; after < end(); ) {
    if (numbers) await events.number();
    const page = await events.read(after, 20);
    found.push(...page.events);
    after = page.upto;
  }
  return found;
}

it('readers miss nothing and see nothing twice, a person’s events in order, and a long transaction delays nobody', async () => {
  const long = await books.connect();
  await long.query('begin');
  await long.query(`insert into carillon.outbox (type, subject) values ('import.done', 'long')`);
  let end = Number.POSITIVE_INFINITY;
  const readers = [true, true, false].map((numbers) => read(() => end, numbers));
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  const [expected] = await books.sql<{ n: number }>('select sum(n)::integer as n from storm.people');
  // All but the long one are there before it is committed.
  const numbered = (n: number) =>
    until(
      () => books.ledger.events.number(),
      (last) => last === n,
    );
  await numbered(expected!.n);
  await long.query('commit');
  long.release();
  end = await numbered(expected!.n + 1);
  const seen = await Promise.all(readers);
  for (const events of seen) {
    expect(events.map((event) => event.number)).toEqual(events.map((_, i) => i + 1));
    expect(events).toHaveLength(expected!.n + 1);
    expect(events.at(-1)).toMatchObject({ type: 'import.done', subject: 'long' });
    for (let id = 1; id <= people; id++) {
      const steps = events.filter((event) => event.recipientId === id).map((event) => event.data);
      expect(steps).toEqual(steps.map((_, i) => ({ n: i + 1 })));
    }
  }
});
