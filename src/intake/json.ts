import { quote } from '../rules/phone/phone-text.ts';
import { type ColumnMap, mostPhones, numberedPhones } from './columns.ts';
import { blankLine, NotJson } from './json-items.ts';
import { faultOf, isObject, wellFormed } from './json-values.ts';
import {
  type BatchLimits,
  createGathering,
  type GivenPerson,
  type RowBatch,
  type ScreenOptions,
  weightOf,
} from './recipients.ts';

/** Reads recipients from JSON objects, with the same rules as for the rows of a file. */
export type JsonOptions = ScreenOptions &
  BatchLimits & {
    keys?: JsonKeys | undefined;
    /** The unit that a row's number counts. */
    unit?: 'line' | 'item' | undefined;
  };
/** Which keys of an object hold what, where they have other names; `state` is used only where it is named here. */
type JsonKeys = Pick<ColumnMap, 'phone' | 'morePhones' | 'name' | 'timezone' | 'state' | 'agent'>;

type Fields = Record<string, unknown>;
/** A refused one keeps of its input what the ledger can keep. */
type Reading = { input: Fields } & (GivenPerson | { refusal: string });

const nothing: Fields = {};

/**
 * Rows count from 1, or are lines where the values are. Keys that a campaign does not use are variables, in addition to
 * those in `variables`.
 */
export async function* readJsonRecipients(
  values: Iterable<unknown> | AsyncIterable<unknown>,
  options: JsonOptions = {},
): AsyncGenerator<RowBatch> {
  const { keys = {}, unit = 'item' } = options;
  const gathering = createGathering(options, unit);
  let row = 0;
  for await (const value of values) {
    row++;
    if (value === blankLine) continue;
    const reading = readPerson(value, keys);
    gathering.add({ row, ...reading });
    gathering.count(weightOf(reading.input));
    if (gathering.isFull()) yield gathering.take();
  }
  if (!gathering.isEmpty()) yield gathering.take();
}

function readPerson(value: unknown, keys: JsonKeys): Reading {
  // Its text stands where a phone would, so that it brings no column of its own.
  if (value instanceof NotJson) {
    const input = wellFormed({ [keys.phone ?? 'phone']: value.text.replaceAll('\0', '') });
    return { input, refusal: 'is a line that is not JSON' };
  }
  if (!isObject(value)) return { input: keptOf({ item: value }), refusal: 'is not an object with a phone' };
  const { variables: extra, ...given } = withoutNulls(value);
  if (extra !== undefined && !isObject(extra)) {
    return { input: keptOf(given), refusal: 'has variables that are not an object' };
  }
  const own = extra === undefined ? nothing : withoutNulls(extra);
  const fault = faultOf(given) ?? faultOf(own);
  if (fault !== null) return { input: keptOf({ ...given, ...renamed(own) }), refusal: fault };
  return readFields(value, given, own, keys);
}

/** Reads what an object gives, and the variables that it has apart; a name may be given twice only with one value. */
function readFields(value: Fields, whole: Fields, own: Fields, keys: JsonKeys): Reading {
  const { more, rest: given } = takePhones(whole, keys);
  const phoneKey = keys.phone ?? (given.phone === undefined ? 'phone_number' : 'phone');
  const {
    [phoneKey]: phone = '',
    [keys.name ?? 'name']: name = '',
    [keys.timezone ?? 'timezone']: timezone = '',
    [keys.agent ?? 'agent']: agent = '',
    ...rest
  } = given;
  const shown = lay(whole, renamed(own));
  const sent = lay(rest, own);
  const twice = sent.twice ?? shown.twice;
  const input = wellFormed(twice === null ? shown.fields : { ...whole, variables: own });
  const numbers = phone === '' && more.length > 0 ? more : [phone, ...more];
  const refusal =
    tooMany(numbers) ??
    numbers.map((each) => notText(each, 'phone')).find((each) => each !== undefined) ??
    notText(name, 'name') ??
    notText(timezone, 'timezone') ??
    notText(agent, 'agent') ??
    (twice === null ? undefined : `gives two values to ${quote(twice)}`);
  if (refusal !== undefined) return { input, refusal };
  const text = (each: unknown) => wellFormed(String(each));
  const variables = wellFormed(sent.fields);
  return {
    input,
    variables,
    state: keys.state === undefined ? '' : String(variables[keys.state] ?? ''),
    refusedInput: withNullPhone(value, input, keys),
    phones: numbers.map(text),
    name: text(name),
    timezone: text(timezone),
    agent: text(agent),
  };
}

/** The numbers beside the first: of `phones`, of the keys that were named, or of `phone2` and so on. */
function takePhones(given: Fields, { phone, morePhones }: JsonKeys): { more: unknown[]; rest: Fields } {
  const { phones, ...others } = given;
  const names = phone === undefined ? numberedPhones : (morePhones ?? []);
  if (!Array.isArray(phones) && !names.some((name) => Object.hasOwn(given, name)))
    return { more: [], rest: given };
  const rest = Array.isArray(phones) ? others : { ...given };
  const more: unknown[] = Array.isArray(phones) ? [...phones] : [];
  for (const name of names) {
    if (!Object.hasOwn(rest, name)) continue;
    more.push(rest[name]);
    delete rest[name];
  }
  return { more, rest };
}

function tooMany(numbers: readonly unknown[]): string | undefined {
  return numbers.length > mostPhones ? `has more than ${mostPhones} phones` : undefined;
}

function notText(value: unknown, what: string): string | undefined {
  return ['string', 'number'].includes(typeof value)
    ? undefined
    : `has ${what === 'agent' ? 'an' : 'a'} ${what} that is not text`;
}

/** Names that a person has of its own: a variable of such a name stands in the input as `variables.name`. */
const ownName = /^(?:variables\.)*(?:phone|phones|phone_number|name|timezone|agent|variables)$/;

function renamed(variables: Fields): Fields {
  if (!Object.keys(variables).some((key) => ownName.test(key))) return variables;
  return Object.fromEntries(
    Object.entries(variables).map(([key, value]) => [ownName.test(key) ? `variables.${key}` : key, value]),
  );
}

/** Both as one; `twice` is a name to which they give different values. */
function lay(first: Fields, second: Fields): { fields: Fields; twice: string | null } {
  if (isEmpty(second)) return { fields: first, twice: null };
  const same = (key: string) => JSON.stringify(first[key]) === JSON.stringify(second[key]);
  const twice = Object.keys(second).find((key) => Object.hasOwn(first, key) && !same(key));
  return { fields: { ...first, ...second }, twice: twice ?? null };
}

function isEmpty(fields: Fields): boolean {
  for (const _key in fields) return false;
  return true;
}

/** Of a person who has no phone, the input says so as it was given. Such a row is never accepted later. */
function withNullPhone(value: Fields, input: Fields, keys: JsonKeys): Fields {
  const names = keys.phone === undefined ? ['phone', 'phone_number'] : [keys.phone];
  if (names.some((key) => value[key] != null)) return input;
  const empty = names.filter((key) => value[key] === null);
  return { ...Object.fromEntries(empty.map((key) => [key, null])), ...input };
}

/** Null means absent. */
function withoutNulls(fields: Fields): Fields {
  if (Object.values(fields).every((value) => value != null)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

function keptOf(fields: Fields): Fields {
  return wellFormed(
    Object.fromEntries(Object.entries(fields).filter(([key, value]) => faultOf({ [key]: value }) === null)),
  );
}
