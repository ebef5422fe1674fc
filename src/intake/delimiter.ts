import { type ColumnMap, hasPhone } from './columns.ts';
import { type CsvRecord, countLines, createRecordReader } from './records.ts';

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
export function readSample(sample: string, delimiter: string, firstLine = 1): CsvRecord[] | null {
  try {
    return createRecordReader(delimiter, '', firstLine)
      .read(sample, false)
      .filter((record) => !isBlank(record.cells));
  } catch {
    return null;
  }
}

/** Rows without text are ignored everywhere. */
export function isBlank(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') return false;
  return true;
}

function isMore(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of one.entries()) {
    if (value !== other[index]) return value > other[index]!;
  }
  return false;
}
