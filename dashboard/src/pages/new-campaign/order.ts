import type { BodyOf } from '../../api/ask.ts';
import { fieldsOf, type OrderField, type OrderName, orderFields, readText } from '../../order/fields.ts';
import { retryOf } from '../../order/retry-field.tsx';
import type { Ordered } from '../../order/words.tsx';
import type { Draft } from './draft.ts';

/** The draft as the API takes it. Fields that were left empty are left out: the order's own default holds. */
type Order = Omit<BodyOf<'POST /api/campaigns'>, 'name' | 'recipients' | 'start'>;
type Change = BodyOf<'PATCH /api/campaigns/{id}'>;

export function orderOf(draft: Draft): Order {
  const given = orderFields.map((field) => [field.name, sentFor(field, draft)]);
  return Object.fromEntries(given.filter(([, value]) => value !== null)) as Order;
}

function sentFor(field: OrderField, draft: Draft): unknown {
  const value = draft[field.name];
  switch (field.kind) {
    case 'agents': {
      const named = draft.agent.filter(({ id }) => id.trim() !== '');
      return named.length === 1 && named[0]!.share === '' ? named[0]!.id.trim() : named.map(shareOf);
    }
    case 'callers':
      return readText(field, draft.from.join('\n'));
    case 'time':
      return instantOf(value as string, draft.timezone);
    default:
      return readText(field, value as string);
  }
}

/** The order as it would stand: what was left empty has its default. */
export function orderedOf(draft: Draft): Ordered {
  const sent: Partial<Record<OrderName, unknown>> = orderOf(draft);
  const standing = orderFields.map((field) => [field.name, standsAs(field, sent[field.name] ?? null)]);
  return Object.fromEntries(standing) as Ordered;
}

function standsAs({ name, kind, empty }: OrderField, value: unknown): unknown {
  const given = value ?? (kind === 'choice' || /^\d/.test(empty ?? '') ? empty : null);
  if (kind === 'retry' || name === 'next_number') return retryOf(String(given ?? ''));
  if (kind === 'callers' || kind === 'list') return given ?? [];
  return kind === 'number' && given !== null ? Number(given) : given;
}

const shareOf = ({ id, share }: { id: string; share: string }) => `${id.trim()}=${share.trim() || 1}`;

/** The whole order as a change of another one: a field that is not given gets its default again. */
export function changeOf(draft: Draft): Change {
  const { timezone: _, ...order } = orderOf(draft);
  const changeable = orderFields.filter(({ can_change }) => can_change);
  const defaults = Object.fromEntries(changeable.map(({ name }) => [name, null]));
  return { ...defaults, ...order, name: draft.name.trim() } as Change;
}

/** `2026-12-01T09:00` is in the order's time zone; without one, in the viewer's. */
function instantOf(typed: string, timezone: string): string | null {
  if (typed === '') return null;
  return timezone.trim() === '' ? new Date(typed).toISOString() : typed;
}

/** The terms that judge whether a person can ever be called. */
export function hoursOf(order: Partial<Order>): Partial<Order> {
  const ofHours = fieldsOf('when').map(({ name }) => name as string);
  return Object.fromEntries(Object.entries(order).filter(([name]) => ofHours.includes(name)));
}

/** Two drafts with the same key are the same list: these bytes, read with these columns and judged by these hours. */
export function listKey(draft: Draft): string {
  return JSON.stringify([draft.file?.id, columnsOf(draft), hoursOf(orderOf(draft))]);
}

export const orderKey = (draft: Draft) => JSON.stringify([draft.name, orderOf(draft)]);

/** The columns as the API is told of them. */
export function columnsOf({ map, sheet, country }: Draft): Record<string, string> {
  const given = Object.entries({ ...map, sheet, country: country.trim() });
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
