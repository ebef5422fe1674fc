import { systemClock } from '../../base/clock.ts';
import { untilAborted } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import type { ColumnMap } from '../../intake/columns.ts';
import { type Intake, openCsv } from '../../intake/csv.ts';
import type { Order } from '../../rules/order.ts';
import type { Cli } from '../cli.ts';
import type { Summary } from '../output/summary.ts';

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

/** Opens where a run's rows come from; its head is read, and of standard input all. Ctrl-C ends the wait for it. */
export async function openList(cli: Cli, run: RunOrder, signal: AbortSignal): Promise<Intake> {
  const source = run.file === '-' ? { stream: cli.io.stdin } : { path: run.file };
  const opening = openCsv(source, {
    ...run,
    timezone: run.order.timezone ?? undefined,
    hours: run.order.hours,
    now: systemClock.now(),
  });
  const intake = await untilAborted(opening, signal);
  if (intake) return intake;
  throw new CarillonError('interrupted', 'Interrupted before the file was read; nobody was called');
}

/** A run that Ctrl-C ended still prints its summary, where a program reads it. */
export async function summedUp<T>(
  cli: Cli,
  run: RunOrder,
  summary: () => Summary | Promise<Summary>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (run.json && error instanceof CarillonError && error.code === 'interrupted') cli.json(await summary());
    throw error;
  }
}
