import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';
import type { JobState, QueuedJob } from '../contract.ts';
import { createScript } from './script.ts';

/**
 * The states of jobs in BullMQ's keys, in one round trip: for all queues with one prefix, whose keys are in one slot.
 * And when the first one that is delayed is due.
 */
const text = readFileSync(new URL('./states.lua', import.meta.url), 'utf8');
const parts = ['delayed', 'prioritized', 'active', 'wait', 'paused'];
const letters: Record<string, JobState> = { d: 'delayed', a: 'active', w: 'waiting' };

export function createStates(client: Redis | Cluster, prefixOf: (queue: string) => string) {
  const run = createScript(client, text);
  return async (jobs: readonly QueuedJob[]): Promise<JobState[]> => {
    const byQueue = new Map<string, { id: string; nth: number }[]>();
    for (const [nth, { queue, id }] of jobs.entries())
      byQueue.set(queue, [...(byQueue.get(queue) ?? []), { id, nth }]);
    const states: JobState[] = Array(jobs.length).fill('none');
    const byPrefix = new Map<string, [string, { id: string; nth: number }[]][]>();
    for (const group of byQueue) {
      const prefix = prefixOf(group[0]);
      byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), group]);
    }
    await Promise.all(
      [...byPrefix].map(async ([prefix, groups]) => {
        const keys = groups.flatMap(([queue]) => parts.map((part) => `${prefix}:${queue}:${part}`));
        const args = groups.flatMap(([, asked]) => [asked.length, ...asked.map(({ id }) => id)]);
        const told = String(await run(keys, args));
        for (const [at, { nth }] of groups.flatMap(([, asked]) => asked).entries())
          states[nth] = letters[told.charAt(at)] ?? 'none';
      }),
    );
    return states;
  };
}

/** BullMQ ranks delayed jobs by their time, followed by 12 bits that tell those of one millisecond apart. */
const ranksAMs = 0x1000;

export function createNextDue(client: Redis | Cluster, prefixOf: (queue: string) => string) {
  return async (queue: string): Promise<Date | null> => {
    const [, rank] = await client.zrange(`${prefixOf(queue)}:${queue}:delayed`, '0', '0', 'WITHSCORES');
    return rank === undefined ? null : new Date(Math.floor(Number(rank) / ranksAMs));
  };
}
