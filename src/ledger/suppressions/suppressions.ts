import { column, value } from '../answers.ts';
import type { Database } from '../database.ts';

/** Phones that must not be called: by any campaign or by one, for ever or until a time. */
export const suppressionSources = ['manual', 'import', 'opt-out', 'api'] as const;
export type SuppressionSource = (typeof suppressionSources)[number];

export type NewSuppression = {
  phone: string;
  source: SuppressionSource;
  reason?: string | null;
  /** Null or left out is for ever. */
  until?: Date | null;
};

export type Suppression = {
  phone: string;
  /** The campaign's id, or a fixed id for all campaigns. */
  scope: string;
  source: SuppressionSource;
  /** Null is every campaign. */
  campaign: string | null;
  reason: string | null;
  until: Date | null;
  createdAt: Date;
};

type SuppressionFilter = {
  phones: string[] | null;
  source: SuppressionSource | null;
  campaignId: string | null;
};

export type SuppressionsAdded = { added: number; skipped: number; calls: string[] };

export function createSuppressions(db: Database) {
  return {
    /** Whether no campaign may call the phone. */
    bars: (phone: string): Promise<boolean> => value(db, 'suppressions/bars', { phone }),

    /**
     * `added` counts phones that are new on the list, or stay on it for longer now; `calls` are the attempts whose
     * calls are hung up.
     */
    async add(
      entries: readonly NewSuppression[],
      campaignId: string | null = null,
      hangUp = false,
      at: Pick<Database, 'query'> = db,
    ): Promise<SuppressionsAdded> {
      const [row]: SuppressionsAdded[] = await at.query('suppressions/add', {
        phones: JSON.stringify(entries),
        campaignId,
        hangsUp: hangUp,
      });
      return row!;
    },

    /** The phones, with all numbers of the people who have one of them. */
    allNumbers: (phones: string[], at: Pick<Database, 'query'> = db): Promise<string[]> =>
      column(at, 'suppressions/numbers', { phones }),

    /** The names of those who have these phones, as far as lists tell them. */
    async names(phones: string[]): Promise<Map<string, string>> {
      const rows: { phone: string; name: string }[] = await db.query('suppressions/names', { phones });
      return new Map(rows.map(({ phone, name }) => [phone, name]));
    },

    /** Returns how many were on the list. */
    async remove(phones: string[], campaignId: string | null = null): Promise<number> {
      return (await db.query('suppressions/remove', { phones, campaignId })).length;
    },

    page: (
      after: { phone: string; scope: string },
      most: number,
      { phones, source, campaignId }: SuppressionFilter,
    ): Promise<Suppression[]> =>
      db.query('suppressions/page', {
        phone: after.phone,
        scope: after.scope,
        most,
        phones,
        source,
        campaignId,
      }),
  };
}
