import { CarillonError } from '../base/errors.ts';
import { positionOfFault } from './json-values.ts';

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

const chars = {
  tab: 0x09,
  newline: 0x0a,
  return: 0x0d,
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** The items of one JSON array. A broken array is refused as a whole, naming the item and the line. */
export async function* readJsonArray(
  chunks: AsyncIterable<Uint8Array>,
  file = 'The input',
): AsyncGenerator<unknown> {
  const cutter = createCutter((why, remedy) => brokenList(file, why, remedy));
  for await (const text of decodeAll(chunks, file)) yield* cutter.cut(text);
  cutter.end();
}

type Broken = (why: string, remedy?: string) => CarillonError;

/** The reader's position: before or after the array, before its first item, or in an item. */
type Position = 'before' | 'first' | 'item' | 'after';

/** Cuts an array into its items, a piece of its text at a time: only quotes, brackets and commas count. */
function createCutter(broken: Broken) {
  let line = 1;
  /** The line on which the text of the item begins. */
  let itemLine = 1;
  let item = '';
  let count = 0;
  let depth = 0;
  let quoted = false;
  let escaped = false;
  let position: Position = 'before';

  const followString = (char: number) => {
    if (escaped) escaped = false;
    else if (char === chars.backslash) escaped = true;
    else if (char === chars.quote) quoted = false;
  };

  /** Only an array, and space around it, may be in the file. */
  const followOutside = (char: number) => {
    if (isSpace(char)) return;
    if (position === 'after' || char !== chars.openArray) {
      throw broken(
        `is not a single JSON array: line ${line}`,
        'Write the people between [ and ], or one object a line as NDJSON.',
      );
    }
    position = 'first';
    itemLine = line;
  };

  /** Whether an item, or the array with its last item, ends before this character. */
  const followItem = (char: number): 'item' | 'array' | null => {
    if (char === chars.quote) quoted = true;
    else if (char === chars.openObject || char === chars.openArray) depth++;
    else if (char === chars.closeObject || (char === chars.closeArray && depth > 0)) depth--;
    else if (char === chars.closeArray) return 'array';
    else if (char === chars.comma && depth === 0) return 'item';
    if (depth < 0) throw broken(`contains an item that is not JSON: item ${count + 1}, on line ${line}`);
    return null;
  };

  const take = (): unknown => {
    count++;
    const text = item;
    const begins = itemLine;
    item = '';
    itemLine = line;
    try {
      return JSON.parse(text);
    } catch {
      const at = begins + positionOfFault(text).line - 1;
      throw broken(`contains an item that is not JSON: item ${count}, on line ${at}`);
    }
  };

  return {
    *cut(text: string): Generator<unknown> {
      let from = 0;
      for (let at = 0; at < text.length; at++) {
        const char = text.charCodeAt(at);
        if (char === chars.newline) line++;
        if (quoted) followString(char);
        else if (position === 'before' || position === 'after') {
          followOutside(char);
          from = at + 1;
        } else if (position === 'item' || !isSpace(char)) {
          const ends = followItem(char);
          if (ends !== null) {
            item += text.slice(from, at);
            from = at + 1;
          }
          // An array without items has none to take.
          if (ends === 'item' || (ends === 'array' && (position === 'item' || item.trim()))) yield take();
          position = ends === 'array' ? 'after' : 'item';
        }
      }
      if (position === 'first' || position === 'item') item += text.slice(from);
      if (item.length > longest)
        throw broken(`contains an item that is longer than 1 MB: item ${count + 1}, on line ${itemLine}`);
    },
    end(): void {
      if (position !== 'after') throw broken(`ends before its array is closed: line ${line}`);
    },
  };
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
  return char === chars.space || char === chars.newline || char === chars.return || char === chars.tab;
}

function brokenList(
  file: string,
  why: string,
  remedy = 'Correct it and try again: nothing was stored.',
): CarillonError {
  return new CarillonError('file-broken', `${file} ${why}`, { remedy });
}
