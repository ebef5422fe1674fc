import type { Ledger } from '../ledger/ledger.ts';
import { writtenDigits } from '../rules/phone/digits.ts';

/** Ends erasures that waited: for a call to end, or for an import that began before. What is too old goes here, too. */
type EraseDueDeps = {
  ledger: Pick<Ledger, 'erasures'>;
  /** Null keeps what is known of people for ever. */
  keepDays: number | null;
};

/** Returns whether there may be more of what is too old. */
export async function eraseDue({ ledger: { erasures }, keepDays }: EraseDueDeps): Promise<boolean> {
  await erasures.look();
  // Under another secret nothing can be read: `doctor` tells.
  if (erasures.trouble() === null) {
    for (const phone of await erasures.open()) await finishErasure(erasures, phone);
  }
  return keepDays !== null && (await erasures.old(keepDays));
}

/** True when nothing is left of the person. */
export function finishErasure(erasures: Ledger['erasures'], phone: string): Promise<boolean> {
  return erasures.finish(phone, writtenDigits(phone));
}
