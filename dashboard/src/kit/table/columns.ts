import type { ReactNode } from 'react';
import type { widths } from '../store.ts';

/** What stands in a column of a table, and where it has room. */
export type Column<Row> = {
  id: string;
  /** Empty over a button in each row. */
  head: string;
  cell(row: Row): ReactNode;
  number?: boolean;
  /** Below the main column its head stands before it, as a number's does. */
  named?: boolean;
  /** Not shown on narrower screens; one of `sm`, or one that `folds`, stands in a line below the main column there. */
  from?: keyof typeof widths;
  folds?: boolean;
  /** What the row is about; the first column unless one says so. */
  main?: boolean;
  /** Whether a row has anything here: where none has, the column is left out. */
  has?(row: Row): boolean;
  /** The least width in pixels: where each column has one, they stand fast, and under those of another table with the same. */
  px?: number;
};

type Cell<Row> = Column<Row>['cell'];
type Told<Row> = [cell: Cell<Row>] | [more: Omit<Column<Row>, 'id' | 'head' | 'cell'>, cell: Cell<Row>];

export const left = <Row>(id: string, head: string, ...told: Told<Row>): Column<Row> => {
  const [more, cell] = told.length === 1 ? [{}, told[0]] : told;
  return { id, head, cell, ...more };
};

/** A figure, or a short thing at the right; on a phone below the main column, with its head. */
export const right = <Row>(id: string, head: string, ...told: Told<Row>): Column<Row> => ({
  number: true,
  from: 'sm',
  ...left(id, head, ...told),
});
