import { createBatch } from '../../base/batch.ts';
import { firstOfEach } from '../answers.ts';
import type { Database } from '../database.ts';

/** Why an attempt was admitted or not; only 'open' lets a request leave. */
export type Admission =
  | 'open'
  | 'moved'
  | 'canceled'
  | 'paused'
  | 'elsewhere'
  | 'changed'
  | 'closed'
  | 'suppressed'
  | 'erased'
  | 'in-use'
  | 'shut'
  | 'held'
  | 'number'
  | 'budget'
  | 'full'
  | 'unsure';

/**
 * Who opens an attempt. The request may take `timeoutMs`, from which the attempt's expiry is counted. An unresolved
 * attempt keeps its phone for `keepsPhoneMs` longer.
 */
export type Opener = {
  dialer: string;
  runId: string | null;
  laneId: number;
  laneCap: number | null;
  timeoutMs: number;
  keepsPhoneMs: number;
  /** The journal for what it sends; null or left out if it keeps none. */
  journal?: string | null | undefined;
};

/** An attempt as the caller wants to open it; another opening in between invalidates it. */
export type Opening = {
  id: string;
  revision: number;
  opens?: number | undefined;
  ticket?: string | undefined;
  agent?: string | undefined;
  /** The version of the contact rules by which its hours were judged; null when there are none. */
  policy?: number | null | undefined;
  /** When its hours close; null is never. */
  validUntil?: string | null | undefined;
  /** The hashes of its phones, once anybody was erased: see src/ledger/erasures/erasures.ts. */
  hash?: string | null | undefined;
};

/** The fence: what admits an attempt, or says why not. */
export function createOpen(db: Database) {
  const openers = new Map<string, ReturnType<typeof createBatch<Opening, Admission>>>();

  return {
    /** The intent is committed here, before the request leaves. A cap is counted for one lane at a time. */
    open(item: Opening, by: Opener) {
      const key = `${by.dialer} ${by.runId} ${by.laneId} ${by.laneCap} ${by.timeoutMs} ${by.keepsPhoneMs} ${by.journal}`;
      let opener = openers.get(key);
      if (!opener) {
        opener = createBatch(async (items) => {
          // Two jobs of one attempt may meet in one batch: one of them is admitted.
          const { firsts } = firstOfEach(items);
          const rows: { attempt: string; verdict: Admission }[] = await db.query('attempts/open', {
            openings: JSON.stringify(firsts),
            dialer: by.dialer,
            runId: by.runId,
            laneCap: by.laneCap,
            timeoutMs: by.timeoutMs,
            keepsPhoneMs: by.keepsPhoneMs,
            journal: by.journal ?? null,
          });
          const verdicts = new Map(rows.map((row) => [row.attempt, row.verdict]));
          const asked = new Set(firsts);
          return items.map((entry) => (asked.has(entry) && verdicts.get(entry.id)) || 'moved');
        });
        openers.set(key, opener);
      }
      return opener(item);
    },
  };
}
