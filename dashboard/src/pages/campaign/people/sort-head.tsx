import type { Column } from '../../../kit/table/rows.tsx';
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
