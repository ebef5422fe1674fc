import { type ReactNode, useEffect, useRef } from 'react';
import type { Problem } from '../api/ask.ts';
import { Button } from './button.tsx';
import { Loading, Trouble } from './empty.tsx';
import { DataTable, type DataTableProps } from './table/data-table.tsx';

/** A list in pages: its table, or what else shows its rows; its reading, its trouble, its end. */
type Listed<Row> = {
  rows: readonly Row[] | undefined;
  problem: Problem | null;
  again(): void;
  hasMore: boolean;
  isMoreBusy: boolean;
  more(): void;
};

type ListingProps<Row> = {
  list: Listed<Row>;
  /** The next page is read as one comes near the end. */
  endless?: boolean;
  empty: ReactNode;
} & (
  | { table: Omit<DataTableProps<Row>, 'rows'>; children?: undefined }
  | { table?: undefined; children(rows: readonly Row[]): ReactNode }
);

export function Listing<Row extends object>(props: ListingProps<Row>) {
  const { list, endless = false, empty, table } = props;
  const { rows, problem, again, hasMore, isMoreBusy, more } = list;
  const end = useRef<HTMLDivElement>(null);
  const goesOn = endless && hasMore && !isMoreBusy && !problem;
  const latest = useRef(more);
  latest.current = more;
  useEffect(() => {
    if (!goesOn || !end.current) return;
    // A busy tab is told of several moments at once, and the last of them is now.
    const watch = new IntersectionObserver((moments) => moments.at(-1)!.isIntersecting && latest.current(), {
      rootMargin: '600px',
    });
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [goesOn]);
  if (problem && !rows) return <Trouble problem={problem} retry={again} />;
  if (!rows) return <Loading lines={8} />;
  return (
    <>
      {problem && <Trouble problem={problem} retry={again} />}
      {rows.length === 0 && !hasMore ? (
        empty
      ) : table ? (
        <DataTable {...table} rows={rows} />
      ) : (
        props.children(rows)
      )}
      {hasMore && (
        <div ref={end} className="mt-2 flex justify-end">
          <Button small onClick={more} busy={isMoreBusy}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
