import { value } from '../answers.ts';
import type { Database } from '../database.ts';

/** An attempt's requests to the service and what came back: kept for a while, without keys. */
export type ToldExchange = Readonly<{
  operation: string;
  method: string;
  url: string;
  body: string | null;
  /** Null when no answer was read; `why` then says what happened. */
  status: number | null;
  answer: string | null;
  why: string | null;
  ms: number;
}>;
export type KeptExchange = { attempt: string; at: string; told: ToldExchange };
type ShownExchange = { at: Date; told: ToldExchange };

export function createExchanges(db: Database) {
  return {
    async keep(items: readonly KeptExchange[]): Promise<void> {
      if (items.length > 0) await db.query('exchanges/keep', { items: JSON.stringify(items) });
    },
    of: (attempt: string): Promise<ShownExchange[]> =>
      db.query('exchanges/of', { attemptId: attempt }) as never,
    /** Removes some of what is too old; returns whether there may be more. */
    forget: (seconds: number): Promise<boolean> => value(db, 'exchanges/forget', { seconds }),
  };
}
