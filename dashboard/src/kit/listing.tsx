import { type ReactNode, useEffect, useRef } from 'react';
import type { Problem } from '../api/ask.ts';
import { Button } from './button.tsx';
import { Loading, Trouble } from './empty.tsx';

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
  /** The next page is read as one comes near the end. */
  endless?: boolean;
  empty: ReactNode;
  children(rows: readonly Row[]): ReactNode;
};

export function Listing<Row>({ list, endless = false, empty, children }: ListingProps<Row>) {
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
      {rows.length === 0 && !hasMore ? empty : children(rows)}
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
