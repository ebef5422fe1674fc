import type { Ledger } from '../../ledger/ledger.ts';
import type { ProcessRow } from '../../ledger/processes/processes.ts';
import { troubleOf } from './dialers.ts';

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
