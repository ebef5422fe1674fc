import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { quote, readDigits } from './phone-text.ts';

/** Turns a phone cell into E.164, or says in one sentence why it cannot: it never guesses. */
export type PhoneReading = { ok: true; phone: string } | { ok: false; reason: string };

/**
 * Accepts a number whose length is possible under an existing calling code, even when no such line is known to be in
 * use: plans grow, and numbers reserved for tests and fiction must pass.
 */
export function readPhone(raw: string, country?: string): PhoneReading {
  if (isPlain(raw)) return { ok: true, phone: raw };
  const text = readDigits(raw);
  if (typeof text === 'string') return no(text);
  const { plus, digits, trunk } = text;
  if (digits.length > 18) return no(`${quote(raw)} is too long for a phone number`);
  if (plus) return readInternational(raw, digits, trunk);
  if (digits.length < 5) return no(`${quote(raw)} is too short for a phone number`);
  if (country !== undefined && isPlainAmerican(digits, country)) {
    return { ok: true, phone: `+1${digits.slice(-10)}` };
  }
  // Most of the world dials abroad with 00, which starts no national number; 011 does, in many countries.
  const abroad = digits.startsWith('00') ? parse(`+${digits.slice(2)}`) : undefined;
  const foreign = abroad?.isPossible() && abroad.isValid() ? abroad : undefined;
  if (country === undefined || !isSupportedCountry(country)) {
    if (foreign) return within(foreign.number, raw);
    const lost = parse(`+${digits}`)?.isValid() ? `, or add the missing "+"` : '';
    return no(
      `${quote(raw)} is in national form: give the country (--country, or \`country\` in a request)${lost}`,
    );
  }
  return readNational(raw, digits, country, foreign);
}

/** The country as libphonenumber writes it (`US`), or null for an unknown country. */
export function countryOf(text: string): string | null {
  const country = text.trim().toUpperCase();
  return isSupportedCountry(country) ? country : null;
}

function readInternational(raw: string, digits: string, trunk: boolean): PhoneReading {
  if (!trunk && isPlain(`+${digits}`)) return { ok: true, phone: `+${digits}` };
  const number = parse(`+${digits}`);
  if (!number) {
    if (codeOf(digits) === undefined) return no(`${quote(raw)} does not start with an existing country code`);
    return no(`${quote(raw)} is too ${digits.length < 8 ? 'short' : 'long'} for a phone number`);
  }
  if (!number.isPossible()) return no(`${quote(raw)} ${lengthFault(number)}`);
  if (!keepsDigits(number, digits))
    return no(`${quote(raw)} is not a number of +${number.countryCallingCode}`);
  // A "(0)" is dropped if it is dialled only inside the country. If it stays, the number must be valid.
  if (trunk && number.nationalNumber.startsWith('0') && !number.isValid()) {
    return no(
      `${quote(raw)} has a "(0)" that ${number.country ?? `+${number.countryCallingCode}`} does not use`,
    );
  }
  return within(number.number, raw);
}

function readNational(
  raw: string,
  digits: string,
  country: CountryCode,
  foreign: PhoneNumber | undefined,
): PhoneReading {
  const number = parse(digits, country);
  if (!number?.isPossible()) {
    if (foreign) return within(foreign.number, raw);
    const lost = parse(`+${digits}`)?.isValid()
      ? `; with a "+" in front it would be a number of another country`
      : '';
    const fault = number ? lengthFault(number) : digits.length < 7 ? 'is too short' : 'is not a number';
    return no(`${quote(raw)} ${fault} for ${country}${lost}`);
  }
  if (foreign && foreign.number !== number.number) return no(ambiguous(raw, number, foreign));
  if (mayBeAbroad(digits) && !number.isValid()) {
    const other = parse(`+${digits}`);
    if (other?.isValid() && other.number !== number.number) return no(ambiguous(raw, number, other));
  }
  // No area code of the North American plan starts with 0 or 1.
  if (number.countryCallingCode === '1' && !/^[2-9]/.test(number.nationalNumber)) {
    return no(`${quote(raw)} is not a number of ${country}`);
  }
  // A zero that remains would be dropped as the national prefix when the number is read again.
  if (number.nationalNumber.startsWith('0') && parse(number.number)?.number !== number.number) {
    return no(`${quote(raw)} is not a number of ${country}`);
  }
  if (!keepsDigits(number, digits)) return no(`${quote(raw)} is not a number of ${country}`);
  // A number this short is a national service, perhaps an emergency number.
  if (number.nationalNumber.length < 5) return no(`${quote(raw)} is too short for ${country}`);
  return within(number.number, raw);
}

/**
 * Besides the prefixes of a trunk and of its country, a plan may drop a carrier's code or a way abroad of its own, and
 * add an area code: that is believed only where the number is known to be in use.
 */
function keepsDigits(number: PhoneNumber, digits: string): boolean {
  if (number.isValid()) return true;
  const { nationalNumber, countryCallingCode: code } = number;
  const front = digits.slice(0, -nationalNumber.length);
  return digits.endsWith(nationalNumber) && new RegExp(`^(?:00|011)?(?:${code})?(?:0|1|8|06)?$`).test(front);
}

