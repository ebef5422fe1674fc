import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import type { JobState, QueuedJob } from '../contract.ts';

/** The states of jobs in BullMQ's table, and when the first one that is delayed is due. */
const text = readFileSync(new URL('./states.sql', import.meta.url), 'utf8');
const nextDue = readFileSync(new URL('./next-due.sql', import.meta.url), 'utf8');

export function createStates(pool: Pool) {
  return async (jobs: readonly QueuedJob[]): Promise<JobState[]> => {
    const states: JobState[] = Array(jobs.length).fill('none');
    if (jobs.length === 0) return states;
    const values = [jobs.map(({ queue }) => queue), jobs.map(({ id }) => id)];
    const { rows } = await pool.query<{ nth: number; state: string }>(text, values);
    for (const { nth, state } of rows)
      if (state === 'active' || state === 'delayed' || state === 'waiting') states[nth] = state;
    return states;
  };
}

export function createNextDue(pool: Pool) {
  return async (queue: string): Promise<Date | null> => {
    const { rows } = await pool.query<{ due: string | null }>(nextDue, [queue]);
    const due = rows[0]?.due ?? null;
    return due === null ? null : new Date(Number(due));
  };
}
