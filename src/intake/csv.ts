import type { FileHandle } from 'node:fs/promises';
import { CarillonError } from '../base/errors.ts';
import { type ColumnMap, hasPhone } from './columns.ts';
import { decodeText, detectEncoding } from './encoding.ts';
import { type CsvRecord, countLines, createRecordReader, isBlank, longestCell } from './records.ts';
import { type CsvSource, openSource } from './source.ts';
import { type Intake, noSheet, openTable, type Records, type TableOptions } from './table.ts';

/** Opens a CSV: its encoding, its delimiter, and its records, in one pass and constant memory. */

/** Enough text to find the delimiter and the header. */
const sampleLength = 64 * 1024;

export async function openCsv(source: CsvSource, options: TableOptions = {}): Promise<Intake> {
  const { handle, file } = await openSource(source);
  return openTable({ handle, file }, options, () => readCsv(handle, file, options));
}

async function readCsv(handle: FileHandle, file: string, options: TableOptions): Promise<Records> {
  const spelling = await detectEncoding(handle, file);
  if (options.sheet !== undefined) throw noSheet(file, options.sheet);
  let bytesRead = 0;
  const text = decodeText(handle, spelling, file, (bytes) => {
    bytesRead = bytes;
  });
  const head = await readHead(text, file);
  // The last line of a small file counts even without a newline. A line cut off by the sample does not.
  const cut = !head.whole || head.text.length > sampleLength;
  const sample = cut ? head.text.slice(0, sampleLength) : `${head.text}\n`;
  const { delimiter, sepLine } = detectDelimiter(sample, options.map ?? {});
  const reader = createRecordReader(delimiter, file, head.line);
  const withoutSep = (records: CsvRecord[]) =>
    sepLine === null ? records : records.filter(({ line }) => line !== head.line + sepLine);
  let whole = head.whole;
  let early = withoutSep(reader.read(head.text, whole));
  while (early.every(({ cells }) => isBlank(cells)) && !whole) {
    const next = await text.next();
    whole = next.done === true;
    early = withoutSep(reader.read(next.done ? '' : next.value, whole));
  }
  const first = early.findIndex(({ cells }) => !isBlank(cells));
  const header = early[first];
  const below = (readSample(sample, delimiter, head.line) ?? []).filter(
    ({ line }) => header !== undefined && line > header.line,
  );

  return {
    encoding: spelling.encoding,
    delimiter,
    sheets: null,
    header,
    below,
    rows: rows(),
    hints: [],
    bytesRead: () => bytesRead,
    close: async () => undefined,
  };

  async function* rows(): AsyncGenerator<CsvRecord[]> {
    yield early.slice(first + 1);
    while (!whole) {
      const next = await text.next();
      whole = next.done === true;
      yield reader.read(next.done ? '' : next.value, whole);
    }
  }
}

/** A sample from the first text on, or the whole of a small file. Blank lines before it are only counted. */
async function readHead(
  text: AsyncGenerator<string>,
  file: string,
): Promise<{ text: string; line: number; whole: boolean }> {
  let head = '';
  let line = 1;
  for (;;) {
    const { value, done } = await text.next();
    if (done) return { text: head, line, whole: true };
    head += value;
    const start = head.search(/\S/);
    // Half a CRLF and a line that begins with spaces stay.
    const blank = Math.max(0, head.slice(0, start < 0 ? -1 : start).lastIndexOf('\n') + 1);
    line += countLines(head.slice(0, blank));
    head = head.slice(blank);
    if (start < 0 && head.length > longestCell)
      throw new CarillonError('file-broken', `${file} starts with a million spaces`);
    if (head.length >= sampleLength && start >= 0) return { text: head, line, whole: false };
  }
}

/** Finds from a file's first lines which character separates its cells. */
export type Dialect = {
  delimiter: string;
  /** The index of a line that only names the delimiter (`sep=;`), counted from 0, if there is one. */
  sepLine: number | null;
};

const candidates = [',', ';', '\t', '|'];
const enough = 200;

/**
 * The header decides: first a delimiter that gives a phone column, then the one with which most rows have as many cells
 * as the header, then the one with more columns. A file of one column has no delimiter, so any will do.
 */
export function detectDelimiter(sample: string, map: ColumnMap): Dialect {
  const named = /^\s*"?sep=([^"\w\r\n])"?[ \t]*(?:\r\n|\r|\n|$)/i.exec(sample);
  if (named) return { delimiter: named[1]!, sepLine: countLines(named[0].slice(0, named[0].search(/\S/))) };
  let best: { delimiter: string; score: readonly number[] } | undefined;
  for (const delimiter of candidates) {
    const records = readSample(sample, delimiter);
    const header = records?.[0]?.cells;
    if (!records || !header || header.length < 2) continue;
    const rows = records.slice(1, enough);
    const alike = rows.filter((row) => !row.fault && row.cells.length === header.length).length;
    const agreed = rows.length === 0 ? 1 : alike / rows.length;
    const score = [hasPhone(header, map) ? 1 : 0, agreed, header.length];
    if (!best || isMore(score, best.score)) best = { delimiter, score };
  }
  return { delimiter: best?.delimiter ?? ',', sepLine: null };
}

/** The records that are not blank; null if the text is broken with this delimiter. */
function readSample(sample: string, delimiter: string, firstLine = 1): CsvRecord[] | null {
  try {
    return createRecordReader(delimiter, '', firstLine)
      .read(sample, false)
      .filter((record) => !isBlank(record.cells));
  } catch {
    return null;
  }
}

function isMore(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of one.entries()) {
    if (value !== other[index]) return value > other[index]!;
  }
  return false;
}
