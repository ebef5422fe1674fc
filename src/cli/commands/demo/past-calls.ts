import { readFileSync } from 'node:fs';
import type { Ledger } from '../../../ledger/ledger.ts';

const text = readFileSync(new URL('./past-calls.sql', import.meta.url), 'utf8');

/**
 * Ends a draft whose name says `(simulated)` as if its people had been called some days ago; returns how many calls it
 * shows. It is no verb of the ledger: only the demo makes a past.
 */
export async function makePastCalls(
  { db }: Pick<Ledger, 'db'>,
  campaign: string,
  { lane, zone, began, days }: { lane: number; zone: string; began: number; days: number },
): Promise<number> {
  const { rows } = await db.transaction(({ client }) =>
    client.query<{ calls: number }>(text, [campaign, lane, began, days, zone]),
  );
  return rows[0]?.calls ?? 0;
}
