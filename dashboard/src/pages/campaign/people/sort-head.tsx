import { classes, count } from '../../../kit/words.ts';
import type { PersonColumn } from './columns.tsx';
import { nextSort, type ReadSort } from './sort.ts';
import { mostSorted } from './sorted.ts';

export type ColumnSort = {
  now: ReadSort | null;
  /** False in a list that is too long for it. */
  isPossible: boolean;
  onSort(sort: string | undefined): void;
};

/** The head of a column: a press sorts by it. */
export function HeadCell({ column, sort }: { column: PersonColumn; sort: ColumnSort }) {
  const { id, head, number, by } = column;
  const isSorted = sort.now?.id === id;
  const beginsDown = number === true || id === 'ended';
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (sort.now?.isDown ? 'descending' : 'ascending') : undefined}
      className={classes(
        'truncate px-2.5 text-xs font-medium text-quiet',
        number ? 'text-right' : 'text-left',
      )}
    >
      {by ? (
        <button
          type="button"
          aria-disabled={!sort.isPossible || undefined}
          title={
            sort.isPossible
              ? undefined
              : `Filter to ${count(mostSorted)} people or fewer to sort by a column.`
          }
          onClick={() => sort.isPossible && sort.onSort(nextSort(id, sort.now, beginsDown))}
          className={classes(
            'max-w-full truncate',
            isSorted && 'text-text',
            sort.isPossible && 'hover:text-text',
          )}
        >
          {head}
          {isSorted && <span aria-hidden="true">{sort.now?.isDown ? ' ↓' : ' ↑'}</span>}
        </button>
      ) : (
        head
      )}
    </th>
  );
}
