import type { Caller, Order } from '../../rules/order.ts';
import type { Window } from '../../rules/time/window.ts';
import { readOrder } from './read.ts';
import type { OrderChange, OrderInput } from './schema.ts';

/** An order as it is told: in the form in which a request takes it, and in short phrases for a person. */
const midnight = 1440;

export function showOrder({ callers, hours, ...order }: Order) {
  return {
    agent: order.agentId,
    from: callers.flatMap((caller) => ('number' in caller ? [caller.number] : [])),
    number_ids: callers.flatMap((caller) => ('numberId' in caller ? [caller.numberId] : [])),
    max_calls: order.maxCalls,
    weight: order.weight,
    window: hours && `${clock(hours.from)}-${clock(hours.to)}`,
    days: hours?.days.map((day) => dayName(day).toLowerCase()).join(',') ?? null,
    timezone: order.timezone,
    max_attempts: order.maxAttempts,
    retry: Object.fromEntries(
      Object.entries(order.retry).map(([name, seconds]) => [name, shortSpan(seconds)]),
    ),
    on_unknown: order.onUnknown,
    result_delay: order.resultDelay === null ? null : `${order.resultDelay}s`,
  };
}

/** The order as it stands, with what is wanted laid over it. */
export function changeOrder(order: Order, wanted: OrderChange): Order {
  const { timezone, ...standing } = showOrder(order);
  const given = Object.entries({ ...standing, ...wanted }).filter(([, value]) => value !== null);
  return { ...readOrder(Object.fromEntries(given) as OrderInput), timezone };
}

/** Whether two orders say the same, whatever else the first one carries. */
export function isSameOrder(a: Order, b: Order): boolean {
  return (Object.keys(b) as (keyof Order)[]).every((key) => canonical(a[key]) === canonical(b[key]));
}

export function callerText(caller: Caller | null): string | null {
  if (!caller) return null;
  return 'number' in caller ? caller.number : caller.numberId;
}

/** The order in short phrases for a person: from whom, when, how many at once, and what is tried again. */
export function describeOrder(order: Order): string[] {
  const { callers, hours, timezone, maxCalls, maxAttempts, retry } = order;
  const names = callers.map((caller) =>
    'number' in caller ? caller.number : `number id ${caller.numberId}`,
  );
  const rules = Object.entries(retry).map(([outcome, seconds]) => `${outcome} after ${span(seconds)}`);
  const place = timezone ? `in ${timezone} where a row names no time zone` : 'in each person’s own time zone';
  return [
    names.length > 0 ? `from ${names.join(', ')}` : 'from the number that the service chooses',
    hours ? `${hoursText(hours)} ${place}` : 'every hour and day',
    ...(maxCalls === null
      ? []
      : [maxCalls === 1 ? 'one call at a time' : `at most ${maxCalls} calls at once`]),
    maxAttempts === 1 || rules.length === 0
      ? 'one attempt, no retry'
      : `up to ${maxAttempts} attempts: ${rules.join(', ')}`,
    ...(order.resultDelay === null ? [] : [`results up to ${order.resultDelay} s later to save requests`]),
    ...(order.weight === 1 ? [] : [`weight ${order.weight} on its keys`]),
    ...(order.onUnknown === 'redial' ? ['unknown calls are redialled once'] : []),
  ];
}

function hoursText({ from, to, days }: Window): string {
  const times = from === 0 && to === midnight ? 'all day' : `${clock(from)}-${clock(to)}`;
  return `${times} ${daysText(days)}`;
}

/** `Mon-Fri`, `Mon, Wed`, `every day`: days that follow each other are drawn together. */
function daysText(days: readonly number[]): string {
  if (days.length === 7) return 'every day';
  const runs: [number, number][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last && last[1] === day - 1) last[1] = day;
    else runs.push([day, day]);
  }
  return runs
    .map(([first, last]) => (first === last ? dayName(first) : `${dayName(first)}-${dayName(last)}`))
    .join(', ');
}

function dayName(day: number): string {
  return ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][day - 1]!;
}

function clock(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function span(total: number): string {
  if (total % 86_400 === 0) return total === 86_400 ? '1 day' : `${total / 86_400} days`;
  if (total % 3_600 === 0) return `${total / 3_600} h`;
  if (total % 60 === 0) return `${total / 60} min`;
  return `${total} s`;
}

/** In the greatest unit that divides it, as an order takes it. */
function shortSpan(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

/** Postgres keeps a JSON object's keys in an order of its own. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${key}:${canonical(part)}`).join()}}`;
}
