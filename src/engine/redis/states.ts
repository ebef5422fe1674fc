import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';
import type { JobState, QueuedJob } from '../contract.ts';
import { createScript } from './script.ts';

/** The states of jobs in BullMQ's keys. A queue's keys, and those of all queues of a ledger, are in one slot. */
const text = readFileSync(new URL('./states.lua', import.meta.url), 'utf8');
const parts = ['delayed', 'prioritized', 'active', 'wait', 'paused'];
const letters: Record<string, JobState> = { d: 'delayed', a: 'active', w: 'waiting' };

export function createStates(client: Redis | Cluster, prefix: string) {
  const run = createScript(client, text);
  return async (jobs: readonly QueuedJob[]): Promise<JobState[]> => {
    const byQueue = new Map<string, { id: string; nth: number }[]>();
    for (const [nth, { queue, id }] of jobs.entries())
      byQueue.set(queue, [...(byQueue.get(queue) ?? []), { id, nth }]);
    const groups = [...byQueue];
    const keys = groups.flatMap(([queue]) => parts.map((part) => `${prefix}:${queue}:${part}`));
    const args = groups.flatMap(([, asked]) => [asked.length, ...asked.map(({ id }) => id)]);
    const told = jobs.length === 0 ? '' : String(await run(keys, args));
    const states: JobState[] = Array(jobs.length).fill('none');
    for (const [at, { nth }] of groups.flatMap(([, asked]) => asked).entries())
      states[nth] = letters[told.charAt(at)] ?? 'none';
    return states;
  };
}
