import { personColumns } from './columns.tsx';
import type { PeopleOrder } from './reading.ts';

/** A column's name sorts by it from the least, with a minus from the most. */
export type ReadSort = { id: string; isDown: boolean; order: PeopleOrder };

const words = new Intl.Collator(undefined, { numeric: true });

export function readSort(sort: string | undefined): ReadSort | null {
  if (sort === undefined) return null;
  const isDown = sort.startsWith('-');
  const column = personColumns.find(({ id }) => id === sort.replace('-', ''));
  const by = column?.by;
  if (!by) return null;
  const order: PeopleOrder = (a, b) => {
    const [first, second] = [by(a), by(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    const least =
      typeof first === 'number' && typeof second === 'number'
        ? first - second
        : words.compare(String(first), String(second));
    return isDown ? -least : least;
  };
  return { id: column.id, isDown, order };
}

/** The sort after the next press: numbers and times begin with the most, words with the first; a third press ends it. */
export function nextSort(id: string, now: ReadSort | null, beginsDown: boolean): string | undefined {
  const written = (isDown: boolean) => `${isDown ? '-' : ''}${id}`;
  if (now?.id !== id) return written(beginsDown);
  return now.isDown === beginsDown ? written(!beginsDown) : undefined;
}
