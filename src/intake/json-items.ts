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

const spaces = ' \n\r\t';

/**
 * The items of one JSON array, as its quotes, brackets and commas cut it. A broken array is refused as a whole, naming the
 * item and the line.
 */
export async function* readJsonArray(
  chunks: AsyncIterable<Uint8Array>,
  file = 'The input',
): AsyncGenerator<unknown> {
  let line = 1;
  /** The line on which the text of the item begins. */
  let itemLine = 1;
  let item = '';
  let count = 0;
  /** The brackets that are open: 1 between the items, 0 outside of the array. */
  let depth = 0;
  let quoted = false;
  let escaped = false;
  let isOver = false;

  const broken = (at: number) =>
    brokenList(file, `contains an item that is not JSON: item ${count + 1}, on line ${at}`);
  const take = (): unknown => {
    try {
      const value: unknown = JSON.parse(item);
      count++;
      item = '';
      itemLine = line;
      return value;
    } catch {
      throw broken(itemLine + positionOfFault(item).line - 1);
    }
  };

  for await (const text of decodeAll(chunks, file)) {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text[at]!;
      if (char === '\n') line++;
      if (escaped) escaped = false;
      else if (quoted) {
        if (char === '"') quoted = false;
        else if (char === '\\') escaped = true;
      } else if (depth === 0) {
        if (spaces.includes(char)) continue;
        if (isOver || char !== '[')
          throw brokenList(
            file,
            `is not a single JSON array: line ${line}`,
            'Write the people between [ and ], or one object a line as NDJSON.',
          );
        depth = 1;
        from = at + 1;
        itemLine = line;
      } else if (char === '"') quoted = true;
      else if (char === '{' || char === '[') depth++;
      else if (depth > 1 && (char === '}' || char === ']')) depth--;
      else if (char === '}') throw broken(line);
      else if (depth === 1 && (char === ',' || char === ']')) {
        item += text.slice(from, at);
        from = at + 1;
        isOver = char === ']';
        // An array without items has none to take.
        if (!isOver || count > 0 || item.trim() !== '') yield take();
        if (isOver) depth = 0;
      }
    }
    if (depth > 0) item += text.slice(from);
    if (item.length > longest)
      throw brokenList(
        file,
        `contains an item that is longer than 1 MB: item ${count + 1}, on line ${itemLine}`,
      );
  }
  if (!isOver) throw brokenList(file, `ends before its array is closed: line ${line}`);
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

function brokenList(
  file: string,
  why: string,
  remedy = 'Correct it and try again: nothing was stored.',
): CarillonError {
  return new CarillonError('file-broken', `${file} ${why}`, { remedy });
}
