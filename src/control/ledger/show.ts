import { z } from 'zod';
import { lossText, unconfirmed, wasRestored } from '../../dispatch/trust/last-seen.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Whether the ledger's history is whole, or a person must confirm it. */
export const ledgerShape = z
  .object({
    state: z.enum(['sound', 'lost']),
    why: z.string().nullable().describe('Why its history is not whole; null while it is.'),
    since: z.date().nullable().describe('When that was found.'),
    known_until: z.date().nullable().describe('The time up to which its history is complete.'),
  })
  .meta({ id: 'Ledger' });
export type ShownLedger = z.output<typeof ledgerShape>;

export async function showLedger({ lostHistory }: Pick<Ledger, 'lostHistory'>): Promise<ShownLedger> {
  const { why, lostAt, knownUntil } = await lostHistory.look();
  if (lostAt === null) return { state: 'sound', why: null, since: null, known_until: null };
  return { state: 'lost', why: lossText(why), since: lostAt, known_until: knownUntil };
}

/**
 * Called by acts that dial: nothing begins on a ledger that waits for a person. The ledger refuses it too. `home` is
 * for a command that leaves nothing in the ledger, so that nobody may have told the ledger yet that it was restored.
 */
export async function requireSound(
  { lostHistory }: Pick<Ledger, 'lostHistory'>,
  home?: string,
): Promise<void> {
  const found = await lostHistory.look();
  if (found.lostAt !== null) throw unconfirmed(found);
  if (home !== undefined && wasRestored(home)) throw unconfirmed({ ...found, why: 'restored' });
}
