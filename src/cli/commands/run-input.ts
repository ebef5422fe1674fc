import { CarillonError } from '../../base/errors.ts';
import type { ColumnMap } from '../../intake/columns.ts';
import type { CsvSource } from '../../intake/csv.ts';
import type { Order } from '../../rules/order.ts';
import type { Cli } from '../cli.ts';

/** What a run is told to do, read and checked. */
export type RunOrder = {
  file: string;
  name: string;
  out: string;
  order: Order;
  map: ColumnMap | undefined;
  country: string | undefined;
  on402: 'wait' | 'exit';
  mostCalls: number | null;
  startOver: boolean;
  yes: boolean;
  json: boolean;
  /** The command line that goes on with it. */
  again: string;
};

/** Where a run's rows come from, and what is said when none of them can be dialled. */
export function sourceOf(cli: Cli, file: string): CsvSource {
  return file === '-' ? { stream: cli.io.stdin } : { path: file };
}

export function nothingToDial(file: string, rejected: number, example: string | undefined): CarillonError {
  const shown = file === '-' ? 'Standard input' : file;
  if (rejected === 0) {
    return new CarillonError('nothing-to-dial', `${shown} has a header but no rows`, {
      remedy: 'Put one row a person under the header.',
    });
  }
  return new CarillonError(
    'nothing-to-dial',
    `${shown} has no row that can be dialled: ${rejected} rejected, for example ${example?.trim()}`,
  );
}
