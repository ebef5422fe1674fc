import type { Transaction } from '../database.ts';
import type { ImportCounts, ImportWay } from './sort.ts';

/**
 * The part of an import that concerns people with several numbers: they are known by any of them. A list whose people have
 * one each skips all of it.
 */
export async function concernsSeveral(
  tx: Transaction,
  campaignId: string,
  { several, staged }: ImportCounts,
): Promise<boolean> {
  if (several > 0) return true;
  if (staged === 0) return false;
  const [found]: { yes: boolean }[] = await tx.query('people/import_has_phones', [campaignId]);
  return found!.yes;
}

/** Before the merge: staged rows take the numbers under which their people stand in the list. Returns how many are rejected. */
export async function resolveStaged(
  tx: Transaction,
  { campaignId, keepsRejects }: ImportWay,
): Promise<number> {
  await tx.query('people/import_resolve', [campaignId]);
  const [row]: { twins: number }[] = await tx.query('people/import_twins', [campaignId, keepsRejects]);
  return row!.twins;
}

/** After the merge: new people, and those who took their row, have its numbers. */
export async function mergePhones(tx: Transaction, campaignId: string): Promise<void> {
  await tx.query('people/import_phones_gone', [campaignId]);
  await tx.query('people/import_phones_given', [campaignId]);
  await tx.query('people/import_phones', [campaignId]);
  await tx.query('people/pass_barred', [campaignId]);
}
