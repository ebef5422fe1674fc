import { getCountries, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { type PhoneReading, readPhone } from './phone.ts';

/** Every number that a searched text can mean: a search for one too many does no harm, a call to it would. */
type PhoneReadings = { phones: string[] } | { reason: string };

/** Only this many numbers of one search are read in every country: each costs as much as a hundred others. */
export const mostReadEverywhere = 5;

export function isReadEverywhere(text: string, country?: string): boolean {
  return country === undefined && !/^\s/.test(text) && !readPhone(text).ok;
}

/** Reads a national form in every country if none is given. A `+` that a URL turned into a space counts. */
export function readAnyPhone(text: string, country?: string): PhoneReadings {
  const usual = readPhone(text, country);
  if (usual.ok) return { phones: [usual.phone] };
  const international = readPhone(`+${text.trim()}`);
  const others = isReadEverywhere(text, country) ? getCountries() : [];
  const readings: PhoneReading[] = [international, ...others.map((each) => readPhone(text, each))];
  const phones = new Set(readings.flatMap((each) => (each.ok ? [each.phone] : [])));
  return phones.size > 0 ? { phones: [...phones] } : { reason: usual.reason };
}

/** The digits of a phone in every form in which a list may have it: international, abroad, and national. */
export function writtenDigits(phone: string): string[] {
  const digits = phone.replace(/\D/g, '');
  const national = parsePhoneNumberFromString(phone)?.nationalNumber ?? digits;
  return [...new Set([digits, `00${digits}`, `011${digits}`, national, `0${national}`])];
}
