import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Problem } from '../../api/ask.ts';
import { Button } from '../basics.tsx';
import { usePlainKeys } from '../keys.ts';
import { Loading, Trouble } from '../page.tsx';
import { useNarrow } from '../store.ts';
import { Rows, type RowsProps } from './rows.tsx';

/** A table that scrolls with the page: only the rows in sight are drawn. `j` and `k` walk through it, Enter opens, `x` selects. */
export { type Column, left, right } from './rows.tsx';

type Shared = 'label' | 'columns' | 'current' | 'selected' | 'onOpen' | 'headOf';
type DataTableProps<Row> = Pick<RowsProps<Row>, Shared> & {
  rows: readonly Row[];
  /** Without it, a row has an id. */
  keyOf?: ((row: Row) => string) | undefined;
  /** Told of each row to which `j` and `k` come. */
  onMove?: ((row: Row) => void) | undefined;
  keys?: Readonly<Record<string, (row: Row) => void>> | undefined;
  onSelect?: ((keys: Set<string>) => void) | undefined;
};

const rowPx = 36;
const fewRows = 60;
const idOf = (row: object) => (row as { id: string }).id;

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { rows, keyOf = idOf, onOpen, onMove, keys, selected, onSelect } = props;
  const isCard = useNarrow();
  const [columns, below] = useMemo(() => {
    const known = props.columns.filter(({ has }) => !has || rows.some(has));
    if (!isCard) return [known, []];
    return [known.filter(({ from }) => !from), known.filter(({ from }) => from === 'sm')];
  }, [props.columns, rows, isCard]);
  const ids = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  const select = (these: readonly string[], isOn: boolean) => {
    const now = new Set(selected);
    for (const id of these) isOn ? now.add(id) : now.delete(id);
    onSelect?.(now);
  };
  const toggle = (id: string) => select([id], !selected?.has(id));
  const isAll = selected !== undefined && ids.length > 0 && ids.every((id) => selected.has(id));
  const body = useRef<HTMLTableSectionElement>(null);
  const isLong = rows.length > fewRows;
  const virtual = useWindowVirtualizer({
    count: rows.length,
    enabled: isLong,
    estimateSize: () => rowPx,
    overscan: 6,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  const items = virtual.getVirtualItems();
  const { scrollMargin: top } = virtual.options;
  const first = isLong ? (items[0]?.index ?? 0) : 0;
  const end = isLong ? (items.at(-1)?.index ?? -1) + 1 : rows.length;
  const [cursor, setCursor] = useState<number | null>(null);
  // `j` and `k` move the focus over rows, Enter or `o` opens the row, `x` selects it; a page may add letters of its own.
  usePlainKeys((event) => {
    const { key, target } = event;
    const move = key === 'j' ? 1 : key === 'k' ? -1 : 0;
    const moved = Math.min(rows.length - 1, Math.max(0, (cursor ?? -1) + move));
    const at = move === 0 ? (cursor ?? -1) : moved;
    const row = rows[at];
    if (!row) return;
    if (move !== 0) {
      setCursor(at);
      if (isLong) virtual.scrollToIndex(at);
      onMove?.(row);
      focusRow(at);
    } else if (key === 'Enter' || key === 'o') {
      if (!(target instanceof HTMLElement && target.closest('a, button, summary'))) onOpen?.(row);
    } else if (key === 'x' && selected) toggle(keyOf(row));
    else if (keys?.[key]) {
      keys[key](row);
      event.preventDefault();
    }
  });
  return (
    // Words that are only heard are clipped with the table that they stand in.
    <div data-table className="relative -mx-3 overflow-x-auto px-3">
      <Rows
        {...props}
        total={rows.length}
        columns={columns}
        below={below}
        rows={rows.slice(first, end).map((row, nth) => ({ at: first + nth, id: ids[first + nth]!, row }))}
        gaps={
          isLong
            ? [(items[0]?.start ?? top) - top, virtual.getTotalSize() - (items.at(-1)?.end ?? top) + top]
            : [0, 0]
        }
        cursor={cursor}
        onToggle={toggle}
        all={{ isOn: isAll, toggle: () => select(ids, !isAll) }}
        // Rows of a long list are as high as what stands in them.
        measure={isLong ? virtual.measureElement : undefined}
        body={body}
      />
    </div>
  );
}

/** A row that was out of sight is drawn with the next frame. */
function focusRow(at: number): void {
  const row = () => document.querySelector<HTMLElement>(`tr[data-index="${at}"]`);
  const found = row();
  if (found) found.focus();
  else requestAnimationFrame(() => row()?.focus());
}

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
