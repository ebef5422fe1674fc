import { catalogue, type ErrorCode } from '../../base/error-catalogue.ts';
import { differenceText } from '../../dispatch/trust/same-keys.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Difference, ProcessRow } from '../../ledger/processes/processes.ts';
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

/** Whether calls could be made now, by what the living processes say of themselves. */
const needed = ['planner', 'dialer', 'tracker'] as const;

/**
 * Why nobody would be called, whatever is ordered; null while dialling works. Without a campaign it works too. Keys are
 * not looked at: a key without credit is the account's, and an alert of its own.
 */
export async function findDialTrouble({ processes }: Pick<Ledger, 'processes'>): Promise<string | null> {
  const alive = await processes.here();
  for (const worker of needed) {
    const those = alive.filter(({ parts }) => parts.includes(worker));
    const faults = those.map((each) => faultOf(each, worker));
    if (those.length === 0) return isNobody(alive) ? 'no worker runs' : `no process runs the ${worker}`;
    if (faults.every((fault) => fault !== null)) return faults[0]!;
  }
  return null;
}

const isNobody = (alive: readonly ProcessRow[]) =>
  alive.every(({ parts }) => !needed.some((each) => parts.includes(each)));

function faultOf({ host, pid, loops, trouble }: ProcessRow, worker: string): string | null {
  const stuck = loops.find((loop) => loop.stuck);
  if (stuck) return `the ${stuck.name} of ${host}:${pid} is stuck`;
  if (worker !== 'dialer' || trouble === null) return null;
  return `${host}:${pid} does not dial: ${lowered(troubleOf(trouble).title)}`;
}

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
