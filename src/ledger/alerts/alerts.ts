import type { AlertCode, Severity } from '../../rules/alert-kinds.ts';
import { unsentReason } from '../../rules/alerts.ts';
import { sole, value } from '../answers.ts';
import type { Database } from '../database.ts';

/** Which alerts are raised, for all processes, and the facts of the ledger that they depend on. */
export type RaisedAlert = {
  code: AlertCode;
  /** A key, a process, a machine; empty where there is only one. */
  subject: string;
  severity: Severity;
  title: string;
  message: string;
  remedy: string;
  since: Date;
};

/** An alert as a process sees it; `after` and `hold` in seconds. */
export type SeenAlert = Omit<RaisedAlert, 'since'> & { after: number; unseen: number };

/**
 * `imports`: lists that failed recently; `lists`: new campaigns whose rows were mostly rejected; `acts`: bulk acts that
 * failed recently; `webhooks`: those that do not accept events; `addresses`: those that messages about alerts do not
 * reach.
 */
type AlertFacts = {
  unknown: number;
  imports: { id: string; campaign: string; reason: string | null }[];
  lists: { id: string; name: string; rows: number; rejected: number; reason: string | null }[];
  acts: { id: string; act: string; reason: string | null }[];
  webhooks: { id: string; url: string; reason: string | null }[];
  addresses: { id: string; kind: string; reason: string }[];
};

export function createAlerts(db: Database, baseUrl: string) {
  return {
    list: (): Promise<RaisedAlert[]> => db.query('alerts/list') as Promise<RaisedAlert[]>,

    /** Raises and clears, each alert once; returns how many. */
    watch: (seen: readonly SeenAlert[]): Promise<number> =>
      value(db, 'alerts/watch', { seen: JSON.stringify(seen) }),

    facts: (): Promise<AlertFacts> => sole(db, 'alerts/facts', { baseUrl, unsentReason }),
  };
}
