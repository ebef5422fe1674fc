import type { ReactNode } from 'react';
import type { Problem } from '../api/ask.ts';
import { Button } from './button.tsx';
import { Loading, Trouble } from './empty.tsx';
import { counted } from './words.ts';

/** The frame around the table of a list in pages: its reading, its trouble, its end. */
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
  /** The name of one row: `phone`. */
  one: string;
  many?: string;
  /** The words at its end, where they are not the number of rows. */
  ends?: string;
  empty: ReactNode;
  children(rows: readonly Row[]): ReactNode;
};

export function Listing<Row>({ list, one, many, ends, empty, children }: ListingProps<Row>) {
  const { rows, problem, again, hasMore, isMoreBusy, more } = list;
  if (problem && !rows) return <Trouble problem={problem} retry={again} />;
  if (!rows) return <Loading lines={8} />;
  return (
    <>
      {problem && <Trouble problem={problem} retry={again} />}
      {rows.length === 0 && !hasMore ? empty : children(rows)}
      {(rows.length > 0 || hasMore) && (hasMore || ends !== '') && (
        <div className="mt-2 flex min-h-9 flex-wrap items-center justify-between gap-2 text-sm text-quiet">
          <span>
            {ends ?? counted(rows.length, one, many)}
            {hasMore && (ends === '' ? 'There are more.' : ', and more')}
          </span>
          {hasMore && (
            <Button small onClick={more} busy={isMoreBusy}>
              Show more
            </Button>
          )}
        </div>
      )}
    </>
  );
}
