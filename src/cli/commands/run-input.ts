import { realpath } from 'node:fs/promises';
import { systemClock } from '../../base/clock.ts';
import { untilAborted } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import { checkTarget } from '../../export/target.ts';
import type { ColumnMap } from '../../intake/columns.ts';
import { type Intake, openCsv } from '../../intake/csv.ts';
import type { Order } from '../../rules/order.ts';
import type { Calendar } from '../../rules/time/calendar.ts';
import type { Cli } from '../cli.ts';
import type { Summary } from '../output/summary.ts';

/** The order of a run, read and checked. */
export type RunOrder = {
  file: string;
  name: string;
  /** The file of the results; - is standard output. */
  out: string;
  /** The file of the rejected rows. */
  rejects: string;
  /** The file of the long form, if it is wanted. */
  attempts: string | null;
  order: Order;
  map: ColumnMap | undefined;
  country: string | undefined;
  on402: 'wait' | 'exit';
  mostCalls: number | null;
  startOver: boolean;
  yes: boolean;
  json: boolean;
  /** Without progress and what is under way: only warnings, errors and the end. */
  quiet: boolean;
  /** The command line that resumes it. */
  again: string;
};

/** Checks, before anyone is called, that results and rejects can be written, and not over the list itself. */
export async function checkFiles({
  file,
  out,
  rejects,
  attempts,
}: Pick<RunOrder, 'file' | 'out' | 'rejects' | 'attempts'>): Promise<void> {
  const list = file === '-' ? null : await realpath(file).catch(() => null);
  for (const path of [...(out === '-' ? [] : [out]), rejects, ...(attempts ? [attempts] : [])]) {
    if (list !== null && (await realpath(path).catch(() => null)) === list) {
      throw new CarillonError('usage-invalid', `${path} is the list itself, and would be overwritten`, {
        remedy: 'Name another file with --out.',
      });
    }
    await checkTarget(path);
  }
}

/**
 * Opens a run's list and reads its head, or all of standard input. Ctrl-C ends the wait. The calendar is asked for when
 * the first row is checked: by then the ledger has said which policy is in force.
 */
export async function openList(
  cli: Cli,
  run: RunOrder,
  calendar: () => Calendar | null,
  signal: AbortSignal,
): Promise<Intake> {
  const source = run.file === '-' ? { stream: cli.io.stdin } : { path: run.file };
  const opening = openCsv(source, {
    ...run,
    timezone: run.order.timezone ?? undefined,
    calendar,
    now: systemClock.now(),
  });
  const intake = await untilAborted(opening, signal);
  if (intake) return intake;
  throw new CarillonError('interrupted', 'Interrupted before the file was read; nobody was called');
}

/** With --json, a run that Ctrl-C ended still prints its summary. */
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
