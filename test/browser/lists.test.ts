import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readCampaignSearch } from '../../dashboard/src/pages/campaign/search.ts';

/** The people of a campaign as the page lists them, against an API that is made up here. */
type Seat = { id: string; row: number; name: string } | null | undefined;
type List = {
  count(): number;
  at(index: number): Seat;
  isWhole(): boolean;
  show(first: number, end: number): void;
  refresh(): Promise<void>;
  problem(): { message: string } | null;
  close(): void;
};

// Its sources are checked with a browser's types, which the tests do not have.
const folder = new URL('../../dashboard/src/pages/campaign/people/', import.meta.url).href;
const { openPeople } = await import(`${folder}list.ts`);

let rows = 0;
let asked: URLSearchParams[] = [];
let names = 'Person';
let refusal: number | null = null;
const ownFetch = globalThis.fetch;

beforeEach(() => {
  [rows, asked, names, refusal] = [1_000, [], 'Person', null];
  globalThis.fetch = async (path, init) => {
    const { pathname, searchParams: query } = new URL(String(path), 'http://page');
    // Another file's tests may have left something that still asks.
    if (!pathname.startsWith('/api/campaigns/c/')) return ownFetch(path, init);
    asked.push(query);
    if (refusal !== null) return Response.json({ detail: 'Not now' }, { status: refusal });
    const again = query.getAll('recipient').map((id) => Number(id.slice(1)));
    const limit = Number(query.get('limit'));
    const from = Number(query.get('cursor') ?? query.get('row') ?? 1);
    const found = again.length > 0 ? again : Array.from({ length: limit }, (_, nth) => from + nth);
    const items = found
      .filter((row) => row <= rows)
      .map((row) => ({ id: `r${row}`, row, name: `${names} ${row}` }));
    return Response.json({ items, next: from + limit <= rows ? String(from + limit) : null });
  };
});
afterEach(() => {
  globalThis.fetch = ownFetch;
});

const open = (more: object): List =>
  openPeople({
    campaign: 'c',
    filter: {},
    order: undefined,
    row: undefined,
    rows: null,
    sort: null,
    ...more,
  });
const seat = (list: List, index: number) =>
  vi.waitFor(() => {
    const found = list.at(index);
    if (!found) throw new Error('not read yet');
    return found;
  });
const rowsAsked = () => asked.map((query) => query.get('row'));

describe('a whole list', () => {
  it('is entered at any row, and reads what is in sight first', async () => {
    const list = open({ rows: 1_000 });
    list.show(0, 20);
    expect((await seat(list, 0)).name).toBe('Person 1');
    await seat(list, 400);
    expect(rowsAsked()).toEqual(['1', '201', '401']);
    list.show(900, 920);
    expect((await seat(list, 905)).row).toBe(906);
    expect([list.count(), list.isWhole()]).toEqual([1_000, true]);
    list.close();
  });

  it('has nobody at the place of a rejected row, and grows by people who were added', async () => {
    const list = open({ rows: 300 });
    const { fetch } = globalThis;
    globalThis.fetch = async (...request) => {
      const { items, next } = (await (await fetch(...request)).json()) as {
        items: { row: number }[];
        next: string | null;
      };
      return Response.json({ items: items.filter(({ row }) => row !== 3), next });
    };
    list.show(0, 20);
    await seat(list, 3);
    expect(list.at(2)).toBeNull();
    list.show(290, 300);
    await vi.waitFor(() => expect(list.count()).toBeGreaterThan(300));
    list.close();
  });

  it('reads again those in sight, and each keeps the place', async () => {
    const list = open({ rows: 1_000 });
    list.show(10, 12);
    await seat(list, 10);
    names = 'Renamed';
    await list.refresh();
    expect(asked.at(-1)!.getAll('recipient')).toEqual(['r11', 'r12']);
    expect([list.at(10)!.name, list.at(12)!.name]).toEqual(['Renamed 11', 'Person 13']);
    list.close();
  });

  it('says why nothing comes, until something does', async () => {
    const list = open({ rows: 1_000 });
    refusal = 503;
    list.show(0, 20);
    await vi.waitFor(() => expect(list.problem()?.message).toBe('Not now'));
    refusal = null;
    list.show(0, 20);
    await seat(list, 0);
    expect(list.problem()).toBeNull();
    list.close();
  });
});

describe('a filtered list', () => {
  it('is read page after page, each before one reaches it', async () => {
    const list = open({ filter: { state: 'done' }, row: 101 });
    list.show(0, 20);
    await seat(list, 200);
    expect(asked.map((query) => query.get('cursor') ?? `row ${query.get('row')}`)).toEqual([
      'row 101',
      '301',
    ]);
    expect(asked.every((query) => query.get('state') === 'done')).toBe(true);
    expect(list.isWhole()).toBe(false);
    for (let end = 400; !list.isWhole(); end += 200) {
      list.show(end - 20, end);
      await vi.waitFor(() => expect(list.isWhole() || list.at(end)).toBeTruthy());
    }
    expect(list.count()).toBe(900);
  });

  it('is put in the order of a column when all are read', async () => {
    const list = open({ sort: (a: { row: number }, b: { row: number }) => b.row - a.row });
    list.show(0, 20);
    expect(list.at(0)).toBeUndefined();
    expect((await seat(list, 0)).row).toBe(1_000);
    expect([list.count(), list.isWhole()]).toEqual([1_000, true]);
  });

  it('that is too long to be sorted says so, and what to do', async () => {
    rows = 6_000;
    const list = open({ sort: () => 0 });
    list.show(0, 20);
    await vi.waitFor(() => expect(list.problem()?.message).toContain('too many to sort by a column'));
    expect([list.count(), list.at(0)]).toEqual([0, undefined]);
  });
});

describe('the address of a campaign', () => {
  it('keeps what the page knows, and drops the rest', () => {
    const known = { tab: 'people', span: '24h', order: 'moved', sort: '-name', row: 12, state: 'done' };
    expect(readCampaignSearch({ ...known, row: '12', color: 'red', phone: '' })).toEqual(known);
    expect(readCampaignSearch({ tab: 'x', span: '2y', order: 'up', sort: '1;', row: '-3' })).toEqual({});
    expect(readCampaignSearch({ variable: 7 })).toEqual({ variable: '7' });
  });
});
