import type { ColumnMap } from '../../intake/columns.ts';
import type { CsvSource } from '../../intake/csv.ts';
import type { Order } from '../../rules/order.ts';
import type { Cli } from '../cli.ts';

/** The order of a run, read and checked. */
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
  /** The command line that resumes it. */
  again: string;
};

/** Where a run's rows come from. */
export function sourceOf(cli: Cli, file: string): CsvSource {
  return file === '-' ? { stream: cli.io.stdin } : { path: file };
}
