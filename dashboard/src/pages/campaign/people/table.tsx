import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { ListedRecipient } from '../../../api/description.ts';
import { useRowKeys } from '../../../kit/table/row-keys.ts';
import { classes, count } from '../../../kit/words.ts';
import type { PersonColumn } from './columns.tsx';
import type { PeopleList, Seat } from './reading.ts';
import { type ColumnSort, HeadCell } from './sort-head.tsx';
import { rowPx, useRowWindow } from './window.ts';

/** The people as a table of any length: only those in sight are drawn, and read. */
export type PeopleTableHandle = { goTo(index: number): void };

type PeopleTableProps = {
  list: PeopleList;
  columns: readonly PersonColumn[];
  onOpen(person: ListedRecipient): void;
  /** Null where nobody may be chosen. */
  selected: ReadonlySet<string> | null;
  onToggle(person: ListedRecipient): void;
  handle: Ref<PeopleTableHandle>;
  sort: ColumnSort;
};

const headPx = 34;

export function PeopleTable({
  list,
  columns: wanted,
  onOpen,
  selected,
  onToggle,
  handle,
  sort,
}: PeopleTableProps) {
  const total = list.count();
  const { frame, first, shown, spacerPx, onScroll, goTo } = useRowWindow(total, headPx);
  const end = Math.min(total, first + shown);
  useEffect(() => list.show(first, end), [list, first, end]);
  useImperativeHandle(handle, () => ({ goTo }), [goTo]);
  const cursor = useRowKeys({
    count: total,
    onOpen: (at) => open(list.at(at), onOpen),
    onSelect: selected ? (at) => open(list.at(at), onToggle) : undefined,
    onMove: (at) => {
      if (at < first) goTo(at);
      else if (at >= first + shown) goTo(at - shown + 1);
    },
  });
  const rows = Array.from({ length: end - first }, (_, nth) => first + nth);
  // A column that has come stays, so that nothing moves while one scrolls.
  const came = useRef(new Set<string>());
  for (const { id, has } of wanted)
    if (has && rows.some((index) => seatHas(list.at(index), has))) came.current.add(id);
  const columns = wanted.filter(({ id, has }) => !has || came.current.has(id));
  const widthPx = columns.reduce((sum, { px }) => sum + px, selected ? 36 : 0);
  const span = columns.length + (selected ? 1 : 0);

  return (
    <section
      ref={frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
      tabIndex={0}
      aria-label="People, scrolled with the arrow keys"
      onScroll={onScroll}
      className="overflow-auto overscroll-contain border-t border-line"
      style={{
        height: `min(${Math.max(3, total) * rowPx + headPx + 16}px, calc(100dvh - 17rem))`,
        minHeight: 240,
      }}
    >
      <div style={{ height: spacerPx + headPx, minWidth: widthPx }}>
        <table
          aria-label="People"
          aria-rowcount={total}
          className="sticky top-0 w-full table-fixed border-collapse text-sm"
        >
          <colgroup>
            {selected && <col style={{ width: 36 }} />}
            {columns.map(({ id, px }) => (
              <col key={id} style={{ width: px }} />
            ))}
          </colgroup>
          <thead>
            <tr className="border-b border-line" style={{ height: headPx }}>
              {selected && (
                <th scope="col">
                  <span className="sr-only">Chosen</span>
                </th>
              )}
              {columns.map((column) => (
                <HeadCell key={column.id} column={column} sort={sort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((index) => (
              <Row
                key={index}
                index={index}
                seat={list.at(index)}
                columns={columns}
                span={span}
                isCurrent={cursor === index}
                selected={selected}
                onOpen={onOpen}
                onToggle={onToggle}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const seatHas = (seat: Seat, has: (person: ListedRecipient) => boolean) => Boolean(seat && has(seat));

function open(seat: ListedRecipient | null | undefined, act: (person: ListedRecipient) => void): void {
  if (seat) act(seat);
}

type RowProps = Pick<PeopleTableProps, 'columns' | 'selected' | 'onOpen' | 'onToggle'> & {
  index: number;
  seat: ListedRecipient | null | undefined;
  span: number;
  isCurrent: boolean;
};

function Row({ index, seat, columns, span, isCurrent, selected, onOpen, onToggle }: RowProps) {
  const isSelected = seat ? selected?.has(seat.id) : false;
  const look = classes(
    'border-b border-line',
    isSelected && 'bg-accent-soft',
    isCurrent && 'outline-2 -outline-offset-2 outline-accent',
  );
  if (!seat) {
    return (
      <tr
        data-row={index}
        data-blank={seat === undefined || undefined}
        aria-rowindex={index + 1}
        className={look}
        style={{ height: rowPx }}
      >
        {seat === undefined ? (
          <Outline index={index} columns={columns} span={span} />
        ) : (
          <td colSpan={span} className="truncate px-2.5 text-quiet">
            Row {count(index + 1)} has nobody: it was rejected, or known already.
          </td>
        )}
      </tr>
    );
  }
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 1}
      aria-selected={selected ? isSelected : undefined}
      onClick={() => onOpen(seat)}
      className={classes(look, 'cursor-pointer hover:bg-quiet-soft')}
      style={{ height: rowPx }}
    >
      {selected && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the checkbox in it takes the keys.
        <td className="px-2.5" onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            aria-label={`Choose row ${count(seat.row)}`}
            checked={isSelected ?? false}
            onChange={() => onToggle(seat)}
          />
        </td>
      )}
      {columns.map(({ id, number, cell }) => (
        <td key={id} className={classes('truncate px-2.5', number && 'number')}>
          {cell(seat)}
        </td>
      ))}
    </tr>
  );
}

/** A row that is not read yet: its number at once, and where the rest will stand. */
function Outline({ index, columns, span }: Pick<RowProps, 'index' | 'columns' | 'span'>) {
  const [first, ...others] = columns;
  return (
    <>
      {span > columns.length && <td />}
      <td className={classes('truncate px-2.5 text-quiet', first?.number && 'number')}>{count(index + 1)}</td>
      {others.map(({ id }) => (
        <td key={id} className="px-2.5">
          <span className="block h-2.5 w-3/5 rounded-sm bg-quiet-soft" />
        </td>
      ))}
    </>
  );
}
