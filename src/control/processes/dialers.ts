import { catalogue, type ErrorCode } from '../../base/error-catalogue.ts';
import { differenceText } from '../../dispatch/trust/same-keys.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Difference } from '../../ledger/processes/processes.ts';
import { listProcesses, type ShownProcess } from './show.ts';

/** The processes that dial for background campaigns, for anyone who asks why nobody is called. */
export type Dialers = {
  alive: number;
  /** The processes that must not dial. */
  barred: { process: string; why: string; remedy: string }[];
};

export async function findDialers(ledger: Pick<Ledger, 'processes'>): Promise<Dialers> {
  const { items } = await listProcesses(ledger);
  const dialers = items.filter(({ alive, parts }) => alive && parts.includes('dialer'));
  return { alive: dialers.length, barred: dialers.flatMap(barredOf) };
}

function barredOf({ host, pid, trouble }: ShownProcess): Dialers['barred'] {
  if (trouble === null) return [];
  const { title, remedy } = troubleOf(trouble);
  return [{ process: `${host}:${pid}`, why: title, remedy }];
}

/** Why a process must not dial, by the code that it reports; another version may know more codes. */
export function troubleOf(code: string): { title: string; remedy: string } {
  const known = catalogue[code as ErrorCode] as (typeof catalogue)[ErrorCode] | undefined;
  return known ?? { title: code, remedy: 'See the log of that process.' };
}

/** How a process differs from those that dial, as a sentence. */
export function differenceLine(found: Difference): string {
  if (found.key === null) return `${found.process} has another CARILLON_SECRET than ${found.holder}`;
  return `${found.process} ${differenceText(found)}`;
}
