import { CarillonError } from '../base/errors.ts';
import { placeOfFault } from './json-position.ts';

/**
 * Reads long JSON an item at a time, so that a list of a million people needs the memory of one. By hand, because
 * stream-json has no limit for the length of one item, and its errors do not tell which item is broken.
 */

/** Stands for a line that is not JSON, and keeps its text. */
export class NotJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
/** Stands for a line without text: it is not a row, and counts as a line. */
export const blankLine = Symbol('blank line');

/** A person is a few hundred bytes; a longer item is not a person. */
const longest = 1_048_576;

/** The reader's position: before or after the array, before its first item, or in an item. */
type Place = 'before' | 'first' | 'item' | 'after';

/** The items of one JSON array. A broken array is refused as a whole, naming the item and the line. */
export async function* readJsonArray(
  chunks: AsyncIterable<Uint8Array>,
  file = 'The input',
): AsyncGenerator<unknown> {
  const broken = (why: string, remedy?: string) => brokenList(file, why, remedy);
  let line = 1;
  /** On which line the text of the item begins. */
  let itemLine = 1;
  let item = '';
  let count = 0;
  let depth = 0;
  let quoted = false;
  let escaped = false;
  let place = 'before' as Place;

  const close = () => {
    count++;
    const text = item;
    item = '';
    const begins = itemLine;
    itemLine = line;
    try {
      return JSON.parse(text);
    } catch {
      const at = begins + placeOfFault(text).line - 1;
      throw broken(`contains an item that is not JSON: item ${count}, on line ${at}`);
    }
  };

  for await (const text of decodeAll(chunks, file)) {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text.charCodeAt(at);
      if (char === 0x0a) line++;
      if (quoted) {
        if (escaped) escaped = false;
        else if (char === 0x5c) escaped = true;
        else if (char === 0x22) quoted = false;
        continue;
      }
      if (place === 'before' || place === 'after') {
        if (isSpace(char)) continue;
        if (place === 'after' || char !== 0x5b) {
          throw broken(
            `is not a single JSON array: line ${line}`,
            'Write the people between [ and ], or one object a line as NDJSON.',
          );
        }
        place = 'first';
        from = at + 1;
        itemLine = line;
        continue;
      }
      if (place === 'first' && isSpace(char)) continue;
      if (char === 0x22) quoted = true;
      else if (char === 0x7b || char === 0x5b) depth++;
      else if (char === 0x7d || (char === 0x5d && depth > 0)) depth--;
      else if (char === 0x5d) {
        item += text.slice(from, at);
        if (place === 'item' || item.trim()) yield close();
        place = 'after';
        continue;
      } else if (char === 0x2c && depth === 0) {
        item += text.slice(from, at);
        from = at + 1;
        yield close();
      }
      if (depth < 0) throw broken(`contains an item that is not JSON: item ${count + 1}, on line ${line}`);
      place = 'item';
    }
    if (place === 'first' || place === 'item') item += text.slice(from);
    if (item.length > longest)
      throw broken(`contains an item that is longer than 1 MB: item ${count + 1}, on line ${itemLine}`);
  }
  if (place !== 'after') throw broken(`ends before its array is closed: line ${line}`);
}

/** One JSON value per line. A line that is not JSON is rejected by its number, like one without a phone. */
export async function* readNdjson(
  chunks: AsyncIterable<Uint8Array>,
  file = 'The input',
): AsyncGenerator<unknown> {
  let rest = '';
  let line = 0;
  for await (const text of decodeAll(chunks, file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    if (rest.length > longest) {
      throw brokenList(file, `contains a line that is longer than 1 MB: line ${line + lines.length + 1}`);
    }
    line += lines.length;
    for (const each of lines) yield parseLine(each);
  }
  if (rest.trim()) yield parseLine(rest);
}

async function* decodeAll(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError)
      throw brokenList(file, 'is not UTF-8', 'Save or export it again as UTF-8.');
    throw error;
  }
}

function parseLine(line: string): unknown {
  if (!line.trim()) return blankLine;
  try {
    return JSON.parse(line);
  } catch {
    return new NotJson(line.trim());
  }
}

function isSpace(char: number): boolean {
  return char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
}

function brokenList(
  file: string,
  why: string,
  remedy = 'Correct it and try again: nothing was stored.',
): CarillonError {
  return new CarillonError('file-broken', `${file} ${why}`, { remedy });
}
