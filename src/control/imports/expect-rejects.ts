import { createHash } from 'node:crypto';
import type { AcceptedRow, RejectedRow } from '../../intake/recipients.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import { isErased } from '../../ledger/erasures/verbs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { canonical } from '../order/order.ts';

/**
 * How many rejects a campaign would have more, as people/import_rejects.sql decides: one that it has already stays one, and
 * what is accepted now is not a reject any more. `onto` is null where nothing was rejected before, or does not count any more.
 */
type Rejects = {
  /** Answers how many are surely new. */
  add(
    accepted: readonly AcceptedRow[],
    rejected: readonly RejectedRow[],
    isKnown: (phone: string) => boolean,
  ): number;
  /** Of those that are like one from before: how many more there are in the end, or fewer. */
  end(): number;
};
type Alike = { before: number; sent: number; isTaken: boolean };

export async function countRejects(ledger: Ledger | null, onto: Campaign | null): Promise<Rejects> {
  const alike = new Map<string, Alike>();
  for await (const lines of ledger && onto ? ledger.reports.rejects(onto.id) : []) {
    for (const { input } of lines) {
      const key = keyOf(input);
      const found = alike.get(key);
      if (found) found.before++;
      else alike.set(key, { before: 1, sent: 0, isTaken: false });
    }
  }
  const find = (input: object) => (alike.size > 0 ? alike.get(keyOf(input)) : undefined);
  return {
    add(accepted, rejected, isKnown) {
      for (const { input } of alike.size > 0 ? accepted : []) {
        const found = find(input);
        if (found) found.isTaken = true;
      }
      let fresh = 0;
      for (const { phone, input } of rejected) {
        // An erased person who is on the list has a row there.
        if (phone !== undefined && isErased(phone) && isKnown(phone)) continue;
        const found = find(input);
        if (found) found.sent++;
        else fresh++;
      }
      return fresh;
    },
    end: () =>
      [...alike.values()].reduce(
        (sum, { before, sent, isTaken }) => sum + (isTaken ? sent : Math.max(before, sent)) - before,
        0,
      ),
  };
}

/** A list may have as many rejects as rows: a digest of each is kept. */
function keyOf(input: object): string {
  return createHash('sha256').update(canonical(input)).digest('base64url');
}
