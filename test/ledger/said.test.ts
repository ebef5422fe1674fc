import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Actor, actAs, type Role } from '../../src/base/actor.ts';
import { systemClock } from '../../src/base/clock.ts';
import { showEvents } from '../../src/control/events/bodies.ts';
import { listAttempts } from '../../src/control/people/person.ts';
import { searchPeople } from '../../src/control/people/search.ts';
import { exportResults, listRecipients } from '../../src/control/people/show.ts';
import type { Bucket } from '../../src/engine/engine.ts';
import { shareBooks } from './support.ts';

/** The words of a thousand calls are more than a process can hold for many who ask at once. */
const people = 40;
const words = 262_144;
const books = await shareBooks();
const house = books.house();
const campaign = await house.campaign({ people });
for (const id of await house.plan(campaign)) {
  await house.call(id);
  await house.settle(id, 'answered');
}
await books.sql(
  `update carillon.ended_attempts e set transcript = r.row || repeat('x', $1), structured_data = '{"a": 1}'
   from carillon.recipients r where r.id = e.recipient_id`,
  [words],
);

const as = <T>(role: Role, work: () => T): T => {
  const actor: Actor = { name: role, person: null, role, address: null, token: null };
  return actAs(actor, work);
};

type Item = { row: number; transcript?: string | null; structured_data?: unknown };
type Read = (cursor: string | undefined) => Promise<{ items: Item[]; next: string | null }>;
const lists: [string, () => Read][] = [
  ['people', () => (cursor) => listRecipients(house.ledger, Date.now(), campaign, { limit: 1_000, cursor })],
  [
    'people who fit a filter',
    () => (cursor) =>
      listRecipients(house.ledger, Date.now(), campaign, { limit: 1_000, cursor, outcome: 'answered' }),
  ],
  [
    'people who moved last',
    () => (cursor) =>
      listRecipients(house.ledger, Date.now(), campaign, { limit: 1_000, cursor, order: 'moved' }),
  ],
  ['attempts', () => (cursor) => listAttempts(house.ledger, campaign, { limit: 1_000, cursor })],
  [
    'calls',
    () => (cursor) => searchPeople({ ledger: house.ledger, clock: Date }, { limit: 1_000, cursor, campaign }),
  ],
];

describe.each(lists)('a list of %s', (_, open) => {
  it('ends a page where its words are 4 MB, and tells nobody twice and leaves nobody out', async () => {
    const read = open();
    const seen: Item[] = [];
    let pages = 0;
    for (let cursor: string | undefined; ; ) {
      const { items, next } = await as('read_people', () => read(cursor));
      expect(items.length).toBeGreaterThan(0);
      expect(items.reduce((sum, { transcript }) => sum + (transcript?.length ?? 0), 0)).toBeLessThan(4.2e6);
      for (const { row, transcript, structured_data } of items) {
        expect([row, transcript?.length]).toEqual([row, words + String(row).length]);
        expect(transcript!.startsWith(`${row}x`)).toBe(true);
        expect(structured_data).toEqual({ a: 1 });
      }
      seen.push(...items);
      pages += 1;
      if (next === null) break;
      cursor = next;
    }
    expect(pages).toBeGreaterThan(2);
    expect(seen).toHaveLength(people);
    expect(new Set(seen.map(({ row }) => row)).size).toBe(people);
  });

  it('is one page for someone who is not shown what was said, as none of it is read', async () => {
    const { items, next } = await as('read', () => open()(undefined));
    expect(next).toBeNull();
    expect(items).toHaveLength(people);
    expect(items.map(({ transcript, structured_data }) => transcript ?? structured_data)).toEqual(
      items.map(() => null),
    );
  });
});

it('an export has all of it, in its order', async () => {
  const stream = new PassThrough();
  const texts: string[] = [];
  stream.on('data', (chunk) => texts.push(String(chunk)));
  const [row] = await books.sql<{ name: string }>('select name from carillon.campaigns where id = $1', [
    campaign,
  ]);
  const found = await house.ledger.campaigns.get(row!.name);
  expect(await exportResults(house.ledger, Date.now(), found, { stream }, 'ndjson')).toBe(people);
  const lines = texts
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Item);
  expect(lines.map(({ transcript }) => transcript?.length)).toEqual(
    lines.map(({ row: nth }) => words + String(nth).length),
  );
  // The parts are written one by one: none is much larger than what a page may hold.
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(5e6);
});

/** Of keys no event here tells. */
const neverAsked = {} as Bucket;

it('events are read in parts of 4 MB of words of a kind, whole also when a reader without people asks first', async () => {
  const { ledger } = house;
  await ledger.events.number();
  const { events } = await ledger.events.read(0, 1_000);
  const told = events.filter(({ type }) => type === 'attempt.done' || type === 'recipient.done');
  expect(told).toHaveLength(people * 2);
  const parts: number[] = [];
  for (let rest = told; rest.length > 0; ) {
    const shown = await as('read', () =>
      showEvents({ ledger, lanes: [], clock: systemClock, bucket: neverAsked }, rest),
    );
    expect(shown.map(({ id }) => id)).toEqual(rest.slice(0, shown.length).map(({ id }) => id));
    const sizes = shown.map(({ data }) => (data.transcript as string).length);
    expect(Math.min(...sizes)).toBeGreaterThan(words);
    expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThan(2 * 4.2e6);
    parts.push(shown.length);
    rest = rest.slice(shown.length);
  }
  expect(parts.length).toBeGreaterThan(2);
});
