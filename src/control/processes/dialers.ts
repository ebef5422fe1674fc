import { z } from 'zod';
import { catalogue, type ErrorCode } from '../../base/error-catalogue.ts';
import { differenceText } from '../../dispatch/trust/same-keys.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Difference, ProcessRow } from '../../ledger/processes/processes.ts';
import { wholeOf } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';

/** The processes that dial for background campaigns, for anyone who asks why nobody is called. */
export type Dialers = {
  alive: number;
  /** The processes that must not dial. */
  barred: { process: string; why: string; remedy: string }[];
};

export async function findDialers({ processes }: Pick<Ledger, 'processes'>): Promise<Dialers> {
  const all = await processes.list();
  const dialers = all.filter(({ alive, parts }) => alive && parts.includes('dialer'));
  const barred = dialers.flatMap(({ host, pid, trouble }) => {
    if (trouble === null) return [];
    const { title, remedy } = troubleOf(trouble);
    return [{ process: `${host}:${pid}`, why: title, remedy }];
  });
  return { alive: dialers.length, barred };
}

/** Why a process must not dial, by the code that it reports; another version may know more codes. */
function troubleOf(code: string): { title: string; remedy: string } {
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

/** The processes that work on the ledger: what each does, and whether it is still alive. */
export const processShape = z
  .object({
    id: z.string().describe('The process’s id, the same as on the attempts that it dialled.'),
    host: z.string(),
    pid: z.int(),
    version: z.string(),
    node: z.string(),
    parts: z.array(z.string()).describe('`api`, `run`, or its workers by name.'),
    queue: z.enum(['redis', 'postgres']),
    alive: z
      .boolean()
      .describe('False when it has not been heard of for 45 s: it died, or cannot reach the ledger.'),
    silent_ms: z.int().describe('How long ago it was heard of.'),
    loops: z
      .array(z.object({ name: z.string(), age_ms: z.int(), stuck: z.boolean() }))
      .describe('How long ago each loop had ended a round when the process was last heard of.'),
    clock_ahead_ms: z.int().describe('How far its clock is ahead of the ledger’s.'),
    trouble: z
      .string()
      .nullable()
      .describe('The code of the error for which it must not dial; null when it may.'),
    memory_bytes: z.int(),
    started_at: z.date(),
    seen_at: z.date(),
  })
  .meta({ id: 'Process' });
export const processesAnswer = wholeOf(processShape);

export async function listProcesses({
  processes,
}: Pick<Ledger, 'processes'>): Promise<z.output<typeof processesAnswer>> {
  return { items: (await processes.list()).map(showProcess), next: null };
}

function showProcess(row: ProcessRow): z.output<typeof processShape> {
  return shownAs(processShape, row, {
    silent_ms: Math.max(0, Math.round(row.silentMs)),
    memory_bytes: row.memory,
  });
}
