import { z } from 'zod';
import { readNoted } from '../../dispatch/disk/noted-intents.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { read } from '../requests/input.ts';
import { type ConfirmDeps, confirmInput, lostSince } from './confirm.ts';
import { ledgerShape, showLedger } from './show.ts';

/** The people whom confirming lost history would make unknown. Nothing is changed. */
export const toConfirmQuery = confirmInput;

export const toConfirmAnswer = ledgerShape
  .extend({
    noted: z
      .int()
      .describe('Creates that are noted on the disk of the machine that answers; their people are marked.'),
    people: z.int().describe('People who become unknown because of `lost_since`; 0 without it.'),
    campaigns: z.array(z.object({ id: z.string(), name: z.string(), people: z.int() })),
  })
  .meta({ id: 'LedgerToConfirm' });
export type LedgerToConfirm = z.output<typeof toConfirmAnswer>;

type Deps = Pick<ConfirmDeps, 'home' | 'now'> & { ledger: Pick<Ledger, 'lostHistory'> };

export async function showToConfirm({ ledger, home, now }: Deps, query: unknown): Promise<LedgerToConfirm> {
  const since = lostSince(read(toConfirmQuery, query), now());
  const campaigns = since === null ? [] : await ledger.lostHistory.toLose(since);
  const some = campaigns.filter(({ people }) => people > 0);
  return {
    ...(await showLedger(ledger)),
    noted: (await readNoted(home)).length,
    people: some.reduce((sum, { people }) => sum + people, 0),
    campaigns: some,
  };
}
