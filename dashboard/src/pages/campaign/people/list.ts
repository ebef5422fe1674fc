import { Problem } from '../../../api/ask.ts';
import { count as countText } from '../../../kit/words.ts';
import {
  createReading,
  type PeopleList,
  type PeopleSource,
  pageSize,
  type Reading,
  refreshSeats,
  replace,
  type Seat,
  seatsOf,
  shared,
} from './reading.ts';

const mostPages = 150;
/** A longer list is not sorted by a column. */
export const mostSorted = 5_000;
const sortedAtOnce = 1_000;
const mostAtOnce = 4;
const restMs = 150;

type Page = { seats: Seat[]; usedAt: number };

export function openPeople(source: PeopleSource): PeopleList {
  const state = createReading(source);
  return source.rows === null ? openChain(source, state) : openGrid(state, source.rows);
}

/** Pages by row: each can be read by itself. */
function openGrid(state: Reading, rows: number): PeopleList {
  const pages = new Map<number, Page>();
  const reading = new Set<number>();
  let wanted: number[] = [];
  let count = rows;
  let sight: [number, number] = [0, 0];
  let turn = 0;
  let rest: ReturnType<typeof setTimeout> | undefined;

  const seatAt = (index: number): Seat => {
    const page = pages.get(Math.floor(index / pageSize));
    return page ? page.seats[index % pageSize] : undefined;
  };

  const read = async (nth: number) => {
    reading.add(nth);
    try {
      const { items, next } = await state.read({ row: nth * pageSize + 1 });
      const seats: Seat[] = Array.from({ length: pageSize }, () => null);
      for (const item of items) {
        const at = item.row - 1 - nth * pageSize;
        if (at >= 0 && at < pageSize) seats[at] = item;
      }
      pages.set(nth, { seats, usedAt: turn });
      // Rows that were rejected have a number too, so the last one may be beyond the count.
      const end = (items.at(-1)?.row ?? 0) + (next === null ? 0 : 1);
      count = Math.max(count, end);
      forget();
      state.changed(true);
    } catch (error) {
      wanted = [];
      state.failed(error);
    } finally {
      reading.delete(nth);
      pump();
    }
  };

  const pump = () => {
    for (const nth of wanted) {
      if (reading.size >= mostAtOnce) return;
      if (!pages.has(nth) && !reading.has(nth)) void read(nth);
    }
  };

  const forget = () => {
    if (pages.size <= mostPages) return;
    const [oldest] = [...pages].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    pages.delete(oldest![0]);
  };

  const list: PeopleList = {
    ...shared(state),
    close() {
      clearTimeout(rest);
      state.close();
    },
    count: () => count,
    at: seatAt,
    isWhole: () => true,
    show(first, end) {
      const goesUp = first < sight[0];
      // Someone who drags the bar is elsewhere before the next page would be needed.
      const isFar = Math.abs(first - sight[0]) > pageSize;
      clearTimeout(rest);
      if (isFar) rest = setTimeout(() => list.show(...sight), restMs);
      sight = [first, end];
      turn += 1;
      const from = Math.floor(first / pageSize);
      const to = Math.floor(Math.max(first, end - 1) / pageSize);
      const inSight = Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
      const near = isFar ? [] : goesUp ? [from - 1, from - 2, to + 1] : [to + 1, to + 2, from - 1];
      const last = Math.floor(Math.max(0, count - 1) / pageSize);
      wanted = [...inSight, ...near].filter((nth) => nth >= 0 && nth <= last);
      for (const nth of inSight) {
        const page = pages.get(nth);
        if (page) page.usedAt = turn;
      }
      pump();
    },
    refresh: () =>
      refreshSeats(state, seatsOf(sight, seatAt), (fresh) => {
        for (const { seats } of pages.values()) replace(seats, fresh);
      }),
  };
  return list;
}

/**
 * Pages one after the other, each from where the last one ended. For the order of a column all are read, and put in order
 * here: the ledger has no index for each column, as every move of a row would pay for it. So there is a most.
 */
function openChain({ row, sort }: PeopleSource, state: Reading): PeopleList {
  const seats: Seat[] = [];
  let next: string | null | undefined;
  let isReading = false;
  let sight: [number, number] = [0, 0];
  const isWhole = () => next === null;
  const at = (index: number) => (sort && !isWhole() ? undefined : seats[index]);

  const read = async () => {
    if (isReading || isWhole()) return;
    isReading = true;
    try {
      while (!isWhole() && (sort || sight[1] + pageSize > seats.length)) {
        const start = row === undefined ? {} : { row };
        const place = next === undefined ? start : { cursor: next! };
        const page = await state.read(sort ? { ...place, limit: sortedAtOnce } : place);
        seats.push(...page.items);
        if (sort && seats.length > mostSorted) throw tooMany();
        if (sort && page.next === null) seats.sort((a, b) => sort(a!, b!));
        next = page.next;
        state.changed(true);
      }
    } catch (error) {
      // A part of them has no order.
      if (sort) seats.length = 0;
      if (sort) next = null;
      state.failed(error);
    } finally {
      isReading = false;
    }
  };

  return {
    ...shared(state),
    count: () => seats.length + (isWhole() ? 0 : 1),
    at,
    isWhole,
    show(first, end) {
      sight = [first, end];
      void read();
    },
    refresh: () => refreshSeats(state, seatsOf(sight, at), (fresh) => replace(seats, fresh)),
  };
}

function tooMany(): Problem {
  const detail = `More than ${countText(mostSorted)} people fit the filter: too many to sort by a column.`;
  return new Problem({ detail, remedy: 'Filter to fewer people, or sort by nothing.' }, 0, null);
}
