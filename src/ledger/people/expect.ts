import type { Database } from '../database.ts';
import { jsonOf } from '../json.ts';
import { createReports, type Standing } from '../reports/reports.ts';
import type { RecipientState } from '../states.ts';
import type { OnKnown } from './import.ts';
import type { NewRecipient } from './lines.ts';

/**
 * The people and rows that a list meets when it is imported, read in one snapshot while campaigns call: for a preview,
 * which changes nothing.
 */
export type ExpectedOnto = {
  /** Null for a campaign that does not exist yet. */
  campaignId: string | null;
  /** Whether the order in force then allows fewer attempts than before, and whether it allows more. */
  spends: boolean;
  renews: boolean;
  maxAttempts: number;
  /** Outcomes with a retry rule. */
  retried: readonly string[];
};

/** People of the campaign in one state. Only skipped people have a reason. */
type ExpectedGroup = {
  state: RecipientState;
  outcome: string | null;
  reason: string | null;
  /** No call was made to them. */
  uncalled: boolean;
  n: number;
};

/** One of the phones asked for, by its place among them from 1; its state is null if the campaign does not have it. */
export type ExpectedRow = Omit<ExpectedGroup, 'state' | 'n'> & {
  at: number;
  state: RecipientState | null;
  /** A row of a list brings the person back. */
  comesBack: boolean;
  /** They were called, or may have been: a row changes nothing that is kept of them. */
  wasCalled: boolean;
  /** An attempt at them is planned; if they change, it is dropped. */
  hasPlan: boolean;
  isBarred: boolean;
};

export type ExpectedPeople = {
  standing(campaignId: string): Promise<Standing>;
  groups(): Promise<ExpectedGroup[]>;
  /** Phones that the campaign does not have and may call are left out. */
  rows(phones: readonly string[]): Promise<ExpectedRow[]>;
  /** The phones of the rows that would change a person on the list. */
  changes(rows: readonly NewRecipient[], rule: OnKnown): Promise<string[]>;
};

export function createExpect(db: Database) {
  return <T>(onto: ExpectedOnto, work: (people: ExpectedPeople) => Promise<T>): Promise<T> =>
    db.together(async (within) => {
      await within.query('people/expect_snapshot');
      const { campaignId, spends, renews, maxAttempts, retried } = onto;
      const values = { campaignId, spends, renews, maxAttempts, retried };
      return work({
        standing: createReports(within).standing,
        groups: (): Promise<ExpectedGroup[]> => within.query('people/expect_list', values),
        rows: (phones): Promise<ExpectedRow[]> => within.query('people/expect_rows', { ...values, phones }),
        async changes(rows, rule) {
          const lines = rows.map(({ phone, input, variables, name, agent, place, ownPlace }) => {
            return { phone, input, variables, name, agent, place, ownPlace: ownPlace === true };
          });
          const found = await within.query('people/expect_changes', {
            campaignId,
            rule,
            lines: jsonOf(lines),
          });
          return found.map(({ at }) => rows[at! - 1]!.phone);
        },
      });
    }, 'long');
}
