import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Order } from '../../rules/order.ts';
import { quote } from '../../rules/phone/phone-text.ts';
import { canonical } from '../requests/idempotency.ts';
import { read } from '../requests/input.ts';
import { flags, type Term, wrong } from './term.ts';
import { brakes } from './terms/brakes.ts';
import { checkPool } from './terms/caller-numbers.ts';
import { pace } from './terms/pace.ts';
import { tries } from './terms/tries.ts';
import { when } from './terms/when.ts';
import { who } from './terms/who.ts';

/**
 * The terms of an order. They yield the flags, a request's body, what the ledger keeps, what is shown, told and asked
 * for in a form, and the comparison: a new option is a term here, its type in rules/order.ts, and the rule that reads
 * it.
 */
export const orderGroups = { who, when, pace, tries, brakes };
const terms = { ...who, ...when, ...pace, ...tries, ...brakes } satisfies Record<keyof Order, unknown>;

type Terms = typeof terms;
type Name = keyof Terms;
type Both<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never;
type AnyTerm<Value> = Term<Record<string, z.ZodType>, Value, Record<string, z.ZodType>>;

const entries = Object.entries(terms) as unknown as [keyof Order, AnyTerm<unknown>][];

export const orderFields = Object.assign({}, ...entries.map(([, term]) => term.fields)) as Both<
  Terms[Name]['fields']
>;

const { agent, ...options } = orderFields;

/** A whole order, and a partial one that changes another: null resets a field to its default. */
export const orderInput = z.strictObject({ agent, ...z.object(options).partial().shape });
export const orderChange = z.strictObject(
  Object.fromEntries([
    ['agent', agent.optional()],
    // The time zones of the people were fixed at their import.
    ...Object.entries(options)
      .filter(([name]) => name !== 'timezone')
      .map(([name, schema]) => [name, schema.nullish()]),
  ]) as {
    [K in keyof Omit<typeof orderFields, 'timezone'>]: z.ZodOptional<z.ZodNullable<(typeof orderFields)[K]>>;
  },
);

export type OrderInput = z.input<typeof orderInput>;
export type OrderChange = z.output<typeof orderChange>;
export const orderAnswer = Object.assign({}, ...entries.map(([, term]) => term.answer)) as Both<
  Terms[Name]['answer']
>;
type ShownOrder = Both<ReturnType<Terms[Name]['show']>>;

/** Reads an order as people write it, on a command line or in a request, into the form that the ledger keeps. */
export function readOrder(input: OrderInput): Order {
  const order = Object.fromEntries(entries.map(([name, term]) => [name, readTerm(term, input)])) as Order;
  if (order.maxAttempts === 1 && Object.keys({ ...order.retry, ...order.nextNumber }).length > 0) {
    throw wrong(
      'A retry rule was given, but only one attempt is allowed',
      'Allow more than one attempt per person, for example --max-attempts 3, or `max_attempts` in a request.',
      'max_attempts',
    );
  }
  checkPool(order);
  return order;
}

/** An error names its field, so that a form can show it there. */
function readTerm(term: AnyTerm<unknown>, input: OrderInput): unknown {
  try {
    return term.read(input);
  } catch (error) {
    if (!(error instanceof CarillonError) || error.issues.length > 0) throw error;
    const { code, message, remedy } = error;
    const issues = [{ path: faultyField(term, input), message }];
    throw new CarillonError(code, message, { remedy, cause: error, issues });
  }
}

/** The field of a term that is refused even without the others; else the last one given. */
function faultyField(term: AnyTerm<unknown>, input: OrderInput): string {
  const given = Object.keys(term.fields).filter((name) => input[name as keyof OrderInput] !== undefined);
  const isRefused = (name: string) => {
    try {
      term.read({ timezone: input.timezone, [name]: input[name as keyof OrderInput] });
      return false;
    } catch {
      return true;
    }
  };
  return given.find(isRefused) ?? given.at(-1) ?? Object.keys(term.fields)[0]!;
}

/** The value of a term in a kept order; an order that is older than the term has its default. */
function termIn(order: Order, name: Name): unknown {
  return order[name] === undefined ? (terms[name] as AnyTerm<unknown>).read({} as OrderInput) : order[name];
}

/** The order as a request takes it. */
export function showOrder(order: Order): ShownOrder {
  return Object.assign({}, ...entries.map(([name, term]) => term.show(termIn(order, name)))) as ShownOrder;
}

type OrderGroup = keyof typeof orderGroups;
const groups = Object.entries(orderGroups) as [OrderGroup, object][];
export const orderWords = z.object(
  Object.fromEntries(groups.map(([group]) => [group, z.array(z.string())])) as {
    [G in OrderGroup]: z.ZodArray<z.ZodString>;
  },
);

/** The order in short phrases for a person, by group: from whom, when, how many at once, and what is retried. */
export function tellOrder(order: Order): z.output<typeof orderWords> {
  const tell = (terms: object) =>
    (Object.entries(terms) as typeof entries).flatMap(
      ([name, term]) => term.tell?.(termIn(order, name), order) ?? [],
    );
  return Object.fromEntries(groups.map(([group, terms]) => [group, tell(terms)])) as z.output<
    typeof orderWords
  >;
}

