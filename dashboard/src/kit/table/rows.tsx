import { Fragment, memo, type ReactNode, type Ref } from 'react';
import { classes } from '../words.ts';

/** The one table of the page: the rows that are drawn now, of a list of any length. */
export type Column<Row> = {
  id: string;
  /** Empty over a button in each row. */
  head: string;
  cell(row: Row): ReactNode;
  number?: boolean;
  /** On a phone its head stands before it, as a number's does. */
  named?: boolean;
  /** Not shown on narrower screens; what a phone lacks of `sm` stands in a line below the main column. */
  from?: 'sm' | 'lg' | 'xl' | 'wide';
  /** What the row is about; the first column unless one says so. */
  main?: boolean;
  /** Whether a row has anything here: where none has, the column is left out. */
  has?(row: Row): boolean;
  /** The least width in pixels: where each column has one, they stand fast, and under those of another table with the same. */
  px?: number;
};

type Cell<Row> = Column<Row>['cell'];
type Told<Row> = [cell: Cell<Row>] | [more: Omit<Column<Row>, 'id' | 'head' | 'cell'>, cell: Cell<Row>];

export const left = <Row,>(id: string, head: string, ...told: Told<Row>): Column<Row> => {
  const [more, cell] = told.length === 1 ? [{}, told[0]] : told;
  return { id, head, cell, ...more };
};

/** A figure, or a short thing at the right; on a phone below the main column, with its head. */
export const right = <Row,>(id: string, head: string, ...told: Told<Row>): Column<Row> => ({
  number: true,
  from: 'sm',
  ...left(id, head, ...told),
});

type Drawn<Row> = { at: number; id: string; row: Row };

export type RowsProps<Row> = {
  label: string;
  total: number;
  columns: readonly Column<Row>[];
  /** What a phone has no columns for. */
  below: readonly Column<Row>[];
  rows: readonly Drawn<Row>[];
  /** Room for rows out of sight, in pixels. */
  gaps: readonly [before: number, after: number];
  cursor: number | null;
  /** The row that is shown elsewhere on the page. */
  current?: string | undefined;
  /** The keys of the selected rows; without it there is nothing to select. */
  selected?: ReadonlySet<string> | undefined;
  onToggle(id: string): void;
  all: { isOn: boolean; toggle(): void };
  onOpen?: ((row: Row) => void) | undefined;
  /** A heading above the row, such as over the first of a group. */
  headOf?: ((row: Row) => ReactNode) | undefined;
  measure?: Ref<HTMLTableRowElement> | undefined;
  body?: Ref<HTMLTableSectionElement>;
};

const hidden = { sm: '', lg: 'max-lg:hidden', xl: 'max-xl:hidden', wide: 'max-[1400px]:hidden' } as const;
const cellOf = ({ number, from, px }: Column<never>) =>
  classes(
    'px-3 py-1 first:pl-0 last:pr-0',
    number && 'number',
    from && hidden[from],
    px !== undefined && 'truncate',
  );

export function Rows<Row>(props: RowsProps<Row>) {
  const { label, total, columns, below, rows, gaps, selected, all, body, headOf } = props;
  const span = columns.length + (selected ? 1 : 0);
  const isFast = columns.every((column) => column.px !== undefined);
  return (
    <table
      aria-label={label}
      aria-rowcount={total}
      className={classes('w-full border-collapse text-sm', isFast && 'table-fixed')}
    >
      {isFast && (
        <colgroup>
          {selected && <col style={{ width: 36 }} />}
          {columns.map((column) => (
            <col
              key={column.id}
              className={column.from && hidden[column.from]}
              style={{ width: column.px }}
            />
          ))}
        </colgroup>
      )}
      {/* On a phone each row is a card, and says itself what it shows. */}
      <thead className={below.length > 0 && !selected ? 'sr-only' : undefined}>
        <tr className="border-b border-line">
          {selected && (
            <th scope="col" className="w-8 pb-2 text-left align-middle">
              <input
                type="checkbox"
                aria-label="Select all that are shown"
                checked={all.isOn}
                onChange={all.toggle}
              />
            </th>
          )}
          <Heads of={columns} />
        </tr>
      </thead>
      <tbody ref={body}>
        <Gap span={span} px={gaps[0]} />
        {rows.map((drawn) => {
          const heading = headOf?.(drawn.row);
          return (
            <Fragment key={drawn.id}>
              {heading && (
                <tr className={classes('border-b border-line align-bottom', drawn.at > 0 && 'h-14')}>
                  <th scope="rowgroup" colSpan={span} className="pt-4 pb-1.5 text-left font-medium">
                    {heading}
                  </th>
                </tr>
              )}
              <OneRow of={drawn} table={props} />
            </Fragment>
          );
        })}
        <Gap span={span} px={gaps[1]} />
      </tbody>
    </table>
  );
}

const Heads = <Row,>({ of }: { of: readonly Column<Row>[] }) =>
  of.map(({ id, head, number, from }) => (
    <th
      key={id}
      scope="col"
      className={classes(
        'truncate px-3 pt-1 pb-2 text-xs font-normal text-quiet first:pl-0 last:pr-0',
        number ? 'text-right' : 'text-left',
        from && hidden[from],
      )}
    >
      {head || <span className="sr-only">Acts</span>}
    </th>
  ));

type OneRowProps<Row> = { of: Drawn<Row>; table: RowsProps<Row> };

function OneRow<Row>({ of: { at, id, row }, table }: OneRowProps<Row>) {
  const { columns, below, cursor, current, selected, onToggle, onOpen, measure } = table;
  const isSelected = selected?.has(id) ?? false;
  return (
    <tr
      data-index={at}
      ref={measure}
      tabIndex={-1}
      aria-rowindex={at + 1}
      aria-selected={selected ? isSelected : undefined}
      // A link in it leads on by itself.
      onClick={onOpen ? (event) => event.defaultPrevented || onOpen(row) : undefined}
      className={classes(
        'h-9 border-b border-line',
        onOpen && 'cursor-pointer hover:wide-ground max-sm:h-11 [--ground:var(--color-quiet-soft)]',
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
            onChange={() => onToggle(id)}
          />
        </td>
      )}
      <Cells columns={columns} below={below} row={row} />
    </tr>
  );
}

type CellsProps<Row> = Pick<RowsProps<Row>, 'columns' | 'below'> & { row: Row };

/** Drawn again only for another row: a key that moves the cursor draws no cell. */
const Cells = memo(function Cells<Row>({ columns, below, row }: CellsProps<Row>) {
  const main = columns.find((column) => column.main) ?? columns[0];
  return columns.map((column) => (
    <td key={column.id} className={cellOf(column)}>
      {column.cell(row)}
      {column === main && below.length > 0 && <Below columns={below} row={row} />}
    </td>
  ));
}) as <Row>(props: CellsProps<Row>) => ReactNode;

/** On a phone: what has no column of its own there, a number with its name. */
const Below = <Row,>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) => (
  <div className="mt-0.5 flex flex-wrap items-baseline gap-x-3 gap-y-1 pb-1 text-xs text-quiet">
    {columns.map(({ id, head, number, named, cell }) => {
      const told = cell(row);
      return (
        <span key={id} className="min-w-0 empty:hidden">
          {(number || named) && head && told && `${head} `}
          {told}
        </span>
      );
    })}
  </div>
);

function Gap({ span, px }: { span: number; px: number }) {
  if (px <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus.
    <tr aria-hidden="true">
      <td colSpan={span} style={{ height: px, padding: 0 }} />
    </tr>
  );
}
