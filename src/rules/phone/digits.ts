import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** The digits of a phone in every form in which a list may have it: international, abroad, and national. */
export function writtenDigits(phone: string): string[] {
  const digits = phone.replace(/\D/g, '');
  const national = parsePhoneNumberFromString(phone)?.nationalNumber ?? digits;
  return [...new Set([digits, `00${digits}`, `011${digits}`, national, `0${national}`])];
}
