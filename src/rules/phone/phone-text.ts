/** Reduces what people and spreadsheets write into a phone cell to a `+` and digits, or says why it cannot. */
export type PhoneDigits = { plus: boolean; digits: string; trunk: boolean };

const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|\ufe0f/g;
const dashes = /[\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\u30fc\ufe58\ufe63]/g;
const fullWidth = /[\uff01-\uff5e]/g;
const easternDigits = /[\u0660-\u0669\u06f0-\u06f9]/g;

const exponent = /^[+-]?\d+(?:[.,]\d+)?\s*e\s*[+-]?\d+$/i;
const decimals = /^\+?\d{5,}[.,]0+$/;
/** The form of most cells; these need no further checks. */
const usual = /^\+?[\d ()-]+$/;
const spreadsheetError = /^#[A-Z/0!?]+$|^#+$/i;
const extension = /(?:extension|extn?|anexo|poste|durchwahl|int|доб|x|#|;ext=)[.:=\s]*\d{1,7}#?$/i;
const pauses = /^[^,]{7,},+\s*\d{1,7}#?$/;
/** A cell is read whole; no phone number needs more than this. */
const longest = 250;

export function readDigits(raw: string): PhoneDigits | string {
  if (raw.length > longest) return `${quote(raw)} is too long for a phone number`;
  const text = unwrap(plainText(raw));
  if (!text) return 'has no phone number';
  if (usual.test(text) && !text.includes(' - ') && !text.includes('(0)') && !text.startsWith('-')) {
    const digits = text.replace(/\D/g, '');
    if (digits) return { plus: text.startsWith('+'), digits, trunk: false };
  }
  if (exponent.test(text)) {
    return `${quote(raw)} is a number that a spreadsheet has shortened: format its column as text and export again`;
  }
  if (decimals.test(text)) {
    return `${quote(raw)} is a number that a spreadsheet wrote with decimals: format its column as text and export again`;
  }
  if (spreadsheetError.test(text)) return `${quote(raw)} is a spreadsheet’s error, not a phone number`;
  if (isSeveral(text)) return `${quote(raw)} contains several numbers: keep one`;
  if (/\d.*\D/.test(text) && (extension.test(text) || pauses.test(text))) {
    return `${quote(raw)} has an extension, which cannot be dialled`;
  }
  if (/\p{L}/u.test(text)) return `${quote(raw)} contains letters`;
  const strange = /[^\d+\s()[\]./~-]/u.exec(text);
  if (strange)
    return `${quote(raw)} contains ${JSON.stringify(strange[0])}, which is not part of a phone number`;
  const digits = text.replace(/\D/g, '');
  if (!digits) return `${quote(raw)} contains no digits`;
  const plus = text.indexOf('+');
  if (text.indexOf('+', plus + 1) > 0) return `${quote(raw)} has more than one "+"`;
  if (plus > 0 && /\d/.test(text.slice(0, plus))) return `${quote(raw)} has a "+" after a digit`;
  if (/^-\s*\d/.test(text)) return `${quote(raw)} is a negative number`;
  return { plus: plus >= 0, digits, trunk: /[([]0[)\]]/.test(text) };
}

/** The cell as a reason shows it: on one line and short. */
export function quote(raw: string): string {
  const line = raw
    .replace(invisible, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const letters = [...line];
  return `"${letters.length > 32 ? `${letters.slice(0, 31).join('')}…` : line}"`;
}

/** The same text with plain digits, plain dashes, plain spaces and nothing invisible. */
function plainText(raw: string): string {
  if (/^[\x20-\x7e]*$/.test(raw)) return raw.trim();
  return raw
    .replace(invisible, '')
    .replace(fullWidth, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replace(easternDigits, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(dashes, '-')
    .replace(/[^\S\n\r]/g, ' ')
    .trim();
}

/** `'+1...`, `="+1..."` and `tel:+1...` only say "this is text" or "this is a number"; dropping them loses nothing. */
function unwrap(text: string): string {
  return text
    .replace(/^=\s*"(.*)"$/, '$1')
    .replace(/^(["'])(.*)\1$/, '$2')
    .replace(/^['‘’`]/, '')
    .replace(/^(?:tel|callto):(?:\/\/)?/i, '')
    .trim();
}

function isSeveral(text: string): boolean {
  if (/\d[^+]*\+[^+]*\d/.test(text) && /^\W*\+.*\d.*\+/.test(text)) return true;
  const parts = text.split(/[/;,|&\n\r\t]+|\s(?:or|and|oder|und|ou|y|o|-)\s/i);
  return parts.filter((part) => part.replace(/\D/g, '').length >= 7).length > 1;
}
