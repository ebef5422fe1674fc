import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ListPage, Turn } from '../../src/voice/call.ts';
import type { ListForm } from '../../src/voice/description.ts';
import { findIn, pageOf, pagesOf, turnPlaces } from '../../src/voice/lists.ts';
import type { Answer } from '../../src/voice/requests.ts';
import { runs } from '../support/property.ts';

type Item = { id: string };
const form = (next: ListForm['next'], limit: number | undefined = 2): ListForm => ({
  method: 'GET',
  path: '/things',
  items: '/items',
  ...(limit === undefined ? {} : { limit }),
  next,
});
const read = (item: unknown) => ((item as Item).id ? (item as Item) : null);
const body = (ids: string[], more: object = {}) => ({
  items: ids.map((id) => ({ id, at: `t${id}` })),
  ...more,
});
const nextOf = (list: ListForm, turn: Turn | null, json: unknown) => pageOf(list, { turn }, json, read)!.next;

describe('the next page', () => {
  it('is asked for by a cursor, until none is told', () => {
    const list = form({ cursor: '/next' });
    expect(nextOf(list, null, body(['a'], { next: 'k2' }))).toEqual({ cursor: 'k2' });
    expect(nextOf(list, null, body(['a'], { next: 7 }))).toEqual({ cursor: '7' });
    expect(nextOf(list, null, body(['a'], { next: 'https://v.example/things?cursor=k%3D3&x=1' }))).toEqual({
      cursor: 'k=3',
    });
    // A cursor of its own may look like an address, too.
    expect(nextOf(list, null, body(['a'], { next: 'after:k2' }))).toEqual({ cursor: 'after:k2' });
    for (const next of [null, '', undefined, {}, 'https://v.example/things?page=2'])
      expect(nextOf(list, { cursor: 'k1' }, body(['a', 'b'], { next }))).toBeNull();
  });

  it('is asked for by a cursor only while the answer says that there is more', () => {
    const list = form({ cursor: '/next', more: '/has_more' });
    expect(nextOf(list, null, body(['a'], { next: 'k', has_more: true }))).toEqual({ cursor: 'k' });
    expect(nextOf(list, null, body(['a'], { next: 'k', has_more: false }))).toBeNull();
    expect(nextOf(list, null, body(['a'], { next: 'k' }))).toBeNull();
  });

  it('is asked for by how many came before, until a page is not full', () => {
    const list = form({ offset: true });
    expect(nextOf(list, null, body(['a', 'b']))).toEqual({ offset: 2 });
    expect(nextOf(list, { offset: 2 }, body(['c', 'd']))).toEqual({ offset: 4 });
    expect(nextOf(list, { offset: 4 }, body(['e']))).toBeNull();
  });

  it('is asked for by its number', () => {
    expect(nextOf(form({ page: true }), null, body(['a', 'b']))).toEqual({ page: 2 });
    expect(nextOf(form({ page: true }), { page: 2 }, body(['c']))).toBeNull();
    const told = form({ page: true, more: '/more' });
    expect(nextOf(told, { page: 2 }, body(['c'], { more: true }))).toEqual({ page: 3 });
    expect(nextOf(told, { page: 2 }, body(['c', 'd'], { more: 'yes' }))).toBeNull();
  });

  it('is what comes before the last item', () => {
    const list = form({ before: '/at' });
    expect(nextOf(list, null, body(['b', 'a']))).toEqual({ before: 'ta' });
    expect(nextOf(list, null, body(['a']))).toBeNull();
    expect(nextOf(list, null, { items: [{ id: 'b' }, { id: 'a' }] })).toBeNull();
  });

  it('does not follow an empty page, a list without pages, or one whose pages have no length', () => {
    expect(nextOf(form({ cursor: '/next' }), null, body([], { next: 'k2' }))).toBeNull();
    expect(nextOf(form(undefined), null, body(['a', 'b', 'c']))).toBeNull();
    const { limit: _limit, ...endless } = form({ offset: true });
    expect(nextOf(endless, null, body(['a', 'b']))).toBeNull();
  });
});

test('an item that cannot be read is left out, and counts for the length of its page', () => {
  const page = pageOf(form({ offset: true }), {}, { items: [{ id: 'a' }, { id: '' }] }, read);
  expect(page).toEqual({ items: [{ id: 'a' }], next: { offset: 2 } });
  expect(pageOf(form({ offset: true }), { limit: 3 }, body(['a', 'b']), read)!.next).toBeNull();
});

test.each([null, {}, [], { items: {} }, { items: null }, 'x', undefined])('%j holds no list', (json) => {
  expect(pageOf(form(undefined), {}, json, read)).toBeUndefined();
});

test('a page is asked for by its limit and its place', () => {
  const list = form({ offset: true }, 100);
  expect(turnPlaces(list, {})).toEqual({ limit: 100, offset: 0, page: 1 });
  expect(turnPlaces(list, { turn: { offset: 200 } })).toEqual({ limit: 100, offset: 200, page: 1 });
  expect(turnPlaces(list, { limit: 1 })).toEqual({ limit: 1, page: 1 });
  expect(turnPlaces(list, { turn: { before: 't1' } })).toMatchObject({ before: 't1' });
});

