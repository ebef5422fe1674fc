import { z } from 'zod';
import { lossText, unconfirmed } from '../../dispatch/witness.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Whether the ledger's history is whole, or waits for a person's word. */
export const ledgerShape = z
  .object({
    state: z.enum(['sound', 'lost']),
    why: z.string().nullable().describe('Why its history is not whole; null while it is.'),
    since: z.date().nullable().describe('When that was found.'),
    known_until: z.date().nullable().describe('Up to when its history is there.'),
  })
  .meta({ id: 'Ledger' });
export type ShownLedger = z.output<typeof ledgerShape>;

export async function showLedger({ lostHistory }: Pick<Ledger, 'lostHistory'>): Promise<ShownLedger> {
  const { why, lostAt, knownUntil } = await lostHistory.look();
  if (lostAt === null) return { state: 'sound', why: null, since: null, known_until: null };
  return { state: 'lost', why: lossText(why), since: lostAt, known_until: knownUntil };
}

/** For acts that dial: nothing begins on a ledger that waits for a person. The ledger refuses it too. */
export async function requireSound({ lostHistory }: Pick<Ledger, 'lostHistory'>): Promise<void> {
  const found = await lostHistory.look();
  if (found.lostAt !== null) throw unconfirmed(found);
}
