import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useRef } from 'react';
import { useNarrow } from '../narrow.ts';
import { classes } from '../words.ts';
import { useRowKeys } from './row-keys.ts';

/** A table of any length: only the rows in sight are drawn. `j` and `k` walk through it, Enter opens, `x` selects. */
export type Column<Row> = {
  id: string;
  /** Empty over a button in each row. */
  head: string;
  cell(row: Row): ReactNode;
  /** Right-aligned, with figures of one width. */
  number?: boolean;
  /** On a phone its head stands before it, as a number's does. */
  named?: boolean;
  /** Not shown on narrower screens; what a phone lacks of `sm` stands in a line below the main column. */
  from?: 'sm' | 'lg' | 'xl';
  /** What the row is about; the first column unless one says so. */
  main?: boolean;
  /** Whether a row has anything here: where none has, the column is left out. */
  has?(row: Row): boolean;
};

export type DataTableProps<Row> = {
  /** The table's name, for those who hear it. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  onOpen?: ((row: Row) => void) | undefined;
  /** Told of each row to which `j` and `k` come. */
  onMove?: ((row: Row) => void) | undefined;
  /** Acts on the row that has the focus, by their letters. */
  keys?: Readonly<Record<string, (row: Row) => void>> | undefined;
  /** The row that is shown elsewhere on the page. */
  current?: string | undefined;
  /** The keys of the selected rows; without it there is nothing to select. */
  selected?: ReadonlySet<string> | undefined;
  onSelect?: ((keys: Set<string>) => void) | undefined;
};

const rowPx = 36;
const fewRows = 60;
const hidden = { sm: '', lg: 'max-lg:hidden', xl: 'max-xl:hidden' } as const;

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, rows, keyOf, onOpen, onMove, keys, current, selected, onSelect } = props;
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
    overscan: 12,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  const items = virtual.getVirtualItems();
  const { scrollMargin } = virtual.options;
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
  const main = columns.find((column) => column.main) ?? columns[0];
  const span = columns.length + (selected ? 1 : 0);

  return (
    <div className="overflow-x-auto">
      <table aria-label={label} aria-rowcount={rows.length} className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line">
            {selected && (
              <th scope="col" className="w-9 px-3 py-2 text-left">
                <input
                  type="checkbox"
                  aria-label="Select all that are shown"
                  checked={isAll}
                  onChange={() => select(ids, !isAll)}
                />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.id} scope="col" className={headClasses(column)}>
                {column.head || <span className="sr-only">Acts</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Gap span={span} px={isLong ? (items[0]?.start ?? scrollMargin) - scrollMargin : 0} />
          {rows.slice(first, end).map((row, nth) => {
            const at = first + nth;
            const id = ids[at]!;
            const isSelected = selected?.has(id) ?? false;
            return (
              <tr
                key={id}
                data-row={at}
                // Rows of a long list are as high as what stands in them.
                data-index={at}
                ref={isLong ? virtual.measureElement : undefined}
                tabIndex={-1}
                aria-rowindex={at + 1}
                aria-selected={selected ? isSelected : undefined}
                onClick={onOpen && (() => onOpen(row))}
                className={classes(
                  'h-9 border-b border-line',
                  onOpen && 'cursor-pointer hover:bg-quiet-soft',
                  (isSelected || id === current) &&
                    'bg-accent-soft shadow-[inset_2px_0_0_var(--color-live-fill)]',
                  'focus-visible:outline-2 focus-visible:-outline-offset-2',
                  cursor === at && 'bg-accent-soft',
                )}
              >
                {selected && (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the checkbox in it takes the keys.
                  <td className="px-3" onClick={(event) => event.stopPropagation()}>
                    <input
                      type="checkbox"
                      aria-label="Select this row"
                      checked={isSelected}
                      onChange={() => toggle(id)}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <td key={column.id} className={cellClasses(column)}>
                    {column.cell(row)}
                    {column === main && below.length > 0 && <Below columns={below} row={row} />}
                  </td>
                ))}
              </tr>
            );
          })}
          <Gap
            span={span}
            px={isLong ? virtual.getTotalSize() - (items.at(-1)?.end ?? scrollMargin) + scrollMargin : 0}
          />
        </tbody>
      </table>
    </div>
  );
}

/** On a phone: what has no column of its own there, a number with its name. */
function Below<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return (
    <div className="mt-0.5 flex flex-wrap items-baseline gap-x-3 gap-y-1 pb-1 text-xs text-quiet">
      {columns.map(({ id, head, number, named, cell }) => (
        <span key={id} className="min-w-0 empty:hidden">
          {(number || named) && head && `${head} `}
          {cell(row)}
        </span>
      ))}
    </div>
  );
}

/** Stands for rows out of sight. */
function Gap({ span, px }: { span: number; px: number }) {
  if (px <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus.
    <tr aria-hidden="true">
      <td colSpan={span} style={{ height: px, padding: 0 }} />
    </tr>
  );
}

function headClasses({ number, from }: Column<never>): string {
  return classes(
    'px-3 pt-1 pb-2 text-xs font-normal text-quiet whitespace-nowrap first:pl-2 last:pr-2',
    number ? 'text-right' : 'text-left',
    from && hidden[from],
  );
}

function cellClasses({ number, from }: Column<never>): string {
  return classes('px-3 py-1 first:pl-2 last:pr-2', number && 'number', from && hidden[from]);
}
