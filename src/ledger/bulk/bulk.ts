import { activityOf, type Change } from '../activity/activity.ts';
import { column, run } from '../answers.ts';
import { createBackgroundWork, type WorkLine } from '../background/background.ts';
import type { Database, Transaction } from '../database.ts';
import { jsonOf } from '../json.ts';
import type { PersonRefusal } from '../people/people.ts';
import type { PeopleFilter } from '../search/search.ts';
import type { RecipientState } from '../states.ts';
import type { Unknown } from '../unknowns/unknowns.ts';

/**
 * Bulk acts. The people are found when the act begins and kept in pieces; any process does the next piece, in one
 * transaction with the counts, so that a crash neither repeats a piece nor leaves one out.
 */
export const bulkVerbs = ['retry', 'skip', 'suppress', 'resolve', 'export'] as const;
export type BulkVerb = (typeof bulkVerbs)[number];
export const bulkStates = ['running', 'stopped', 'done', 'failed'] as const;
type BulkState = (typeof bulkStates)[number];

export type NewBulkAct = {
  act: BulkVerb;
  /** The filter as the request had it. */
  asked: unknown;
  filter: PeopleFilter;
  options: object;
  people: readonly number[];
  /** What the activity records at the end of the act, besides what was done. */
  told: Change;
  /** How many people are in a piece. */
  size: number;
};
export type BulkLine = WorkLine<BulkVerb, BulkState> & {
  /** The filter as the request had it. */
  asked: unknown;
};
export type BulkPiece = { act: BulkVerb; filter: unknown; options: unknown; people: number[] };

/** A person of a piece, with what decides whether the act is possible. */
export type BulkPerson = {
  id: number;
  campaignId: string;
  phone: string;
  /** Whether its campaign is of this service. */
  ours: boolean;
  kind: 'list' | 'calls';
  campaignState: string;
  state: RecipientState;
  outcome: string | null;
  reason: string | null;
  attempt: string | null;
  callId: string | null;
  /** Why its attempt is unknown. */
  unknownAs: Unknown['reason'] | null;
  /** No request of the unknown attempt can be on its way any more. */
  free: boolean;
  /** A contact rule holds it. */
  held: string | null;
  /** Its next attempt has a time in the future. */
  later: boolean;
  /** It must not be called. */
  barred: boolean;
};

export function createBulkActs(db: Database, baseUrl: string) {
  const shared = createBackgroundWork<BulkLine>(db, false);
  return {
    ...shared,

    async create(made: NewBulkAct): Promise<string> {
      const { act, asked, filter, options, people, told, size } = made;
      const [row]: { id: string }[] = await db.query('bulk/create', {
        baseUrl,
        act,
        filter: jsonOf(asked),
        search: jsonOf(filter),
        options: jsonOf(options),
        many: people.length,
        people,
        piece: size,
        change: activityOf(told),
      });
      return row!.id;
    },

    /** The acts that are not over, oldest first. Another process may be doing some of them. */
    async running(): Promise<string[]> {
      const rows: { id: string }[] = await db.query('background/open', { baseUrl, most: null });
      return rows.map(({ id }) => id);
    },

    async take(tx: Transaction, id: string): Promise<BulkPiece | null> {
      const found = await shared.take(tx, id);
      return found && { ...found, act: found.kind as BulkVerb, people: (found.people ?? []).map(Number) };
    },

    advance: (
      tx: Transaction,
      id: string,
      { seen, done, passed }: { seen: number; done: number; passed: object },
    ): Promise<void> => run(tx, 'bulk/advance', { id, seen, done, passed: JSON.stringify(passed) }),

    /** The people of an export, a piece at a time. */
    async *people(id: string): AsyncGenerator<number[]> {
      for await (const { people } of shared.pieces(id)) yield people.map(Number);
    },

    /** The input columns of an export's people: earlier campaigns' first. */
    async columns(id: string): Promise<string[]> {
      const rows: { name: string; createdAt: Date; nth: number }[] = await db.query('bulk/columns', { id });
      rows.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || a.nth - b.nth);
      return rows.map(({ name }) => name);
    },

    look: (people: readonly number[], at: Pick<Database, 'query'> = db): Promise<BulkPerson[]> =>
      at.query('bulk/look', { people, baseUrl }),

    matching: (tx: Transaction, people: readonly number[], filter: unknown): Promise<number[]> =>
      column(tx, 'search/matching', { people, filter: JSON.stringify(filter) }),

    /** The people who wait again, or have their next attempt now; their campaigns that were done continue. */
    async retry(tx: Transaction, people: readonly number[], now: boolean): Promise<number[]> {
      await tx.query('bulk/lock_campaigns', { people });
      const freed: { id: number; campaignId: string }[] = await tx.query('bulk/retry', { people, now });
      const campaigns = new Set(freed.map(({ campaignId }) => campaignId));
      for (const id of [...campaigns].sort()) await tx.query('campaigns/wake', { campaignId: id });
      return freed.map(({ id }) => id);
    },

    /** Why each person stays; null if the person is off the list. */
    skip: (
      tx: Transaction,
      people: readonly number[],
    ): Promise<{ id: number; refusal: PersonRefusal | null }[]> => tx.query('bulk/skip', { people }),
  };
}
