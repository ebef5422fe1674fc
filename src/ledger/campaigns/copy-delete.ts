import { CarillonError } from '../../base/errors.ts';
import type { Database } from '../database.ts';

/** A campaign is copied with its people, and deleted in batches, so that other campaigns' calls never wait long. */

/** Why a campaign cannot be deleted now: it is dialled, added to, or has calls that are not over. */
export type DeleteRefusal = 'importing' | 'run' | 'running' | 'live';

const rows = 2_000;

export function createCopyDelete(db: Database) {
  /** False when there may be more to delete. */
  const deleteSome = async (id: string): Promise<boolean> => {
    const [batch] = await db.query('campaigns/delete_some', [id, rows]);
    if ((batch?.gone ?? 0) > 0) return false;
    const [end] = await db.query('campaigns/delete_end', [id]);
    return end?.done === true;
  };

  return {
    /** Copies the list; returns how many people. */
    async clonePeople(from: string, to: string): Promise<number> {
      const [made] = await db.query('campaigns/clone_people', [from, to]);
      await db.query('campaigns/clone_phones', [from, to]);
      await db.query('people/pass_barred', [to]);
      return made?.people ?? 0;
    },

    /** Null when it is marked: it has lost its name, and nothing dials it again. */
    async startDelete(id: string): Promise<DeleteRefusal | null> {
      const [start]: { refusal: DeleteRefusal | null }[] = await db.query('campaigns/delete_start', [id]);
      return start?.refusal ?? null;
    },

    deleteSome,
  };
}

/** Postgres names the index if another campaign has the name. */
export function asNameTaken(error: unknown, name: string): unknown {
  if ((error as { code?: string }).code !== '23505') return error;
  return new CarillonError('campaign-exists', `A campaign named ${name} already exists`);
}
