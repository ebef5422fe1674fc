import type { BodyOf } from '../../api/ask.ts';
import type { Draft } from './draft.ts';

/** The draft as the API takes it. What was left empty is left out: the order's own default holds. */
type Order = Omit<BodyOf<'POST /api/campaigns'>, 'name' | 'recipients' | 'start' | 'country'>;
type Change = BodyOf<'PATCH /api/campaigns/{id}'>;

export function orderOf(draft: Draft): Order {
  const { agents, from, override, retry, max_attempts } = draft;
  const numbers = from.map((number) => number.trim()).filter(Boolean);
  const named = agents.filter(({ id }) => id.trim() !== '');
  const rules = Object.fromEntries(Object.entries(retry).filter(([, after]) => after.trim() !== ''));
  const given = {
    ...textsOf(draft),
    retry_when: draft.retry_when === 'same' ? undefined : draft.retry_when,
    on_unknown: draft.on_unknown === 'hold' ? undefined : draft.on_unknown,
    agent: named.length === 1 && named[0]!.share === '' ? named[0]!.id.trim() : named.map(shareOf),
    from: numbers.length > 0 ? numbers : undefined,
    override: parsed(override),
    not_on: draft.not_on.trim() === '' ? undefined : [draft.not_on],
    start_at: instantOf(draft.start_at, draft.timezone),
    end_at: instantOf(draft.end_at, draft.timezone),
    retry: Object.keys(rules).length > 0 ? rules : undefined,
    max_attempts: max_attempts.trim() || undefined,
    retry_first: draft.retry_first || undefined,
    evergreen: draft.evergreen || undefined,
    hang_up: draft.hang_up || undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Order;
}

const texts = [
  'window',
  'timezone',
  'holidays',
  'retry_when',
  'max_calls',
  'weight',
  'first',
  'stop_at',
  'on_unknown',
  'opt_out',
  'result_delay',
] as const;

function textsOf(draft: Draft): Partial<Record<(typeof texts)[number], string>> {
  return Object.fromEntries(
    texts.map((name) => [name, draft[name].trim()]).filter(([, value]) => value !== ''),
  );
}

const shareOf = ({ id, share }: { id: string; share: string }) => `${id.trim()}=${share.trim() || 1}`;

/** The whole order as a change of another one: what is not given gets its default again. */
export function changeOf(draft: Draft): Change {
  const { timezone: _, ...order } = orderOf(draft);
  const all = ['from', 'override', 'not_on', 'start_at', 'end_at', 'retry', 'max_attempts', 'retry_first'];
  const names = [...all, 'evergreen', 'hang_up', ...texts.filter((name) => name !== 'timezone')];
  const defaults = Object.fromEntries(names.map((name) => [name, null]));
  return { ...defaults, ...order, name: draft.name.trim() } as Change;
}

function parsed(text: string): Record<string, unknown> | undefined {
  return text.trim() === '' || jsonFault(text) !== null
    ? undefined
    : (JSON.parse(text) as Record<string, unknown>);
}

/** What is wrong with a text that must be a JSON object; null when nothing is. */
export function jsonFault(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
    return isObject ? null : 'Write one JSON object, such as {"language": "en"}.';
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}.`;
  }
}

/** `2026-12-01T09:00` is in the order's time zone; without one, in the viewer's. */
function instantOf(typed: string, timezone: string): string | undefined {
  if (typed === '') return undefined;
  return timezone.trim() === '' ? new Date(typed).toISOString() : typed;
}

const ofHours = ['window', 'not_on', 'holidays', 'timezone', 'start_at', 'end_at'] as const;

/** The terms that judge whether a person can ever be called. */
export function hoursOf(order: Partial<Order>): Partial<Order> {
  return Object.fromEntries(Object.entries(order).filter(([name]) => ofHours.some((each) => each === name)));
}

/** Two drafts with the same key are the same list: these bytes, read with these columns and judged by these hours. */
export function listKey(draft: Draft): string {
  return JSON.stringify([draft.file?.id, columnsOf(draft), hoursOf(orderOf(draft))]);
}

export const orderKey = (draft: Draft) => JSON.stringify([draft.name, orderOf(draft)]);

/** What the API is told of the columns. */
export function columnsOf({ map, country }: Draft): Record<string, string> {
  const given = Object.entries({ ...map, country: country.trim() });
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
