import { CarillonError } from '../../base/errors.ts';
import { value } from '../answers.ts';
import type { Database } from '../database.ts';

/** A campaign is copied with its people, and deleted in batches, so that other campaigns' calls never wait long. */

/** Why a campaign cannot be deleted now: it is dialled, added to, or has calls that are not over. */
export type DeleteRefusal = 'importing' | 'run' | 'running' | 'live';

const rows = 2_000;

export function createCopyDelete(db: Database) {
  /** False when there may be more to delete. */
  const deleteSome = async (id: string): Promise<boolean> => {
    const gone: number = await value(db, 'campaigns/delete_some', [id, rows]);
    return gone === 0 && value(db, 'campaigns/delete_end', [id]);
  };

  return {
    /** Copies the list; returns how many people. */
    async clonePeople(from: string, to: string): Promise<number> {
      const people: number = await value(db, 'campaigns/clone_people', [from, to]);
      await db.query('campaigns/clone_phones', [from, to]);
      await db.query('people/pass_barred', [to]);
      return people;
    },

    /** Null when it is marked: it has lost its name, and nothing dials it again. */
    startDelete: (id: string): Promise<DeleteRefusal | null> => value(db, 'campaigns/delete_start', [id]),

    deleteSome,
  };
}

/** Postgres names the index if another campaign has the name. */
export function asNameTaken(error: unknown, name: string): unknown {
  if ((error as { code?: string }).code !== '23505') return error;
  return new CarillonError('campaign-exists', `A campaign named ${name} already exists`);
}