export const describeOrder = (order: Order): string[] => Object.values(tellOrder(order)).flat();

/** The parts of the order that have no effect, for a person: written as flags or as fields. */
export function notesOn(
  { maxAttempts, retry, nextNumber = {} }: Order,
  write: (name: string) => string,
): string[] {
  if (maxAttempts === 1 || Object.keys({ ...retry, ...nextNumber }).length > 0) return [];
  return [
    `${write('max_attempts')} ${maxAttempts} has no effect without ${write('retry')}, which says after which outcomes to try again, such as no-answer=30m.`,
  ];
}

/** Only the order, without what else a campaign carries. */
export function orderOf(campaign: Order): Order {
  return Object.fromEntries(entries.map(([name]) => [name, termIn(campaign, name)])) as Order;
}

/** The present order, overlaid with the wanted changes. */
export function changeOrder(order: Order, wanted: OrderChange): Order {
  const { timezone, ...standing } = showOrder(order);
  const given = Object.entries({ ...standing, ...wanted }).filter(([, value]) => value !== null);
  const zone = timezone === null ? {} : { timezone };
  return { ...readOrder({ ...Object.fromEntries(given), ...zone } as OrderInput), timezone };
}

/** Whether two orders are equal, ignoring what else the first one carries. */
export function isSameOrder(a: Order, b: Order): boolean {
  return entries.every(([name]) => canonical(termIn(a, name)) === canonical(termIn(b, name)));
}

/** The present order with the terms in which `wanted` differs from `from`, the order that it was made from. */
export function layOrder(from: Order, present: Order, wanted: Order): Order {
  const isSame = (name: Name) => canonical(termIn(from, name)) === canonical(termIn(wanted, name));
  const laid = entries.map(([name]) => [name, isSame(name) ? present[name] : wanted[name]]);
  return Object.fromEntries(laid) as Order;
}

/** An order whose end has already passed is a mistake, unless the campaign already has that end. */
export function checkEnd({ times }: Order, now: number, standing?: Order): void {
  const { endAt } = times ?? {};
  if (endAt === undefined || Date.parse(endAt) > now || endAt === standing?.times?.endAt) return;
  throw wrong(
    `The end ${endAt} has passed`,
    'Give a later --end-at (end_at in a request), or none.',
    'end_at',
  );
}

/** A change of an order as it is typed: `max_calls=40`, one field at a time; without a value, the field's default. */
export function readTypedChange(typed: readonly string[]): OrderChange {
  const wanted: Record<string, unknown> = {};
  for (const each of typed) {
    const at = each.indexOf('=');
    const name = each.slice(0, at).trim();
    if (at < 1 || !isField(name)) {
      throw wrong(
        `The change ${quote(each)} does not name a field of the order`,
        `Write a field and its value, such as max_calls=40. The fields are ${Object.keys(orderChange.shape).join(', ')}.`,
      );
    }
    const value = each.slice(at + 1);
    if (value === '') wanted[name] = null;
    else if (takesMany(name)) wanted[name] = [...((wanted[name] as string[] | undefined) ?? []), value];
    else wanted[name] = readValue(name, value);
  }
  return read(orderChange, wanted);
}

type Field = keyof typeof orderChange.shape;
const isField = (name: string): name is Field => Object.hasOwn(orderChange.shape, name);

function takesMany(name: Field): boolean {
  return flags.get(orderFields[name])?.many === true;
}

/** The text itself if the field takes text; else the JSON that it holds, such as `true`. */
function readValue(name: Field, value: string): unknown {
  if (orderChange.shape[name].safeParse(value).success) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The order as a form asks for it, in this order of the groups. `npm run reference` writes it for the page. */
const titles = {
  who: 'Agent and caller',
  when: 'When',
  tries: 'Retries',
  pace: 'Pace',
  brakes: 'Stop rules',
} satisfies Record<keyof typeof orderGroups, string>;

export function orderForm() {
  return (Object.keys(titles) as (keyof typeof titles)[]).map((name) => ({
    name,
    title: titles[name],
    fields: Object.values(orderGroups[name]).flatMap(({ fields }) =>
      Object.entries(fields as Record<string, z.ZodType>).map(fieldOf),
    ),
  }));
}

function fieldOf([name, schema]: [string, z.ZodType]) {
  const { form, ...flag } = flags.get(schema)!;
  const { label, kind = kindOf(schema, flag), help = null, choices, askedBy = null } = form;
  return {
    name,
    kind,
    label,
    help,
    empty: /\(default: ([^()]*)\)/.exec(flag.help)?.[1] ?? null,
    choices: Object.entries(choices ?? {}).map(([value, words]) => ({ value, label: words })),
    asked_by: askedBy,
    can_change: name in orderChange.shape,
  };
}

/** The kind of a field follows from the values that it accepts. */
function kindOf(
  schema: z.ZodType,
  { many, file, values }: { many?: boolean; file?: 'json'; values?: unknown },
) {
  if (schema.safeParse(true).success) return 'yes';
  if (schema.safeParse(1).success) return 'number';
  if (values) return 'choice';
  if (many) return 'list';
  return file ?? 'text';
}
