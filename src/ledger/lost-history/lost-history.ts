import { sole, value } from '../answers.ts';
import type { Database } from '../database.ts';

/** Whether the ledger's history is whole: see src/ledger/functions/lost_history.sql. */

/** What a process remembers of a ledger: the last beat that it saw acknowledged. */
export type Witnessed = {
  ledger: string;
  /** The last loss that a person had confirmed. */
  era: number;
  epoch: string;
  beat: number;
};

/** An opening that was acknowledged. */
export type Intent = { id: string; opens: number; campaign: string };

/** What was found that only lost history explains. */
export type LossCause = 'behind' | 'intents' | 'server' | 'copy' | 'timeline' | 'restored';

export type Attested = Witnessed & {
  /** `unsure` while nobody has vouched for a server that was started again. */
  verdict: 'sound' | 'unsure' | 'lost';
  /** What this call was the first to find out. */
  news: 'lost' | 'restarted' | 'took-over' | null;
  why: LossCause | null;
  lostAt: Date | null;
  /** The time until which its history is there. */
  knownUntil: Date | null;
  timelineBefore: number | null;
  timeline: number | null;
};

/** The history as everyone sees it. */
type LedgerHistory = {
  ledger: string;
  why: LossCause | null;
  lostAt: Date | null;
  /** The time until which its history is there or, while nothing is lost, would be. */
  knownUntil: Date;
  /** False if the server does not report its system identifier. */
  knowsSystem: boolean;
};

/** A process's note of a create that it sent. */
export type NotedIntent = {
  attempt: string;
  recipient: number;
  campaign: string;
  opens: number | null;
  at: string;
  /** A digest of the phone; a process of an older version made none. */
  phone?: string | null;
};

/**
 * People of a campaign who became unknown. Without a campaign: notes about people whom the ledger does not have, of
 * whom `held` have a phone that can be recognised later.
 */
type LostPeople = { id: string | null; name: string | null; marked: number; held: number | null };

/** How many become unknown in one statement. */
const batch = 2_000;

export function createLostHistory(db: Database) {
  return {
    attest: (
      lastSeen: Witnessed | null,
      intents: readonly Intent[],
      how: { vouches: boolean; beats: boolean; claim?: LossCause | null },
    ): Promise<Attested> =>
      sole(db, 'lost-history/attest', {
        lastSeen: lastSeen === null ? null : JSON.stringify(lastSeen),
        intents: JSON.stringify(intents),
        vouches: how.vouches,
        beats: how.beats,
        claim: how.claim ?? null,
      }),

    look: (): Promise<LedgerHistory> => sole(db, 'lost-history/look'),

    /** Why its history was lost; null when it was not. */
    confirm: (): Promise<LossCause | null> => value(db, 'lost-history/confirm'),

    /** Campaigns that may have called people since. */
    since: (time: Date): Promise<{ id: string; name: string }[]> => db.query('lost-history/since', { time }),

    /** How many people of each of them the ledger would call. */
    toLose: (time: Date): Promise<{ id: string; name: string; people: number }[]> =>
      db.query('lost-history/to_lose', { time }),

    async loseNoted(notes: readonly NotedIntent[], keepsPhoneMs: number): Promise<LostPeople[]> {
      const found: LostPeople[] = [];
      for (let at = 0; at < notes.length; at += batch) {
        const part = JSON.stringify(notes.slice(at, at + batch));
        const rows: LostPeople[] = await db.query('lost-history/lose_noted', { part, keepsPhoneMs });
        found.push(...rows);
      }
      return found;
    },

    /** Makes everyone of a campaign unknown whom the ledger would call. Returns how many. */
    async loseWaiting(campaign: string, keepsPhoneMs: number): Promise<number> {
      for (let all = 0; ; ) {
        const [row]: { marked: number }[] = await db.query('lost-history/lose_waiting', {
          campaignId: campaign,
          batch,
          keepsPhoneMs,
        });
        if (row!.marked === 0) return all;
        all += row!.marked;
      }
    },
  };
}
