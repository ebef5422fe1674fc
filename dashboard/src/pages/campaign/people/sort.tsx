import type { Column } from '../../../kit/table/rows.tsx';
import { classes, count } from '../../../kit/words.ts';
import { type PersonColumn, personColumns } from './columns.tsx';
import { mostSorted } from './list.ts';
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
function nextSort(id: string, now: ReadSort | null, beginsDown: boolean): string | undefined {
  const written = (isDown: boolean) => `${isDown ? '-' : ''}${id}`;
  if (now?.id !== id) return written(beginsDown);
  return now.isDown === beginsDown ? written(!beginsDown) : undefined;
}

export type ColumnSort = {
  now: ReadSort | null;
  /** False in a list that is too long for it. */
  isPossible: boolean;
  onSort(sort: string | undefined): void;
};

/** The head of a column that can be sorted by: a press does it. */
export function sortOf(
  { id, head, number, by }: PersonColumn,
  sort: ColumnSort,
): Pick<Column<never>, 'sort'> {
  if (!by) return {};
  const { now, isPossible, onSort } = sort;
  const isSorted = now?.id === id;
  const beginsDown = number === true || id === 'ended';
  const button = (
    <button
      type="button"
      aria-disabled={!isPossible || undefined}
      title={isPossible ? undefined : `Filter to ${count(mostSorted)} people or fewer to sort by a column.`}
      onClick={() => isPossible && onSort(nextSort(id, now, beginsDown))}
      className={classes('max-w-full truncate', isSorted && 'text-text', isPossible && 'hover:text-text')}
    >
      {head}
      {isSorted && <span aria-hidden="true">{now.isDown ? ' ↓' : ' ↑'}</span>}
    </button>
  );
  return { sort: { button, now: isSorted ? (now.isDown ? 'descending' : 'ascending') : undefined } };
}
