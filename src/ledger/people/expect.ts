import type { Database } from '../database.ts';
import { createReports, type Standing } from '../reports/verbs.ts';
import type { RecipientState } from '../states.ts';

/**
 * The people and rows that a list meets when it is imported, read in one snapshot while campaigns call: for a
 * preview, which changes nothing.
 */
export type ExpectedOnto = {
  /** Null for a campaign that is not there yet. */
  campaignId: string | null;
  /** Whether the order that will be in place allows fewer attempts than before, and whether it allows more. */
  spends: boolean;
  renews: boolean;
  maxAttempts: number;
  /** Outcomes with a retry rule. */
  retried: readonly string[];
};

/** People of the campaign in one state. The reason is told of those who are skipped. */
export type ExpectedGroup = {
  state: RecipientState;
  outcome: string | null;
  reason: string | null;
  /** No call was made to them. */
  uncalled: boolean;
  n: number;
};

/** One of the phones asked for, by its place among them from 1; its state is null where the campaign does not have it. */
export type ExpectedRow = Omit<ExpectedGroup, 'state' | 'n'> & {
  at: number;
  state: RecipientState | null;
  /** A row of a list brings the person back. */
  comesBack: boolean;
  /** The input of a person whom the service refused: another row brings them back. */
  refused: Record<string, unknown> | null;
  isBarred: boolean;
};

export type ExpectedPeople = {
  /** The campaign as it stands. */
  standing(campaignId: string): Promise<Standing>;
  groups(): Promise<ExpectedGroup[]>;
  /** Phones that the campaign does not have and may call are left out. */
  rows(phones: readonly string[]): Promise<ExpectedRow[]>;
};

export function createExpect(db: Database) {
  return <T>(onto: ExpectedOnto, work: (people: ExpectedPeople) => Promise<T>): Promise<T> =>
    db.together(async (within) => {
      await within.query('people/expect_snapshot');
      const { campaignId, spends, renews, maxAttempts, retried } = onto;
      const values = [campaignId, spends, renews, maxAttempts, retried] as const;
      return work({
        standing: createReports(within).standing,
        groups: (): Promise<ExpectedGroup[]> => within.query('people/expect_list', values),
        rows: (phones): Promise<ExpectedRow[]> => within.query('people/expect_rows', [...values, phones]),
      });
    }, 'long');
}
