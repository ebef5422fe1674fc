/** Reduces what people and spreadsheets write into a phone cell to a `+` and digits, or says why it cannot. */
type PhoneDigits = { plus: boolean; digits: string; trunk: boolean };

const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|\ufe0f/g;
const dashes = /[\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\u30fc\ufe58\ufe63]/g;
const fullWidth = /[\uff01-\uff5e]/g;
const easternDigits = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** A cell is read whole; no phone number needs more than this. */
const longest = 250;

/** Digits in groups, with one separator between two: the grammar of docs/guides/csv.md, once brackets became spaces. */
const groups = /^\+? ?\d+(?:(?: ?[-./] ?| )\d+)*$/;
const brackets = /\((\+? ?\d[\d ]*)\)|\[(\+? ?\d[\d ]*)\]/g;
const trunk = /[([] *0 *[)\]]/;

/** The form of most cells. Of 9 to 13 digits, it is neither a date nor two numbers. */
const usual = /^\+?(?:\d+[ -])*(?:\(\d+\)[ -]?)?(?:\d+[ -])*\d+$/;

const day = '(?:0?[1-9]|[12]\\d|3[01])';
const year = '(?:19|20)\\d\\d';
const date = new RegExp(
  `^(?:${year}([-./])${day}\\1${day}(?:[t ][\\d:.]+z?)?|${day}([-./])${day}\\2${year})$`,
  'i',
);
const extension = /(?:extension|extn?|anexo|poste|durchwahl|int|доб|x|#|;ext=)[.:=\s]*\d{1,7}#?$/i;
const pauses = /^[^,]{7,},+\s*\d{1,7}#?$/;

const asText = 'format its column as text and export again';
/** What is not a phone, by its name; the first that fits is told. Some of it the grammar would take for one. */
const others: readonly (readonly [RegExp | ((text: string) => boolean), string])[] = [
  [/^#[A-Z/0!?]+$|^#+$/i, 'is a spreadsheet’s error, not a phone number'],
  [/^=/, 'is a formula, not a phone number'],
  [/^[+-]? ?[\d ]+(?:[.,]\d+)? ?e ?[+-]? ?\d+$/i, `is a number that a spreadsheet has shortened: ${asText}`],
  [/\p{Sc}/u, 'is an amount of money'],
  [/[%‰]/, 'is a percentage'],
  [date, 'is a date'],
  // One dot among bare digits, or one with a single digit behind it, is a decimal point to every spreadsheet.
  [/^\+?[\d ]*\.[\d ]*$|\d\.\d$/, `is a decimal number: ${asText}`],
  [isSeveral, 'contains several numbers: keep one'],
  [/^\+?[\d ]*,[\d ]*$/, `is a decimal number: ${asText}`],
  [
    (text) => /\d.*\D/.test(text) && (extension.test(text) || pauses.test(text)),
    'has an extension, which cannot be dialled',
  ],
  [/\p{L}/u, 'contains letters'],
  [/^\+?-.*\d|\d *-$|^\([^()]*\)$/, 'is a negative number'],
];

export function readDigits(raw: string): PhoneDigits | string {
  if (raw.length > longest) return `${quote(raw)} is too long for a phone number`;
  const text = unwrap(plainText(raw));
  if (!text) return 'has no phone number';
  const all = text.replace(/\D/g, '');
  if (all.length > 8 && all.length < 14 && usual.test(text) && !text.includes('(0)'))
    return { plus: text.startsWith('+'), digits: all, trunk: false };
  const other = others.find(([form]) => (typeof form === 'function' ? form(text) : form.test(text)));
  if (other) return `${quote(raw)} ${other[1]}`;
  const open = text.replace(brackets, ' $1$2 ').replace(/ +/g, ' ').trim();
  if (!groups.test(open) || !/\d$/.test(text)) return `${quote(raw)} ${faultIn(text)}`;
  return { plus: open.startsWith('+'), digits: all, trunk: trunk.test(text) };
}

/** Why a text that is nothing else is not digits in groups. */
function faultIn(text: string): string {
  const strange = /[^\d+ ()[\]./-]/u.exec(text);
  if (strange) return `contains ${JSON.stringify(strange[0])}, which is not part of a phone number`;
  if (!/\d/.test(text)) return 'contains no digits';
  const plus = text.indexOf('+');
  if (text.indexOf('+', plus + 1) > 0) return 'has more than one "+"';
  if (plus > 0 && /\d/.test(text.slice(0, plus))) return 'has a "+" after a digit';
  if (/[()[\]]/.test(text.replace(brackets, ''))) return 'has a bracket that is not around a group of digits';
  return 'is not digits in groups, with one space, dash, dot or slash between two';
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

/** Two that are as long as a number: groups, or what stands between spaces and the like. */
function isSeveral(text: string): boolean {
  if (/\d[^+]*\+[^+]*\d/.test(text) && /^\W*\+.*\d.*\+/.test(text)) return true;
  return [/[/;,|&\n\r\t]+|\s(?:or|and|oder|und|ou|y|o|-)\s/i, /\s+/, /\D+/].some(
    (between) => text.split(between).filter((part) => part.replace(/\D/g, '').length >= 7).length > 1,
  );
}
