import type { Clock } from '../base/clock.ts';
import type { Lane } from '../lane/lane.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LateCount } from '../ledger/refreshes/refreshes.ts';
import { isWorthAsking, type LateField } from '../rules/late-fields.ts';

/** Which fields a service fills in late, and so are worth asking for; shared by all processes through the ledger. */
export type LateFields = {
  worthAsking(laneId: number, outcome: string, missing: readonly LateField[]): Promise<LateField[]>;
  saw(laneId: number, counts: readonly LateCount[]): Promise<void>;
};

/** How much later this process knows what others learned. */
const freshMs = 15_000;

export function createLateFields({
  ledger,
  lanes,
  clock,
}: {
  ledger: Ledger;
  lanes: readonly Lane[];
  clock: Clock;
}): LateFields {
  let known = new Map<string, { late: number; vain: number }>();
  let readAt = Number.NEGATIVE_INFINITY;
  /** Calls that were asked about before anything was known. */
  const tried = new Map<string, number>();
  const keyOf = (laneId: number, outcome: string, field: LateField) => `${laneId} ${outcome} ${field}`;
  /**
   * The description says that this comes after a call's end: each call is asked about again, even if nothing is
   * learned.
   */
  const isDue = (laneId: number, field: LateField) =>
    field === 'outcome' ||
    (field === 'transcript' && lanes.some(({ id, client }) => id === laneId && client.can.transcript));

  const refresh = async () => {
    if (clock.monotonic() - readAt < freshMs) return;
    readAt = clock.monotonic();
    const rows = await ledger.refreshes.known();
    known = new Map(rows.map((row) => [keyOf(row.laneId, row.outcome, row.field), row]));
  };

  return {
    async worthAsking(laneId, outcome, missing) {
      if (missing.length === 0) return [];
      await refresh();
      return missing.filter((field) => {
        const key = keyOf(laneId, outcome, field);
        const times = isDue(laneId, field) ? 0 : (tried.get(key) ?? 0);
        if (!isWorthAsking(known.get(key) ?? { late: 0, vain: 0 }, times)) return false;
        tried.set(key, times + 1);
        return true;
      });
    },
    async saw(laneId, counts) {
      if (counts.length === 0) return;
      await ledger.refreshes.learn(laneId, counts);
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}
