import { maskPhone } from '../../base/log.ts';

/** Answers for tokens that may not see people: the same fields, with null in place of a person. */

/** Fields that are always about a person. */
export const personal: ReadonlySet<string> = new Set([
  'phone',
  'phones',
  'input',
  'variables',
  'variable',
  'override',
  'transcript',
  'recording_url',
  'structured_data',
  'contact_id',
  'metadata',
  'record',
  'body',
  'rejects',
  'exchanges',
]);

/** Fields that are about a person within an answer about one: the service's words may repeat what it was told. */
const ofPerson: ReadonlySet<string> = new Set(['name', 'error', 'detail']);

/** A reason of one word is from our catalogue; a longer one may be the service's words. */
function isHidden(name: string, value: unknown, person: boolean): boolean {
  if (personal.has(name)) return typeof value !== 'number';
  return person && (ofPerson.has(name) || (name === 'reason' && /\s/.test(String(value))));
}

/** The given value stays unchanged. An object with a phone is about a person, and so is everything in it. */
export function hidePeople(value: unknown, inPerson = false): unknown {
  if (typeof value === 'string') return maskPhone(value);
  if (Array.isArray(value)) return value.map((each) => hidePeople(each, inPerson));
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const person = inPerson || 'phone' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      maskPhone(name),
      isHidden(name, part, person) ? null : hidePeople(part, person),
    ]),
  );
}
