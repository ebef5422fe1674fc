/**
 * Checks bodies and queries against the form that a service publishes, and describes what is wrong in a form of its
 * own, from which each service writes its errors.
 */
import { z } from 'zod';

export type Json = Record<string, unknown>;
type FlawKind = 'missing' | 'extra' | 'type' | 'short' | 'long' | 'value' | 'json';
export type Flaw = {
  at: readonly (string | number)[];
  kind: FlawKind;
  /** The kind of value that belongs there, or for `long` and `short` the limit. */
  wanted: string;
  /** The fault in plain words. */
  text: string;
  input: unknown;
};
type Held<T> = { value: T } | { flaws: Flaw[] };

export const e164 = z.string().regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number in E.164 format');
export const anyObject = z.record(z.string(), z.unknown());
export const texts = z.record(z.string(), z.string());
export const uuid = z.string().regex(/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i, 'must be a UUID');
export const filled = z.string().min(1);

/** Fields of one form, none of them required. */
export const optional = (form: z.ZodType, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, form.optional()]));

/** A whole number within its bounds, in a query. */
export const whole = (from: number, to: number) =>
  z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(from).max(to));

/** A moment in a query, which becomes milliseconds since the epoch. */
export const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/, 'must be an ISO 8601 time')
  .transform((text) => Date.parse(text))
  .refine((at) => !Number.isNaN(at), 'must be an ISO 8601 time');

/** True or false in a query. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** The JSON object of a request. */
export function readObject(contentType: string | undefined, text: string): Held<Json> {
  const flaw = (kind: FlawKind, words: string): Held<Json> => ({
    flaws: [{ at: [], kind, wanted: 'object', text: words, input: null }],
  });
  if (text === '') return flaw('missing', 'is required');
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')) {
    return flaw('type', 'must be sent as application/json');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return flaw('json', error instanceof Error ? error.message : 'is not JSON');
  }
  return isObject(value) ? { value } : flaw('type', 'must be an object');
}

/** Undefined if it is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** If not strict, it accepts extra fields, and null where nothing is required. */
export function holdBody(form: z.ZodType, body: Json, strict: boolean): Flaw[] {
  const parsed = form.safeParse(body, { reportInput: true });
  if (parsed.success) return [];
  const flaws = parsed.error.issues.flatMap(flawsOf);
  return strict ? flaws : flaws.filter(({ kind, input }) => kind !== 'extra' && input !== null);
}

export function readQuery<T extends z.ZodObject>(form: T, query: string, strict: boolean): Held<z.output<T>> {
  const given: Record<string, string | string[]> = {};
  const params = new URLSearchParams(query);
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name);
    given[name] = values.length > 1 ? values : (values[0] as string);
  }
  const parsed = (strict ? form.strict() : form).safeParse(given, { reportInput: true });
  if (parsed.success) return { value: parsed.data as z.output<T> };
  return { flaws: parsed.error.issues.flatMap(flawsOf) };
}

function flawsOf(issue: z.core.$ZodIssue): Flaw[] {
  const at = issue.path as (string | number)[];
  const { input } = issue;
  const flaw = (kind: FlawKind, wanted: string, text: string): Flaw[] => [{ at, kind, wanted, text, input }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        at: [...at, key],
        kind: 'extra',
        wanted: 'nothing',
        text: 'is not expected',
        input: (input as Json | undefined)?.[key],
      }));
    case 'invalid_type': {
      const wanted = issue.expected === 'record' ? 'object' : issue.expected;
      if (input === undefined) return flaw('missing', wanted, 'is required');
      return flaw('type', wanted, `must be ${/^[aio]/.test(wanted) ? 'an' : 'a'} ${wanted}`);
    }
    case 'too_big':
      return issue.origin === 'string'
        ? flaw('long', String(issue.maximum), `must have at most ${issue.maximum} characters`)
        : flaw('value', 'number', `must be at most ${issue.maximum}`);
    case 'too_small':
      return issue.origin === 'string'
        ? flaw('short', String(issue.minimum), `must have at least ${issue.minimum} characters`)
        : flaw('value', 'number', `must be at least ${issue.minimum}`);
    case 'invalid_value':
      if (input === undefined) return flaw('missing', 'string', 'is required');
      return flaw('value', 'string', `must be one of ${issue.values.map(String).join(', ')}`);
    case 'invalid_union':
      if (input === undefined) return flaw('missing', 'value', 'is required');
      return flaw('value', 'value', 'is not of a form that is accepted here');
    default:
      return flaw('value', 'value', issue.message);
  }
}

const objectType = 'model_attributes_type';

/** The list of problems that services built with FastAPI answer with. */
export function detailOf(flaws: readonly Flaw[], place = 'body'): Json[] {
  const types: Partial<Record<FlawKind, string>> = {
    missing: 'missing',
    extra: 'extra_forbidden',
    short: 'string_too_short',
    long: 'string_too_long',
    json: 'json_invalid',
  };
  return flaws.map(({ at, kind, wanted, text, input }) => ({
    loc: [place, ...at],
    msg: kind === 'missing' ? 'Field required' : `Value ${text}`,
    type:
      types[kind] ?? (kind !== 'type' ? 'value_error' : wanted === 'object' ? objectType : `${wanted}_type`),
    ...(input !== undefined && { input }),
  }));
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value of the right kind that cannot be taken. */
export function wrongAt(at: readonly string[], text: string, input: unknown): Flaw {
  return { at, kind: 'value', wanted: 'string', text, input };
}

/** A field's text, if the body has it and it is text; the journal uses it for a refused body. */
export function textAt(body: Json, ...path: string[]): string | undefined {
  let value: unknown = body;
  for (const part of path) value = isObject(value) ? value[part] : undefined;
  return typeof value === 'string' ? value : undefined;
}
