/**
 * Makes the text of others (names, reasons, a service's words, file names) safe for a terminal. A control character
 * there is an order to the terminal: it could rewrite the lines above, or hide an address. A direction character turns
 * around what follows. Both are shown as what they are, `\u001b`. Newlines and tabs stay.
 */
const orders =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be found
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const spell = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text of several lines. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(orders, spell);
}

/** Text on one line, for a cell of a table: a newline in a name could make it look like a row. */
export function oneLine(text: string): string {
  return printable(text).replace(/[\n\t]+/g, ' ');
}

/** The same for JSON, where this form means the same characters: JSON itself leaves half of them as they are. */
export function printableJson(json: string): string {
  return json.replace(orders, spell);
}

/** The word as a shell reads it back. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
