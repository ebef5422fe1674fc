import { createHash } from 'node:crypto';
import type { AcceptedRow, RejectedRow } from '../../intake/recipients.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import { isErased } from '../../ledger/erasures/erasures.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Repaired } from '../../ledger/people/lines.ts';
import { canonical } from '../requests/idempotency.ts';

type Alike = { before: number; sent: number; isTaken: boolean; repaired: number };
/** An earlier reject, by what a file of rejects says of it. */
type Told = { alike: Alike; isRepaired: boolean };

/**
 * How many more rejects a campaign would have, as people/import_rejects and people/import_repaired decide: a reject
 * that it already has stays one, and an input that is now accepted, or came back as something else, is no longer a
 * reject. `onto` is null if there were no rejects before, or they no longer count.
 */
export async function countRejects(ledger: Ledger | null, onto: Campaign | null) {
  const alike = new Map<string, Alike>();
  const told = new Map<string, Told[]>();
  for await (const lines of ledger && onto ? ledger.reports.rejects(onto.id) : []) {
    for (const { input, row, reason, onList } of lines) {
      if (onList) continue;
      const key = keyOf(input);
      const found = alike.get(key) ?? { before: 0, sent: 0, isTaken: false, repaired: 0 };
      found.before++;
      alike.set(key, found);
      const as = keyOf({ line: row, reason });
      told.set(as, [...(told.get(as) ?? []), { alike: found, isRepaired: false }]);
    }
  }
  const find = (input: object) => (alike.size > 0 ? alike.get(keyOf(input)) : undefined);
  const repair = (repaired: Repaired | undefined) => {
    for (const each of repaired && told.size > 0 ? (told.get(keyOf(repaired)) ?? []) : []) {
      if (!each.isRepaired) each.alike.repaired++;
      each.isRepaired = true;
    }
  };
  return {
    /** Returns how many are certainly new. */
    add(
      accepted: readonly AcceptedRow[],
      rejected: readonly RejectedRow[],
      isKnown: (phone: string) => boolean,
    ) {
      for (const { input, repairs } of alike.size > 0 ? accepted : []) {
        const found = find(input);
        if (found) found.isTaken = true;
        repair(repairs);
      }
      let fresh = 0;
      for (const { phone, input, repairs } of rejected) {
        repair(repairs);
        // An erased person who is on the list has a row there.
        if (phone !== undefined && isErased(phone) && isKnown(phone)) continue;
        const found = find(input);
        if (found) found.sent++;
        else fresh++;
      }
      return fresh;
    },
    /** How many more, or fewer, there are in the end among those that equal an earlier reject. */
    end: () => [...alike.values()].reduce((sum, each) => sum + leftOf(each) - each.before, 0),
  };
}

/** How many of these equal rejects there are in the end. */
function leftOf({ before, sent, isTaken, repaired }: Alike): number {
  if (isTaken) return sent;
  return sent > 0 ? Math.max(before, sent) : before - repaired;
}

/** A list may have as many rejects as rows, so only a digest of each is kept. */
function keyOf(input: object): string {
  return createHash('sha256').update(canonical(input)).digest('base64url');
}
