import { form, type KeptCounts } from '../../rules/polls/ages.ts';
import { run } from '../answers.ts';
import type { Database } from '../database.ts';

/**
 * How long calls last, as all processes saw it: kept by key, agent and day, so that a new campaign knows it at once.
 */
/** Older days are not read once newer ones have this many endings. */
const enough = 2_000;

export function createAgeCounts(db: Database, baseUrl: string) {
  return {
    /** An agent's calls on any key. */
    ofAgent: (agent: string): Promise<KeptCounts[]> =>
      db.query('age-counts/known', { baseUrl, agent, laneId: null, form, enough }),

    /** A key's calls with any agent. */
    ofLane: (laneId: number): Promise<KeptCounts[]> =>
      db.query('age-counts/known', { baseUrl, agent: null, laneId, form, enough }),

    /** Adds what was seen since the last time. */
    learn: (laneId: number, agent: string, counts: readonly KeptCounts[]): Promise<void> =>
      run(db, 'age-counts/learn', { laneId, agent, form, counts: JSON.stringify(counts) }),
  };
}
