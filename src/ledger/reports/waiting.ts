import { sole } from '../answers.ts';
import type { Database } from '../database.ts';
import type { PhoneRule } from '../policies/policies.ts';

/** Who of a campaign waits: why a row waits, as far as the ledger knows, and how many wait for the same. */
export type Waiting = {
  place: string;
  /** It is not due before this time; null when it has none. */
  nextAt: Date | null;
  /** Another attempt has its phone; if that one is unknown, `phoneUntil` is the latest time until which it keeps it. */
  inUse: boolean;
  phoneUntil: Date | null;
  /** What holds it until `nextAt`: a contact rule, or the person's wish to be called back. */
  held: PhoneRule | 'callback' | null;
};

/** People who wait for the same reason until about the same time. */
type WaitingGroup = {
  place: string;
  /** The start of the five minutes in which they are due; null without a time. */
  due: Date | null;
  /** Attempts that each person has had. */
  attempts: number;
  /** What holds them; empty for nothing. */
  held: PhoneRule | 'callback' | '';
  n: number;
};

export function createWaiting(db: Database) {
  return {
    /** The people of a campaign who wait, by what decides until when. */
    waiting: (campaignId: string): Promise<WaitingGroup[]> => db.query('reports/waiting', { campaignId }),

    /** How many due rows of a campaign wait for a phone that another attempt has, by place. */
    waitingPhones: (campaignId: string): Promise<{ place: string; n: number }[]> =>
      db.query('reports/waiting_phones', { campaignId }),

    /** The earliest future time of the next attempts, and the ledger's clock. */
    waitingSoonest: (campaignId: string): Promise<{ now: Date; soonest: Date | null }> =>
      sole(db, 'reports/waiting_soonest', { campaignId }),
  };
}
