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
    if (those.length === 0) return `no ${worker} runs`;
    if (faults.every((fault) => fault !== null)) return faults[0]!;
  }
  return null;
}

function faultOf({ host, pid, loops, trouble }: ProcessRow, worker: string): string | null {
  const stuck = loops.find((loop) => loop.stuck);
  if (stuck) return `the loop ${stuck.name} of ${host}:${pid} is stuck`;
  if (worker !== 'dialer' || trouble === null) return null;
  return `${host}:${pid} does not dial: ${troubleOf(trouble).title}`;
}
