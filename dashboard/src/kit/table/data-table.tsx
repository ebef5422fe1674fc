import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Fragment, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Problem } from '../../api/ask.ts';
import { Button } from '../basics.tsx';
import { usePlainKeys } from '../keys.ts';
import { Loading, Trouble } from '../page.tsx';
import { useWidth, widths } from '../store.ts';
import { classes } from '../words.ts';
import type { Column } from './columns.ts';

/** A table that scrolls with the page: only the rows in sight are drawn. `j` and `k` walk through it, Enter opens, `x` selects. */
export { type Column, left, right } from './columns.ts';

type DataTableProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Without it, a row has an id. */
  keyOf?: ((row: Row) => string) | undefined;
  onOpen?: ((row: Row) => void) | undefined;
  /** Told of each row to which `j` and `k` come. */
  onMove?: ((row: Row) => void) | undefined;
  keys?: Readonly<Record<string, (row: Row) => void>> | undefined;
  /** The row that is shown elsewhere on the page. */
  current?: string | undefined;
  /** The keys of the selected rows; without it there is nothing to select. */
  selected?: ReadonlySet<string> | undefined;
  onSelect?: ((keys: Set<string>) => void) | undefined;
  /** A heading above the row, such as over the first of a group. */
  headOf?: ((row: Row) => ReactNode) | undefined;
};

const rowPx = 36;
const fewRows = 60;
const idOf = (row: unknown) => (row as { id: string }).id;

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, keyOf = idOf, onOpen, onMove, keys, current, selected, onSelect, headOf } = props;
  const width = useWidth();
  const [columns, below] = useMemo(() => {
    const known = props.columns.filter(({ has }) => !has || rows.some(has));
    const fits = ({ from }: Column<Row>) => !from || width >= widths[from];
    return [
      known.filter(fits),
      known.filter((column) => !fits(column) && (column.folds || column.from === 'sm')),
    ];
  }, [props.columns, rows, width]);
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
  const span = columns.length + (selected ? 1 : 0);
  const isFast = columns.every(({ px }) => px !== undefined);
  // Room for rows out of sight.
  const gap = (px: number) =>
    isLong &&
    px > 0 && (
      // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus.
      <tr aria-hidden="true">
        <td colSpan={span} style={{ height: px, padding: 0 }} />
      </tr>
    );
  return (
    // Words that are only heard are clipped with the table that they stand in.
    <div data-table className="relative -mx-3 overflow-x-auto px-3">
      <table
        aria-label={props.label}
        aria-rowcount={rows.length}
        className={classes('w-full border-collapse text-sm', isFast && 'table-fixed')}
      >
        {isFast && (
          <colgroup>
            {selected && <col style={{ width: 36 }} />}
            {columns.map(({ id, px }) => (
              <col key={id} style={{ width: px }} />
            ))}
          </colgroup>
        )}
        {/* On a phone each row is a card, and says itself what it shows. */}
        <thead className={width === 0 && below.length > 0 && !selected ? 'sr-only' : undefined}>
          <tr className="border-b border-line">
            {selected && (
              <th scope="col" className="w-8 pb-2 text-left align-middle">
                <input
                  type="checkbox"
                  aria-label="Select all that are shown"
                  checked={isAll}
                  onChange={() => select(ids, !isAll)}
                />
              </th>
            )}
            {columns.map(({ id, head, number }) => (
              <th
                key={id}
                scope="col"
                className={classes(
                  'truncate px-3 pt-1 pb-2 text-xs font-normal text-quiet first:pl-0 last:pr-0',
                  number ? 'text-right' : 'text-left',
                )}
              >
                {head || <span className="sr-only">Acts</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {gap((items[0]?.start ?? top) - top)}
          {rows.slice(first, end).map((row, nth) => {
            const at = first + nth;
            const id = ids[at]!;
            const isSelected = selected?.has(id) ?? false;
            const heading = headOf?.(row);
            return (
              <Fragment key={id}>
                {heading && (
                  <tr className={classes('border-b border-line align-bottom', at > 0 && 'h-14')}>
                    <th scope="rowgroup" colSpan={span} className="pt-4 pb-1.5 text-left font-medium">
                      {heading}
                    </th>
                  </tr>
                )}
                <tr
                  data-index={at}
                  // Rows of a long list are as high as what stands in them.
                  ref={isLong ? virtual.measureElement : undefined}
                  tabIndex={-1}
                  aria-rowindex={at + 1}
                  aria-selected={selected ? isSelected : undefined}
                  // A link in it leads on by itself.
                  onClick={onOpen ? (event) => event.defaultPrevented || onOpen(row) : undefined}
                  className={classes(
                    'h-9 border-b border-line',
                    onOpen &&
                      'cursor-pointer hover:wide-ground max-sm:h-11 [--ground:var(--color-quiet-soft)]',
                    (isSelected || id === current || cursor === at) &&
                      'wide-ground [--ground:var(--color-accent-soft)]! [--mark:var(--color-live-fill)]',
                    'focus-visible:outline-2 focus-visible:outline-offset-0',
                  )}
                >
                  {selected && (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the checkbox in it takes the keys.
                    <td onClick={(event) => event.stopPropagation()}>
                      <input
                        type="checkbox"
                        aria-label="Select this row"
                        checked={isSelected}
                        onChange={() => toggle(id)}
                      />
                    </td>
                  )}
                  <Cells columns={columns} below={below} row={row} />
                </tr>
              </Fragment>
            );
          })}
          {gap(virtual.getTotalSize() - (items.at(-1)?.end ?? top) + top)}
        </tbody>
      </table>
    </div>
  );
}

type CellsProps<Row> = { columns: readonly Column<Row>[]; below: readonly Column<Row>[]; row: Row };

/** Drawn again only for another row: a key that moves the cursor draws no cell. */
const Cells = memo(function Cells<Row>({ columns, below, row }: CellsProps<Row>) {
  const main = columns.find((column) => column.main) ?? columns[0];
  return columns.map((column) => {
    const { id, number, px, cell } = column;
    const look = [number && 'number', px !== undefined && 'truncate'];
    return (
      <td key={id} className={classes('px-3 py-1 first:pl-0 last:pr-0', ...look)}>
        {cell(row)}
        {column === main && below.length > 0 && (
          // What has no column of its own at this width, a number with its name.
          <div className="mt-0.5 flex flex-wrap items-baseline gap-x-3 gap-y-1 pb-1 text-xs text-quiet">
            {below.map((each) => {
              const told = each.cell(row);
              return (
                <span key={each.id} className="min-w-0 empty:hidden">
                  {(each.number || each.named) && each.head && told && `${each.head} `}
                  {told}
                </span>
              );
            })}
          </div>
        )}
      </td>
    );
  });
}) as <Row>(props: CellsProps<Row>) => ReactNode;

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
