import { differenceText } from '../../dispatch/trust/same-keys.ts';
import type { Difference } from '../../ledger/processes/processes.ts';

/** How a process differs from those that dial, as a sentence. */
export function differenceLine(found: Difference): string {
  if (found.key === null) return `${found.process} has another CARILLON_SECRET than ${found.holder}`;
  return `${found.process} ${differenceText(found)}`;
}
