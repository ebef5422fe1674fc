import { Problem } from '../../../api/ask.ts';
import type { ListedRecipient } from '../../../api/description.ts';
import { count as countText } from '../../../kit/words.ts';
import {
  type PeopleList,
  type PeopleOrder,
  type Reading,
  refreshSeats,
  replace,
  seatsOf,
  shared,
} from './reading.ts';

/**
 * People in the order of a column. The ledger has no index for each column, as every move of a row would pay for it: all
 * who fit are read, and put in order here. So there is a most.
 */
export const mostSorted = 5_000;
const batch = 1_000;

export function openSorted(reading: Reading, order: PeopleOrder): PeopleList {
  const seats: ListedRecipient[] = [];
  let state: 'new' | 'reading' | 'sorted' | 'failed' = 'new';
  let sight: [number, number] = [0, 0];

  const read = async () => {
    state = 'reading';
    try {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await reading.read({ limit: batch, ...(cursor !== undefined && { cursor }) });
        seats.push(...page.items);
        cursor = page.next;
        if (seats.length > mostSorted) throw tooMany();
        reading.changed();
      }
      seats.sort(order);
      state = 'sorted';
      reading.changed(true);
    } catch (error) {
      state = 'failed';
      seats.length = 0;
      reading.failed(error);
    }
  };

  const at = (index: number) => (state === 'sorted' ? seats[index] : undefined);
  return {
    ...shared(reading),
    // Until all are read one more is to come.
    count: () => seats.length + (state === 'new' || state === 'reading' ? 1 : 0),
    at,
    isWhole: () => state === 'sorted',
    show(first, end) {
      sight = [first, end];
      if (state === 'new') void read();
    },
    refresh: () => refreshSeats(reading, seatsOf(sight, at), (fresh) => replace(seats, fresh)),
  };
}

function tooMany(): Problem {
  const detail = `More than ${countText(mostSorted)} people fit the filter: too many to sort by a column.`;
  return new Problem({ detail, remedy: 'Filter to fewer people, or sort by nothing.' }, 0, null);
}