function ambiguous(raw: string, one: PhoneNumber, other: PhoneNumber): string {
  return `${quote(raw)} can mean ${one.number} or ${other.number}: write it with its "+"`;
}

/** E.164 allows 15 digits; those under 7 are only service and emergency numbers. */
function within(phone: string, raw: string): PhoneReading {
  if (phone.length > 16) return no(`${quote(raw)} is too long for a phone number`);
  if (phone.length < 8) return no(`${quote(raw)} is too short for a phone number`);
  return { ok: true, phone };
}

function no(reason: string): PhoneReading {
  return { ok: false, reason };
}

function parse(text: string, country?: CountryCode): PhoneNumber | undefined {
  return parsePhoneNumberFromString(
    text,
    country ? { defaultCountry: country, extract: false } : { extract: false },
  );
}

function lengthFault(number: PhoneNumber): string {
  const plan = planOf(number.countryCallingCode);
  const length = number.nationalNumber.length;
  if (plan && length < plan.shortest) return 'is too short';
  if (plan && length > plan.longest) return 'is too long';
  return 'has the wrong number of digits';
}

/** `lengths`: those that every country of the code allows; `shortest` and `longest`: over all its countries. */
type Plan = { lengths: boolean[]; shortest: number; longest: number; prefix: RegExp | null };
type Numbering = { possibleLengths(): number[]; nationalPrefixForParsing(): string | undefined };

let plans: Map<string, Plan> | undefined;

function planOf(code: string): Plan | undefined {
  plans ??= readPlans();
  return plans.get(code);
}

/** The calling code of an E.164 number. */
export function callingCode(phone: string): string | null {
  return codeOf(phone.slice(1)) ?? null;
}

function codeOf(digits: string): string | undefined {
  for (let length = 1; length <= 3; length++) {
    const code = digits.slice(0, length);
    if (planOf(code)) return code;
  }
  // Codes without a country (+800, +883, ...) are not in the plans; the library knows them.
  return parse(`+${digits.slice(0, 3)}000000000`)?.countryCallingCode;
}

/**
 * True when the text is already E.164 and the library would return it unchanged: most rows of most files, and sixty
 * times as fast. Correct because it checks the two things that the library checks: no national prefix that would be
 * stripped, and a length that every country of the calling code allows. The library reads all other texts.
 */
function isPlain(raw: string): boolean {
  const length = raw.length;
  if (length < 8 || length > 16 || raw.charCodeAt(0) !== 43) return false;
  for (let at = 1; at < length; at++) {
    const digit = raw.charCodeAt(at);
    if (digit < 48 || digit > 57) return false;
  }
  plans ??= readPlans();
  for (let size = 1; size <= 3; size++) {
    const plan = plans.get(raw.slice(1, 1 + size));
    if (plan) return plan.lengths[length - 1 - size] === true && !plan.prefix?.test(raw.slice(1 + size));
  }
  return false;
}

/**
 * True for ten digits, or eleven with the 1, in the national form of the North American plan, when they cannot be
 * another country's number without its "+". The library would return the same number.
 */
function isPlainAmerican(digits: string, country: string): boolean {
  if (!isSupportedCountry(country) || getCountryCallingCode(country) !== '1') return false;
  if (/^1[2-9]\d{9}$/.test(digits)) return true;
  return /^[2-9]\d{9}$/.test(digits) && !mayBeAbroad(digits);
}

/** Whether the digits could be another country's number without its "+"; false only when they certainly are not. */
function mayBeAbroad(digits: string): boolean {
  if (digits.startsWith('0')) return false;
  for (let size = 1; size <= 3; size++) {
    const plan = planOf(digits.slice(0, size));
    if (!plan) continue;
    const length = digits.length - size;
    return (
      (length >= plan.shortest && length <= plan.longest) || plan.prefix?.test(digits.slice(size)) === true
    );
  }
  return true;
}

function readPlans(): Map<string, Plan> {
  const made = new Map<string, Plan>();
  for (const country of getCountries()) {
    const metadata = new Metadata();
    metadata.selectNumberingPlan(country);
    const possible = (metadata.numberingPlan as unknown as Numbering).possibleLengths();
    const code = getCountryCallingCode(country);
    const plan = made.get(code);
    if (plan) {
      for (const length of plan.lengths.keys()) plan.lengths[length] &&= possible.includes(length);
      plan.shortest = Math.min(plan.shortest, ...possible);
      plan.longest = Math.max(plan.longest, ...possible);
      continue;
    }
    const lengths = Array.from({ length: 18 }, (_, length) => possible.includes(length));
    made.set(code, {
      lengths,
      shortest: Math.min(...possible),
      longest: Math.max(...possible),
      prefix: prefixOf(code),
    });
  }
  return made;
}

/** The prefix that a calling code's main plan may strip; the library checks only that plan. */
function prefixOf(code: string): RegExp | null {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(code as CountryCode);
  const prefix = (metadata.numberingPlan as unknown as Numbering).nationalPrefixForParsing();
  return prefix ? new RegExp(`^(?:${prefix})`) : null;
}
