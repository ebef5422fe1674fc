import { createHash } from 'node:crypto';
import type { Order } from '../../rules/order.ts';
import { readOrder, showOrder } from '../order/order.ts';
import { canonical } from '../requests/idempotency.ts';

/** The effect of a change, as the activity keeps it: only the fields that differ. */
type Differences = { before: Record<string, unknown>; after: Record<string, unknown> };

/** Null when nothing differs. */
function differencesOf(before: object, after: object): Differences | null {
  const was = before as Record<string, unknown>;
  const is = after as Record<string, unknown>;
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const changed = names.filter((name) => canonical(was[name] ?? null) !== canonical(is[name] ?? null));
  if (changed.length === 0) return null;
  const only = (from: Record<string, unknown>) =>
    Object.fromEntries(changed.map((name) => [name, shownOf(name, from[name] ?? null)]));
  return { before: only(was), after: only(is) };
}

/** The fields of two orders that differ, as the API names them. */
export function orderDifferences(before: Order, after: Order): Differences | null {
  return differencesOf(showOrder(before), showOrder(after));
}

/** The part of an order that somebody chose. */
export function chosenOf(order: Order): Record<string, unknown> {
  return orderDifferences(plain, order)?.after ?? {};
}

const plain = readOrder({ agent: '-' });

/** A call's override may be long and may hold anything: its digest shows whether it is the same. */
function shownOf(name: string, value: unknown): unknown {
  if (name !== 'override' || value === null) return value;
  const digest = createHash('sha256').update(canonical(value)).digest('hex');
  return { sha256: digest };
}
