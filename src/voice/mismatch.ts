import type { Caller } from './call.ts';
import { digitsOf } from './values.ts';

/** Tells whether an answer is about the call and the person that were asked for: another one settles nothing. */
export type Asked = {
  /** Null for a create, whose call has no id before its answer. */
  callId: string | null;
  /** E.164; empty if none is known. */
  phone: string;
  /** The number that it is called from: some services report it as the call's phone. */
  caller?: Caller | null | undefined;
};

type Told = { id: string; phone?: string | null | undefined };

/** Fewer digits do not tell one phone from another. */
const leastDigits = 7;
const mostDigits = 15;
/** A digit more or less in one spelling of a number than in another, and its replacement in E.164. */
const spellings: readonly (readonly [RegExp, string])[] = [
  // Inserted after the country's code: +44 020 ..., and the mobile numbers of Mexico and Argentina.
  [/^(\d)0(?=\d{7})/, '$1'],
  [/^(\d{2})0(?=\d{7})/, '$1'],
  [/^(\d{3})0(?=\d{7})/, '$1'],
  [/^521(?=\d{10}$)/, '52'],
  [/^52(?=\d{10}$)/, '521'],
  [/^549(?=\d{10}$)/, '54'],
  [/^54(?=\d{10}$)/, '549'],
  // Used instead of the country's code: Russia and Kazakhstan, Belarus, Hungary.
  [/^8(?=\d{10}$)/, '7'],
  [/^80(?=\d{9}$)/, '375'],
  [/^06(?=\d{8,9}$)/, '36'],
];
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The fault of the answer, in words that hold nobody's whole number; null when there is none. */
export function findMismatch(asked: Asked, told: Told): string | null {
  if (asked.callId !== null && !isSameId(asked.callId, told.id)) {
    return `the service answered with the record of another call, ${told.id}`;
  }
  const own = asked.caller && 'number' in asked.caller ? asked.caller.number : null;
  if (isSamePhone(asked.phone, told.phone)) return null;
  if (own !== null && isSamePhone(own, told.phone)) return null;
  const ending = digitsOf(told.phone!).slice(-4);
  const of = asked.callId === null ? `, ${told.id}` : '';
  return `the service answered with a call to another phone, which ends in ${ending}${of}`;
}

/** A UUID is the same in either case. */
function isSameId(asked: string, told: string): boolean {
  return told === asked || (uuid.test(asked) && told.toLowerCase() === asked.toLowerCase());
}

/** Whether a phone that a service reports is surely the one that was asked for: an unreadable one proves nothing. */
export function isSurelyPhone(asked: string, told: string | null): boolean {
  return digitsOf(told ?? '').length >= leastDigits && isSamePhone(asked, told);
}

/** Country codes of one and two digits; all others have three. */
const countryCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;
const between = '[\\s().\\-/\\p{Pd}]{0,3}';

/** Whether a text surely names this phone: as it is dialled from anywhere, from abroad, or inside its country. */
export function namesPhone(text: string, phone: string): boolean {
  const digits = digitsOf(phone);
  if (digits.length < leastDigits) return false;
  const inside = digits.replace(countryCode, '');
  const joined = (of: string) => [...of].join(between);
  const forms = [`(?:00|011)?${between}${joined(digits)}`];
  // Digits before a number inside its country may be another country's code.
  if (inside.length >= leastDigits) forms.push(`(?<!\\d${between})0?${between}${joined(inside)}`);
  return new RegExp(`(?<!\\d)(?:${forms.join('|')})(?!\\d)`, 'u').test(text.replaceAll('(0)', ''));
}

/** A phone that is missing or cannot be read (hidden digits, a SIP address) does not count as another one. */
function isSamePhone(asked: string, told: string | null | undefined): boolean {
  const plain = (told ?? '').trim().replace(/^tel:/i, '').replaceAll('(0)', '');
  if (asked === '' || !/^[+\d][\d\s().\-/]*$/.test(plain.replace(/^\(/, ''))) return true;
  const ours = digitsOf(asked);
  const digits = digitsOf(plain);
  // The number is also tried without the digits by which it is dialled inside its country, or from it.
  const forms = [digits, digits.replace(/^0+/, ''), digits.replace(/^0?011/, '')];
  const known = forms.filter((form) => form.length >= leastDigits && form.length <= mostDigits);
  if (known.length === 0 || known.some((form) => ours.endsWith(form))) return true;
  return spellings.some(([written, meant]) => digits.replace(written, meant) === ours);
}