test('calls are found by id, with the stamp and the phone where the list shows them', () => {
  const list = { ...form(undefined), id: ['/call_id', '/id'], stamp: '/meta/stamp', phone: '/to' };
  const items = [
    { call_id: 7, meta: { stamp: 's-1' }, to: '+1415' },
    { id: 'c-2', meta: null },
    { meta: { stamp: 's-3' } },
    'x',
  ];
  expect(findIn({ ...list, lag_seconds: 0, absence_proves: true }, null, { items })!.items).toEqual([
    { id: '7', stamp: 's-1', phone: '+1415' },
    { id: 'c-2', stamp: null, phone: null },
  ]);
});

describe('all pages', () => {
  const ok = (ids: string[], next: Turn | null): Answer<ListPage<Item>> => ({
    ok: true,
    value: { items: ids.map((id) => ({ id })), next },
    status: 200,
    ms: 1,
  });
  async function collect(pages: Answer<ListPage<Item>>[], before?: () => Promise<boolean>) {
    const turns: (Turn | null)[] = [];
    const seen: (string[] | string)[] = [];
    const ask = async (turn: Turn | null) => pages[Math.min(turns.push(turn), pages.length) - 1]!;
    for await (const page of pagesOf(ask, before)) {
      seen.push(page.ok ? page.value.items.map(({ id }) => id) : page.fault.kind);
    }
    return { turns, seen };
  }

  it('are asked for one after the other, each by what the one before told', async () => {
    const pages = [ok(['a', 'b'], { cursor: 'k2' }), ok(['b', 'c'], { cursor: 'k3' }), ok(['d'], null)];
    expect(await collect(pages)).toEqual({
      turns: [null, { cursor: 'k2' }, { cursor: 'k3' }],
      seen: [['a', 'b'], ['c'], ['d']],
    });
  });

  it('end with a page that repeats what was seen, or leads back, and say so', async () => {
    const { turns, seen } = await collect([ok(['a', 'b'], { offset: 2 })]);
    expect(turns).toHaveLength(2);
    expect(seen).toEqual([['a', 'b'], []]);
    const back = [ok(['a'], { cursor: 'k' }), ok(['b'], { cursor: 'l' }), ok(['c'], { cursor: 'k' })];
    expect((await collect(back)).seen).toEqual([['a'], ['b'], ['c']]);
  });

  it('of any service end: whole, or with the reason why they are cut, within the bounds', async () => {
    const drawn = fc.record({
      pages: fc.oneof(fc.integer({ min: 1, max: 120 }), fc.constant(Number.POSITIVE_INFINITY)),
      length: fc.integer({ min: 1, max: 900 }),
      size: fc.integer({ min: 0, max: 5_000_000 }),
      ms: fc.integer({ min: 0, max: 30_000 }),
      ids: fc.constantFrom('new', 'old', 'none'),
      turns: fc.constantFrom('new', 'circle'),
      mostPages: fc.constantFrom(5, 100),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ pages, length, size, ms, ids, turns, mostPages }) => {
        let asked = 0;
        let told = 0;
        const item = () => (ids === 'none' ? 'hello' : { id: ids === 'new' ? told++ : 0 });
        const ask = async () => ({
          ok: true as const,
          status: 200,
          ms,
          size,
          value: {
            items: Array.from({ length }, item),
            next: ++asked >= pages ? null : { page: turns === 'new' ? asked : asked % 3 },
          },
        });
        let [items, cut, isWhole]: [number, string | undefined, boolean] = [0, undefined, false];
        for await (const page of pagesOf<unknown>(ask, undefined, mostPages)) {
          if (!page.ok) throw new Error('no page failed');
          items += page.value.items.length;
          cut = page.value.cut;
          isWhole = page.value.next === null;
        }
        expect(isWhole).toBe(cut === undefined);
        expect(asked).toBeLessThanOrEqual(mostPages);
        expect(items).toBeLessThan(20_000 + length);
        expect((asked - 1) * size).toBeLessThan(33_554_432);
        expect((asked - 1) * ms).toBeLessThan(120_000);
        const isEasy = pages <= 5 && ids !== 'old' && turns === 'new' && size * pages < 33_554_432;
        if (isEasy && ms * pages < 120_000) expect(isWhole).toBe(true);
      }),
      { numRuns: runs(100) },
    );
  });

  it('end with the first fault, and an empty list is one empty page', async () => {
    const lost = { kind: 'lost' as const, message: 'x', status: 500, accepted: false };
    const pages = [ok(['a'], { page: 2 }), { ok: false as const, fault: lost, ms: 1 }];
    expect((await collect(pages)).seen).toEqual([['a'], 'lost']);
    expect((await collect([ok([], null)])).seen).toEqual([[]]);
  });

  it('end when no more may be asked for', async () => {
    let left = 2;
    const before = async () => left-- > 0;
    let page = 0;
    const ask = async () => ok([`p${page++}`], { page });
    const seen: string[] = [];
    for await (const each of pagesOf(ask, before))
      if (each.ok) seen.push(...each.value.items.map(({ id }) => id));
    expect(seen).toEqual(['p0', 'p1']);
  });
});
