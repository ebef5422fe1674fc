import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Order } from '../../rules/order.ts';
import { quote } from '../../rules/phone/phone-text.ts';
import { text } from '../requests/input.ts';

/** One term of an order: its fields, and how it is read, shown and described. */
type Fields = Record<string, z.ZodType>;

export type Term<F extends Fields, Value, A extends Fields> = {
  /** A field is a name in a request's body and, as a flag, an option of the command line. */
  fields: F;
  /** The form that the ledger keeps; a field that is left out gets its default. */
  read(given: { [K in keyof F]?: z.output<F[K]> | undefined }): Value;
  /** The fields again, in an answer. */
  answer: A;
  /** The value as a request takes it. */
  show(value: Value): { [K in keyof A]: z.output<A[K]> };
  /** A short phrase for a person; null when there is nothing to say. */
  tell?(value: Value, order: Order): string | null;
};

export function term<F extends Fields, Value, A extends Fields>(made: Term<F, Value, A>): Term<F, Value, A> {
  return made;
}

export type Flag = {
  /** The flag as commander takes it; the field's name is the flag's in snake_case. */
  flag: string;
  /** `(default: ...)` in it says what holds without the flag; a form shows that in the empty field. */
  help: string;
  /** May be given several times. */
  many?: boolean;
  /** The only values that it takes. */
  values?: readonly string[];
  /** The value is typed as the name of a file of this kind. */
  file?: 'json';
  form: FormField;
};

/** How a form asks for a field. */
type FormField = {
  label: string;
  help?: string;
  /** A control that needs more than what the schema says. */
  kind?: 'agents' | 'callers' | 'window' | 'time' | 'zone' | 'retry' | 'country';
  /** Words for the values of the flag; the first is the default. */
  choices?: Readonly<Record<string, string>>;
  /** The field whose own control asks for this one too. */
  askedBy?: string;
};

/** Each field has a schema of its own: a flag belongs to one. */
export const flags = z.registry<Flag>();

/** A term of one field; without `show`, the value is shown as it is kept. */
export function field<Name extends string, In extends z.ZodType, Value, Out extends z.ZodType>(
  name: Name,
  schema: In,
  made: Flag & {
    read(given: z.output<In> | undefined): Value;
    answer: Out;
    show?(value: Value): z.output<Out>;
    tell?(value: Value, order: Order): string | null;
  },
): Term<Record<Name, In>, Value, Record<Name, Out>> {
  const { read, answer, show, tell, ...flag } = made;
  flags.add(schema, flag);
  const only = <T>(value: T) => ({ [name]: value }) as Record<Name, T>;
  return {
    fields: only(schema),
    read: (given) => read(given[name]),
    answer: only(answer),
    show: (value) => only((show ?? ((same: unknown) => same as z.output<Out>))(value)),
    ...(tell && { tell }),
  };
}

type Made<Value> = Flag & { tell(value: Value, order: Order): string | null };

/** A term of one of these names; the first is the default. `what` names the term in an error. */
export function choice<Name extends string, Value extends string>(
  name: Name,
  values: readonly [Value, ...Value[]],
  {
    what,
    remedy,
    ...made
  }: Made<Value> & { what: string; remedy: string; form: { choices: Readonly<Record<Value, string>> } },
) {
  return field(name, text(20).meta({ enum: [...values] }), {
    ...made,
    values,
    read(given = values[0]): Value {
      const known = values.find((each) => each === given);
      if (known !== undefined) return known;
      throw wrong(`The ${what} is not valid: ${quote(given)}`, remedy);
    },
    answer: z.enum(values),
  });
}

/** A term that applies only if it is given. */
export function toggle<Name extends string>(name: Name, made: Made<boolean>) {
  return field(name, z.boolean(), { ...made, read: (given) => given ?? false, answer: z.boolean() });
}

/** A term that is a count, or no limit. */
export function limit<Name extends string>(
  name: Name,
  { what, most, ...made }: Made<number | null> & { what: string; most: number },
) {
  return field(name, numeral(), {
    ...made,
    read: (given) => readNumber(what, given, most),
    answer: z.int().nullable(),
  });
}

/** A whole number, as JSON or as typed. */
export const numeral = () => z.union([z.number(), z.string().max(20)]);

export function readNumber(what: string, value: string | number | undefined, most: number): number | null {
  if (value === undefined) return null;
  const number = typeof value === 'string' && !/^\s*\d+\s*$/.test(value) ? Number.NaN : Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw wrong(
    `The ${what} is not valid: ${JSON.stringify(String(value))}`,
    `Give a whole number from 1 to ${most}.`,
  );
}

/** `field` is where to show it, if the term itself does not say. */
export function wrong(message: string, remedy: string, field?: string): CarillonError {
  const issues = field === undefined ? [] : [{ path: field, message }];
  return new CarillonError('usage-invalid', message, { remedy, issues });
}
