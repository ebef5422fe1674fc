import { CarillonError } from '../base/errors.ts';

/**
 * Cuts CSV text into records, chunk by chunk: quotes, newlines of every kind, and the line each record begins on.
 * Written by hand because csv-parse, with which the tests compare it, loses every row behind a cell such as `"x"y`, and
 * takes a quote inside an unquoted cell for an error; here a faulty record is refused with its line, and the next one
 * is read.
 */
export type CsvRecord = {
  /** The line of the file on which the record begins; the first is 1. */
  line: number;
  cells: string[];
  /** Why this record cannot be used; the others still can. */
  fault: string | null;
  /** The characters from the end of the last record to the end of this one, including blank lines. */
  length: number;
};

export const longestCell = 1_000_000;
export const longestRecord = 8_000_000;
const LF = 10;
const CR = 13;
const QUOTE = 34;
const SPACE = 32;
const TAB = 9;

/** Where the open cell of an incomplete record begins, and the line of the quote that opened it. */
type Open = { cell: number; quote: boolean; line: number };
type Made = { cells: string[]; fault: string | null; lines: number; end: number };

export function createRecordReader(delimiter: string, file: string, firstLine = 1) {
  const comma = delimiter.charCodeAt(0);
  let rest = '';
  let fresh = '';
  let blank = 0;
  let line = firstLine;

  return {
    /** The records completed by this chunk. With `last`, the last one may end without a newline. */
    read(chunk: string, last: boolean): CsvRecord[] {
      fresh += chunk;
      // An incomplete record is read again from its start, but only when enough text has arrived: with every chunk, the
      // work would grow with the square of the record's length.
      if (!last && fresh.length * 4 < rest.length) return [];
      const text = rest + fresh;
      fresh = '';
      const records: CsvRecord[] = [];
      const add = (cells: string[], fault: string | null, from: number, end: number) => {
        if (end - from > longestRecord) throw giantRow(line);
        records.push({ line, cells, fault, length: end - from + blank });
        blank = 0;
      };
      let at = 0;
      let lf = -1;
      let cr = -1;
      let quote = -1;
      while (at < text.length) {
        if (lf < at) lf = find(text, '\n', at);
        if (cr < at) cr = find(text, '\r', at);
        if (quote < at) quote = find(text, '"', at);
        const end = Math.min(lf, cr);
        if (quote < end) {
          const made = readQuoted(text, at, last);
          if ('quote' in made) {
            refuse(text, at, made, last);
            break;
          }
          add(made.cells, made.fault, at, made.end);
          at = made.end;
          line += made.lines;
          continue;
        }
        // A CR that ends the chunk may be half of a CRLF.
        if (end === Infinity || (cr === end && end === text.length - 1)) {
          if (!last) {
            refuse(text, at, { cell: text.lastIndexOf(delimiter), quote: false, line }, last);
            break;
          }
        }
        const stop = end === Infinity ? text.length : end;
        const next = end === Infinity ? stop : stop + (cr === end && lf === end + 1 ? 2 : 1);
        if (stop > at) add(text.slice(at, stop).split(delimiter), null, at, next);
        else blank += next - at;
        at = next;
        line++;
      }
      rest = text.slice(at);
      for (const record of records) {
        if (record.cells.some((cell) => cell.length > longestCell)) throw giant(record.line);
      }
      return records;
    },
  };

  /** The slow path, cell by cell, for a record with a quote on its first line. */
  function readQuoted(text: string, start: number, last: boolean): Open | Made {
    const cells: string[] = [];
    let fault: string | null = null;
    let lines = 1;
    let at = start;
    for (;;) {
      const first = skipBlanks(text, at);
      let stop: number;
      if (text.charCodeAt(first) === QUOTE && (first === at || isWhole(text, at, first))) {
        const close = closing(text, first + 1);
        // A quote at the end of the chunk may be the first of a pair.
        if (close < 0 || (close === text.length - 1 && !last)) {
          return { cell: first, quote: true, line: line + lines - 1 };
        }
        let value = text.slice(first + 1, close);
        const inside = countLines(value);
        if (value.includes('"')) value = value.replaceAll('""', '"');
        const after = skipBlanks(text, close + 1);
        stop = endOfCell(text, after);
        if (stop > after) {
          if (inside > 0) throw unclosed(line + lines - 1);
          fault ??= `cell ${cells.length + 1} has text after its closing quote: double the quotes inside a quoted cell`;
          value += text.slice(close + 1, stop);
        }
        lines += inside;
        cells.push(value);
      } else {
        stop = endOfCell(text, at);
        cells.push(text.slice(at, stop));
      }
      if (stop >= text.length) {
        if (!last) return { cell: at, quote: false, line };
        return { cells, fault, lines, end: stop };
      }
      const code = text.charCodeAt(stop);
      if (code === comma) {
        at = stop + 1;
        continue;
      }
      if (code === CR && stop === text.length - 1 && !last) {
        return { cell: at, quote: false, line };
      }
      const pair = code === CR && text.charCodeAt(stop + 1) === LF;
      return { cells, fault, lines, end: stop + (pair ? 2 : 1) };
    }
  }

  /** The quote that closes a cell opened before `from`; a doubled quote means one inside the cell. */
  function closing(text: string, from: number): number {
    for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
      if (text.charCodeAt(at + 1) !== QUOTE) return at;
    }
    return -1;
  }

  /** Blanks before a quote belong to it only if the quoted cell then ends properly on the same line. */
  function isWhole(text: string, at: number, first: number): boolean {
    const close = closing(text, first + 1);
    if (close < 0 || countLines(text.slice(at, close)) > 0) return false;
    const after = skipBlanks(text, close + 1);
    return endOfCell(text, after) === after;
  }

  function skipBlanks(text: string, from: number): number {
    let at = from;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if ((code !== SPACE && code !== TAB) || code === comma) break;
      at++;
    }
    return at;
  }

  function endOfCell(text: string, from: number): number {
    let at = from;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (code === comma || code === LF || code === CR) break;
      at++;
    }
    return at;
  }

  /**
   * Throws if a record cannot become complete: an open quote at the end of the file, or a cell longer than real ones.
   */
  function refuse(text: string, at: number, open: Open, last: boolean) {
    if (open.quote && last) throw unclosed(open.line);
    if (text.length - Math.max(at, open.cell) > longestCell) {
      throw open.quote ? unclosed(open.line) : giant(open.line);
    }
    if (text.length - at > longestRecord) throw giantRow(open.line);
  }

  function unclosed(opened: number): CarillonError {
    return new CarillonError(
      'file-broken',
      `${file} has a quote that opens on line ${opened} and is never closed`,
    );
  }

  function giantRow(where: number): CarillonError {
    return new CarillonError(
      'file-broken',
      `${file} has a row of more than 8 million characters on line ${where}, so it is probably not a table`,
    );
  }

  function giant(where: number): CarillonError {
    return new CarillonError(
      'file-broken',
      `${file} has a cell of more than a million characters on line ${where}, so it is probably not a table`,
    );
  }
}

/** Like indexOf, but Infinity if not found. */
function find(text: string, letter: string, from: number): number {
  const at = text.indexOf(letter, from);
  return at < 0 ? Infinity : at;
}

/** Newlines of every kind; CRLF is one. */
export function countLines(value: string): number {
  let count = 0;
  for (let at = value.indexOf('\n'); at >= 0; at = value.indexOf('\n', at + 1)) count++;
  for (let at = value.indexOf('\r'); at >= 0; at = value.indexOf('\r', at + 1)) {
    if (value.charCodeAt(at + 1) !== LF) count++;
  }
  return count;
}

/** Rows without text are ignored everywhere. */
export function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') return false;
  return true;
}
