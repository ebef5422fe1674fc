/**
 * Cells that a spreadsheet would run get an apostrophe in front; it comes off when the file is read again. The
 * `escape_formulas` of csv-stringify is not used, because it would also turn every phone number into text.
 */

const dangerous = /^[\s\u200b-\u200f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
/**
 * The same in the middle of a text: a spreadsheet that splits cells at semicolons, tabs, bars or lines ignores our
 * quotes, and what follows becomes a cell of its own. No two parts of the pattern share a character, so that its time
 * grows only with the text.
 */
const inside = /([;\t|\r\n](?:[^\S\t\r\n]|["'\u200b-\u200f])*)([=+\-@\uff1d\uff0b\uff0d\uff20][^;\t|\r\n]*)/g;
/** Numbers are harmless, and a phone must stay a phone for the next program. */
const harmless = /^ *(?:\+[1-9]\d{5,14}|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) *$/i;
/**
 * A phone as people type it, or one that is too short, is harmless in a file that they correct: arithmetic at worst.
 */
const typed = /^ *\+[\d ().\-/]* *$/;

export function neutralise(text: string): string {
  return mark(text, (cell) => harmless.test(cell));
}

/** Like neutralise, but no two texts become the same: an apostrophe that was there before gets one of ours too. */
export function guard(text: string): string {
  return isMarked(text) ? `'${mark(text, isPlain)}` : mark(text, isPlain);
}

/** The text that `guard` was given. */
export function unguard(text: string): string {
  const plain = text.replace(inside, (all, before: string, cell: string) =>
    before.endsWith("'") && !isPlain(cell) ? `${before.slice(0, -1)}${cell}` : all,
  );
  return isMarked(plain) ? plain.slice(1) : plain;
}

const isPlain = (cell: string) => harmless.test(cell) || typed.test(cell);

function mark(text: string, isHarmless: (cell: string) => boolean): string {
  const within = text.replace(inside, (all, before: string, cell: string) =>
    isHarmless(cell) ? all : `${before}'${cell}`,
  );
  return dangerous.test(text) && !isHarmless(text) ? `'${within}` : within;
}

function isMarked(text: string): boolean {
  return text.startsWith("'") && dangerous.test(text.replace(/^'+/, ''));
}
