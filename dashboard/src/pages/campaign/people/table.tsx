import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { ListedRecipient } from '../../../api/description.ts';
import { useRowKeys } from '../../../kit/table/row-keys.ts';
import { Rows } from '../../../kit/table/rows.tsx';
import { count } from '../../../kit/words.ts';
import type { PersonColumn } from './columns.tsx';
import type { PeopleList, Seat } from './reading.ts';
import { type ColumnSort, sortOf } from './sort.tsx';
import { rowPx, useRowWindow } from './window.ts';

/** The people as a table of any length in a frame of its own: only those in sight are drawn, and read. */
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

export function PeopleTable(props: PeopleTableProps) {
  const { list, columns: wanted, onOpen, selected, onToggle, handle, sort } = props;
  const total = list.count();
  const { frame, first, shown, spacerPx, onScroll, goTo } = useRowWindow(total, headPx);
  const end = Math.min(total, first + shown);
  useEffect(() => list.show(first, end), [list, first, end]);
  useImperativeHandle(handle, () => ({ goTo }), [goTo]);
  const cursor = useRowKeys({
    count: total,
    onOpen: (at) => withSeat(list.at(at), onOpen),
    onSelect: selected ? (at) => withSeat(list.at(at), onToggle) : undefined,
    onMove: (at) => {
      if (at < first) goTo(at);
      else if (at >= first + shown) goTo(at - shown + 1);
    },
  });
  const rows = Array.from({ length: end - first }, (_, nth) => {
    const row = list.at(first + nth);
    return { at: first + nth, id: row?.id ?? '', row };
  });
  // A column that has come stays, so that nothing moves while one scrolls.
  const came = useRef(new Set<string>());
  for (const { id, has } of wanted) if (has && rows.some(({ row }) => row && has(row))) came.current.add(id);
  const columns = wanted.filter(({ id, has }) => !has || came.current.has(id));

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
      <div
        style={{
          height: spacerPx + headPx,
          minWidth: columns.reduce((sum, { px }) => sum + px, selected ? 36 : 0),
        }}
      >
        <Rows
          label="People"
          total={total}
          columns={columns.map((column) => ({ ...column, ...sortOf(column, sort) }))}
          rows={rows}
          cursor={cursor}
          selected={selected ?? undefined}
          onToggle={onToggle}
          onOpen={onOpen}
          px={{ head: headPx, row: rowPx }}
          nobody={(at) => `Row ${count(at + 1)} has nobody: it was rejected, or known already.`}
        />
      </div>
    </section>
  );
}

function withSeat(seat: Seat, act: (person: ListedRecipient) => void): void {
  if (seat) act(seat);
}
