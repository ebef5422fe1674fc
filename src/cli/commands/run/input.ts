import { realpath } from 'node:fs/promises';
import { systemClock } from '../../../base/clock.ts';
import type { Config } from '../../../base/config/config.ts';
import { untilAborted } from '../../../base/deadline.ts';
import { CarillonError } from '../../../base/errors.ts';
import { checkTarget, targetAt } from '../../../export/target.ts';
import type { ColumnMap } from '../../../intake/columns.ts';
import { formatOf, openList, type PeopleList } from '../../../intake/list.ts';
import { isAddress } from '../../../intake/remote/address.ts';
import { openSource } from '../../../intake/source.ts';
import type { Calendar } from '../../../rules/calendar/calendar.ts';
import type { Order } from '../../../rules/order.ts';
import type { Cli } from '../../command-io.ts';
import type { Summary } from '../../output/summary.ts';

/** The order of a run, read and checked. */
export type RunOrder = {
  file: string;
  name: string;
  /** The campaign has the file's name, so the file is its list. */
  isOwnName: boolean;
  /** The file for the results; - is standard output. */
  out: string;
  rejects: string;
  /** The file for the long form, if it is wanted. */
  attempts: string | null;
  order: Order;
  map: ColumnMap | undefined;
  sheet?: string | undefined;
  on402: 'wait' | 'exit';
  mostCalls: number | null;
  startOver: boolean;
  yes: boolean;
  json: boolean;
  /** Prints only warnings, errors and the end. */
  quiet: boolean;
  /** The command line that resumes it. */
  again: string;
};

/** Checks, before anyone is called, that results and rejects can be written, and not over the list itself. */
export async function checkFiles(
  run: Pick<RunOrder, 'file' | 'out' | 'rejects' | 'attempts' | 'isOwnName'>,
  config: Pick<Config, 's3'>,
): Promise<void> {
  const { out, rejects, attempts } = run;
  for (const path of [...(out === '-' ? [] : [out]), rejects, ...(attempts ? [attempts] : [])]) {
    // The campaign's remaining rejects may replace the file of repaired ones.
    if ((path !== rejects || run.isOwnName) && (await isList(run.file, path))) throw overwritten(path);
    await checkTarget(targetAt(path, config));
  }
}

async function isList(file: string, path: string): Promise<boolean> {
  if (isAddress(file)) return file === path;
  const list = file === '-' ? null : await realpath(file).catch(() => null);
  return list !== null && (await realpath(path).catch(() => null)) === list;
}

function overwritten(path: string): CarillonError {
  return new CarillonError('usage-invalid', `${path} is the list itself, and would be overwritten`, {
    remedy: 'Name another file with --out.',
  });
}

/** Repaired rejects are added to the list that they came from; under its own name a file is a list. */
export function modeOf({ isOwnName }: RunOrder, list: PeopleList): 'repair' | 'whole' {
  return list.isRejects && !isOwnName ? 'repair' : 'whole';
}

/**
 * Opens a run's list and reads its head, or all of standard input. Ctrl-C ends the wait. The calendar is asked for when
 * the first row is checked: by then the ledger has said which policy is in force.
 */
export async function openFile(
  cli: Cli,
  run: RunOrder,
  calendar: () => Calendar | null,
  signal: AbortSignal,
): Promise<PeopleList> {
  const openHere = async () => {
    const opened = await openSource(run.file === '-' ? { stream: cli.io.stdin } : { path: run.file });
    return { opened, format: await formatOf(run.file, opened) };
  };
  // Loaded here: most lists are files.
  const openElsewhere = async () => {
    const { openAddress } = await import('../../../intake/remote/open.ts');
    return openAddress(run.file, cli.config(), { signal, sheet: run.sheet });
  };
  const options = {
    country: run.order.country ?? undefined,
    map: run.map,
    sheet: run.sheet,
    timezone: run.order.timezone ?? undefined,
    calendar,
    now: systemClock.now(),
  };
  const opening = async () => {
    const { opened, format } = isAddress(run.file) ? await openElsewhere() : await openHere();
    return openList(opened, format, options);
  };
  const list = await untilAborted(opening(), signal);
  if (list && (modeOf(run, list) === 'repair' || !(await isList(run.file, run.rejects)))) return list;
  await list?.close();
  if (list) throw overwritten(run.rejects);
  throw new CarillonError('interrupted', 'Interrupted before the file was read; nobody was called');
}

/** A run that Ctrl-C ended still prints its summary with --json. */
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
