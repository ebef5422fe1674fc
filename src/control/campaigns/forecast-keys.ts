import type { Lane } from '../../lane/lane.ts';
import type { LaneRow } from '../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { KeyPace } from '../../rules/forecast/forecast.ts';
import type { NumberDays } from '../../rules/forecast/simulate.ts';
import type { Order } from '../../rules/order.ts';
import type { VoiceClient } from '../../voice/client.ts';

/** What the keys and the caller numbers give a forecast; or why no key creates calls, with the service's words. */
export type Stop = { by: 'refused' | 'credit'; words: string | null };

type Key = Pick<Lane, 'name'> & { state?: string };

export function stopOf(rows: readonly LaneRow[], keys: readonly Key[]): Stop | null {
  if (keys.some((key) => isOpen(rows, key))) return null;
  const closed = rows.filter((row) => keys.some((key) => key.name === row.name));
  // A failing service may recover at any moment; credit and a denied key need a person.
  for (const state of ['failing', 'out_of_credit', 'denied'] as const) {
    const row = closed.find((each) => each.state === state);
    if (row) return { by: state === 'out_of_credit' ? 'credit' : 'refused', words: row.reason };
  }
  return null;
}

/** Whether the key is open in the ledger; a key that it does not have yet is open. */
export function isOpen(rows: readonly LaneRow[], key: Key): boolean {
  return (rows.find((row) => row.name === key.name)?.state ?? key.state ?? 'open') === 'open';
}

/** The speed that the simulator reports; all keys call one service. */
export function speedOf(clients: Iterable<VoiceClient>): number {
  return Math.max(1, ...[...clients].map((client) => client.speed()));
}

/** Of those that are open. The keys of one account share one rate. */
export function pacesOf(rows: readonly LaneRow[], all: readonly Lane[], share: number): KeyPace[] {
  const lanes = all.filter((lane) => isOpen(rows, lane));
  return lanes.map(({ governor }) => {
    const { rate, learned, limit, sure } = governor.view();
    // Calls that came in may leave no room for a moment.
    const most = governor.cap();
    const sharing = lanes.filter((lane) => lane.governor.tokens() === governor.tokens()).length;
    const known = learned ? (limit === null ? null : sure) : 1;
    return {
      rate: (rate * share) / sharing,
      sure: known,
      maxCalls: most === null ? null : Math.max(1, most),
    };
  });
}

/** How the caller numbers of an order stand to its limit of a day; null without one. */
export async function daysOf(
  { ledger, lanes }: { ledger: Pick<Ledger, 'callerNumbers'>; lanes: readonly Pick<Lane, 'id'>[] },
  { callers, perNumberDay }: Order,
): Promise<NumberDays | null> {
  if (perNumberDay === null || callers.length === 0) return null;
  const keys = lanes.map(({ id }) => id);
  return ledger.callerNumbers.days(callers, keys, perNumberDay);
}

/** Where nobody asks the ledger; how many numbers a list has is not known then. */
export function namedDays({ callers, perNumberDay: most }: Order): NumberDays | null {
  if (most === null || callers.length === 0 || callers.some((caller) => 'listed' in caller)) return null;
  return { most, numbers: callers.length, used: [] };
}
