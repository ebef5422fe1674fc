import type { Caller, OnUnknown } from '../../rules/order.ts';
import type { Database } from '../database.ts';

/** What cannot be learned from the service: listed for a person, who settles it. */
export type Unknown = {
  attempt: string;
  campaign: string;
  row: number;
  phone: string;
  name: string | null;
  reason: 'lost' | 'crashed' | 'stale' | 'mismatch';
  detail: string | null;
  key: string;
  agent: string;
  caller: Caller | null;
  callId: string | null;
  status: string | null;
  dialingAt: Date;
  /** From then on the request can surely no longer arrive. */
  freeFrom: Date;
  placedAt: Date | null;
  onUnknown: OnUnknown;
  /** How often the person was called again by the owner's rule. */
  redials: number;
};

export type Unknowns = ReturnType<typeof createUnknowns>;

export function createUnknowns(db: Database, baseUrl: string) {
  /** Returns those whose recipients may be tried again. */
  const freeAll = async (attempts: readonly string[], reason: string | null) => {
    const rows: { id: string }[] = await db.query('unknowns/free', [attempts, reason]);
    return rows.map((row) => row.id);
  };

  return {
    list: (
      campaignId: string | null,
      most: number | null = null,
      after: string | null = null,
    ): Promise<Unknown[]> => db.query('unknowns/list', [baseUrl, campaignId, most, after]),

    /** The recipient may be tried again; false while the request may still be on its way, or when it was settled. */
    async free(attempt: string, reason: string | null = null): Promise<boolean> {
      return (await freeAll([attempt], reason)).length > 0;
    },
    freeAll,

    /** The call was made, and nothing more will be learned about it. */
    async called(attempt: string, reason: string | null = null): Promise<boolean> {
      return (await db.query('unknowns/called', [attempt, reason])).length > 0;
    },

    /** The call was made, and this is its id: it is followed like any other. Null when it is another attempt's. */
    async place(
      attempt: string,
      callId: string,
      deadlineSeconds: number,
      reason: string | null = null,
    ): Promise<{ id: string; laneId: number } | null> {
      const values = [attempt, callId, deadlineSeconds, reason] as const;
      const [row]: { id: string; laneId: number }[] = await db.query('unknowns/place', values);
      return row ?? null;
    },
  };
}
