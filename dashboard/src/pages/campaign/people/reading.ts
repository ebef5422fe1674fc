import { ask, Problem } from '../../../api/ask.ts';
import type { ListedRecipient } from '../../../api/description.ts';
import type { PeopleSearch } from '../search.ts';

/**
 * The people of a campaign as a list of any length, read where one looks. A whole list is entered at any row; of a filter
 * the pages follow each other, and the next is read before one reaches it.
 */
export type PeopleSource = {
  campaign: string;
  filter: PeopleSearch;
  /** Those who changed last come first. */
  order: 'moved' | undefined;
  /** The row at which a filtered list begins. */
  row: number | undefined;
  /** Rows of the whole list; null where pages follow each other. */
  rows: number | null;
  /** The order of a column, where one was chosen. */
  sort: PeopleOrder | null;
};

export type PeopleOrder = (a: ListedRecipient, b: ListedRecipient) => number;

/** Null: the list has nobody there. Undefined: it is not read yet. */
export type Seat = ListedRecipient | null | undefined;

export type PeopleList = {
  count(): number;
  at(index: number): Seat;
  /** How many were found, where all are known. */
  isWhole(): boolean;
  /** These are in sight. */
  show(first: number, end: number): void;
  /** Reads those in sight again. Nobody changes their place. */
  refresh(): Promise<void>;
  problem(): Problem | null;
  version(): number;
  subscribe(tell: () => void): () => void;
  close(): void;
};

export const pageSize = 200;

export function createReading({ campaign, filter, order }: PeopleSource) {
  const listeners = new Set<() => void>();
  let abort = new AbortController();
  let version = 0;
  let problem: Problem | null = null;
  return {
    async read(place: { cursor?: string; row?: number; limit?: number }) {
      return ask('GET /api/campaigns/{id}/recipients', {
        params: { id: campaign },
        query: { ...filter, limit: pageSize, ...place, ...(order && { order }) },
        signal: abort.signal,
      });
    },
    async readAgain(ids: string[]) {
      return ask('GET /api/campaigns/{id}/recipients', {
        params: { id: campaign },
        query: { recipient: ids, limit: ids.length },
        signal: abort.signal,
      });
    },
    failed(error: unknown) {
      if (error instanceof DOMException && error.name === 'AbortError') return;
      problem = error instanceof Problem ? error : new Problem({ detail: String(error) }, 0, null);
      this.changed();
    },
    changed(isGood = false) {
      if (isGood) problem = null;
      version += 1;
      for (const tell of listeners) tell();
    },
    problem: () => problem,
    version: () => version,
    subscribe(tell: () => void) {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    close() {
      abort.abort();
      abort = new AbortController();
    },
  };
}
export type Reading = ReturnType<typeof createReading>;

/** The facts that every list tells alike. */
export function shared({ problem, version, subscribe, close }: Reading) {
  return { problem, version, subscribe, close };
}

export function seatsOf([first, end]: [number, number], at: (index: number) => Seat): ListedRecipient[] {
  const found: ListedRecipient[] = [];
  for (let index = first; index < end; index++) {
    const seat = at(index);
    if (seat) found.push(seat);
  }
  return found;
}

/** Reads these people again; each keeps the place. */
export async function refreshSeats(
  state: Reading,
  seats: readonly ListedRecipient[],
  take: (fresh: ReadonlyMap<string, ListedRecipient>) => void,
): Promise<void> {
  if (seats.length === 0) return;
  try {
    const { items } = await state.readAgain(seats.map(({ id }) => id));
    take(new Map(items.map((item) => [item.id, item])));
    state.changed(true);
  } catch (error) {
    state.failed(error);
  }
}

export function replace(seats: Seat[], fresh: ReadonlyMap<string, ListedRecipient>): void {
  for (const [nth, seat] of seats.entries()) {
    const now = seat && fresh.get(seat.id);
    if (now) seats[nth] = now;
  }
}
