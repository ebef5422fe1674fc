import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ProcessRow } from '../../ledger/processes/processes.ts';
import { wholeOf } from '../requests/page.ts';
import { shownAs } from '../requests/shown.ts';

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
export type ShownProcess = z.output<typeof processShape>;
export const processesAnswer = wholeOf(processShape);

export async function listProcesses({
  processes,
}: Pick<Ledger, 'processes'>): Promise<{ items: ShownProcess[]; next: null }> {
  return { items: (await processes.list()).map(showProcess), next: null };
}

function showProcess(row: ProcessRow): ShownProcess {
  return shownAs(processShape, row, {
    silent_ms: Math.max(0, Math.round(row.silentMs)),
    memory_bytes: row.memory,
  });
}
