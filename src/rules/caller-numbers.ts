import { callingCode, readPhone } from './phone/phone.ts';
import { statesOf } from './phone/states.ts';

/** What a service's list says of a caller number, in the form by which orders name it and calls are made from near it. */
type ListedNumber = { id: string; phone: string; record: Readonly<Record<string, unknown>> };
export type KnownNumber = {
  /** E.164, or the service's id for a number that has no phone. */
  name: string;
  numberId: string | null;
  /** `label:sales`, in lower case. */
  words: string[];
  states: string[];
  /** The calling code. */
  code: string | null;
};

const mostWords = 100;
const longestWord = 300;

export function knownNumber({ id, phone, record }: ListedNumber): KnownNumber {
  const digits = phone.replace(/\D/g, '');
  const reading = readPhone(`+${digits}`);
  const name = reading.ok ? reading.phone : id;
  return { name, numberId: id || null, words: wordsOf(record), ...placeOfNumber(name) };
}

/** A number that an order names, and no list has told. */
export function namedNumber(phone: string): KnownNumber {
  return { name: phone, numberId: null, words: [], ...placeOfNumber(phone) };
}

/** A list has each of its values, an object the names of what is true in it: `capabilities:voice`. */
export function wordsOf(record: Readonly<Record<string, unknown>>): string[] {
  const words = Object.entries(record).flatMap(([field, value]) =>
    valuesOf(value).map((each) => `${field}:${each}`.trim().toLowerCase()),
  );
  return words.filter((word) => word.length <= longestWord).slice(0, mostWords);
}

function valuesOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return [String(value)];
  if (Array.isArray(value)) return value.filter((each) => typeof each !== 'object').map(String);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, is]) => (is === true ? [name] : []));
}

function placeOfNumber(name: string): Pick<KnownNumber, 'states' | 'code'> {
  if (!name.startsWith('+')) return { states: [], code: null };
  // A number that belongs to no area is near nobody.
  const states = statesOf(name).filter((state) => state.includes('-'));
  return { states, code: callingCode(name) };
}
