/**
 * One line of CSV that any spreadsheet opens without running it: text that begins like a formula is neutralised. By hand,
 * because the `escape_formulas` of csv-stringify would make text of every phone number as well.
 */

const dangerous = /^[\s\u200b-\u200f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
/**
 * The same in the middle of a text: a spreadsheet that takes semicolons, tabs, bars or lines for cells ignores our quotes.
 * The text up to the next of these is a cell of its own. No two parts of the pattern share a character, so that its time
 * grows with the text only.
 */
const inside = /([;\t|\r\n](?:[^\S\t\r\n]|["'\u200b-\u200f])*)([=+\-@\uff1d\uff0b\uff0d\uff20][^;\t|\r\n]*)/g;
/** Numbers are harmless, and a phone must stay a phone for the next program. */
const harmless = /^ *(?:\+[1-9]\d{5,14}|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) *$/i;

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const within = text.replace(inside, (all, before: string, cell: string) =>
    harmless.test(cell) ? all : `${before}'${cell}`,
  );
  const safe = dangerous.test(text) && !harmless.test(text) ? `'${within}` : within;
  // A spreadsheet that guesses wrongly splits cells at semicolons, tabs and bars.
  return /[",;|\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
