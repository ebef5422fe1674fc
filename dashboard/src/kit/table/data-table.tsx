import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { usePlainKeys } from '../keys.ts';
import { useNarrow } from '../narrow.ts';
import { Rows, type RowsProps } from './rows.tsx';

/** A table that scrolls with the page: only the rows in sight are drawn. `j` and `k` walk through it, Enter opens, `x` selects. */
export { type Column, left, right } from './rows.tsx';

type Shared = 'label' | 'columns' | 'current' | 'selected' | 'onOpen' | 'headOf';
export type DataTableProps<Row> = Pick<RowsProps<Row>, Shared> & {
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** Told of each row to which `j` and `k` come. */
  onMove?: ((row: Row) => void) | undefined;
  keys?: Readonly<Record<string, (row: Row) => void>> | undefined;
  onSelect?: ((keys: Set<string>) => void) | undefined;
};

const rowPx = 36;
const fewRows = 60;

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { rows, keyOf, onOpen, onMove, keys, selected, onSelect } = props;
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
  const cursor = useRowKeys({
    count: rows.length,
    onOpen: onOpen && ((at) => onOpen(rows[at]!)),
    onSelect: selected && ((at) => toggle(ids[at]!)),
    onMove: (at) => {
      if (isLong) virtual.scrollToIndex(at);
      onMove?.(rows[at]!);
    },
    onLetter(letter, at) {
      const act = keys?.[letter];
      act?.(rows[at]!);
      return act !== undefined;
    },
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

/** `j` and `k` move the focus over rows, Enter or `o` opens the row, `x` selects it; a page may add letters of its own. */
type RowKeys = {
  count: number;
  onOpen?: ((at: number) => void) | undefined;
  onSelect?: ((at: number) => void) | undefined;
  onMove?: ((at: number) => void) | undefined;
  onLetter?: ((letter: string, at: number) => boolean) | undefined;
};

/** A row that was out of sight is drawn with the next frame. */
function focusRow(at: number): void {
  const row = () => document.querySelector<HTMLElement>(`tr[data-index="${at}"]`);
  const found = row();
  if (found) found.focus();
  else requestAnimationFrame(() => row()?.focus());
}

function useRowKeys({ count, onOpen, onSelect, onMove, onLetter }: RowKeys): number | null {
  const [at, setCursor] = useState<number | null>(null);
  usePlainKeys((event) => {
    if (count === 0) return;
    const move = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
    if (move !== 0) {
      const to = at === null ? 0 : Math.min(count - 1, Math.max(0, at + move));
      setCursor(to);
      onMove?.(to);
      focusRow(to);
    } else if (at !== null && at < count && (event.key === 'Enter' || event.key === 'o')) {
      if (event.target instanceof HTMLElement && event.target.closest('a, button, summary')) return;
      onOpen?.(at);
    } else if (at !== null && at < count && event.key === 'x') onSelect?.(at);
    else if (at !== null && at < count && onLetter?.(event.key, at)) event.preventDefault();
  });
  return at;
}
