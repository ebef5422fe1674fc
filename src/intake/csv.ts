import type { FileHandle } from 'node:fs/promises';
import { CarillonError } from '../base/errors.ts';
import { unguard } from '../base/spreadsheet-formula.ts';
import { readPhone } from '../rules/phone/phone.ts';
import { type BatchLimits, createGathering, weightOfNames } from './batches.ts';
import {
  ColumnFault,
  type ColumnMap,
  type CsvHead,
  looksLikeRow,
  type Mapping,
  mapColumns,
  nameColumns,
  plain,
} from './columns.ts';
import { detectDelimiter, isBlank, readSample } from './delimiter.ts';
import { decodeText, detectEncoding } from './encoding.ts';
import { rejectsHint, stateColumn, twinHints } from './first-rows.ts';
import { createScreen, type RowBatch, type ScreenOptions } from './recipients.ts';
import { type CsvRecord, countLines, createRecordReader, longestCell } from './records.ts';
import { endsInRejects } from './rejects.ts';
import { createTaker, widthOf } from './row.ts';
import { type CsvSource, openSource, unreadable, watchChange } from './source.ts';

export type { CsvSource } from './source.ts';

/** Opens a recipients file: its columns, and its rows in batches, in one pass and constant memory. */
export type Intake = CsvHead & {
  /** The names in the header's order, made unique. */
  columns: string[];
  mapping: Mapping;
  /** A file of rejected rows: its people are added to a list, and their earlier rejects are removed. */
  isRejects: boolean;
  /** Hints at what the file's owner may have overlooked, a line each; null when there is nothing. */
  hint: string | null;
  /**
   * Can be read once. A broken file throws here, perhaps only at its last line, so the rows must be stored in one
   * transaction.
   */
  batches: AsyncIterable<RowBatch>;
  /** How far the file was read. */
  bytesRead(): number;
  /** Closes the file. Reading the batches to their end, or leaving them, closes it too. */
  close(): Promise<void>;
};

export type CsvOptions = ScreenOptions & BatchLimits & { map?: ColumnMap | undefined };

/** Enough text to find the delimiter and the header. */
const sampleLength = 64 * 1024;

export async function openCsv(source: CsvSource, options: CsvOptions = {}): Promise<Intake> {
  const { handle, file } = await openSource(source);
  try {
    return await openHandle(handle, file, options);
  } catch (error) {
    await handle.close();
    throw unreadable(file, error);
  }
}

async function openHandle(handle: FileHandle, file: string, options: CsvOptions): Promise<Intake> {
  const checkUnchanged = await watchChange({ handle, file });
  const spelling = await detectEncoding(handle, file);
  let bytesRead = 0;
  const text = decodeText(handle, spelling, file, (bytes) => {
    bytesRead = bytes;
  });
  const map = options.map ?? {};
  const head = await readHead(text, file);
  // The last line of a small file counts even without a newline. A line cut off by the sample does not.
  const cut = !head.whole || head.text.length > sampleLength;
  const sample = cut ? head.text.slice(0, sampleLength) : `${head.text}\n`;
  const { delimiter, sepLine } = detectDelimiter(sample, map);
  const reader = createRecordReader(delimiter, file, head.line);
  const rows = (records: CsvRecord[]) =>
    records.filter((record) => record.line !== head.line + (sepLine ?? Infinity) && !isBlank(record.cells));
  let whole = head.whole;
  let early = rows(reader.read(head.text, whole));
  while (early.length === 0 && !whole) {
    const next = await text.next();
    whole = next.done === true;
    early = rows(reader.read(next.done ? '' : next.value, whole));
  }
  const header = early.shift();
  if (!header) {
    throw new CarillonError('file-broken', `${file} is empty`, {
      remedy: 'Use a file with a header row, for example phone,name, and the rows below it.',
    });
  }
  if (header.fault) {
    throw new CarillonError(
      'file-broken',
      `${file} has a header, on line ${header.line}, whose ${header.fault}`,
    );
  }
  const below = rows(readSample(sample, delimiter, head.line) ?? []).filter(
    (record) => record.line > header.line,
  );
  const { names, isRejects } = readHeader(header, below, map);
  const width = isRejects ? 0 : below.reduce((most, record) => Math.max(most, widthOf(record.cells)), 0);
  const columns = nameColumns(names, width, file);
  const table = columns.map((name, at) => ({ name, values: valuesAt(below, at) }));
  const csvHead: CsvHead = { encoding: spelling.encoding, delimiter, table };
  const mapping = chooseColumns(columns, map, header, { file, head: csvHead });
  mapping.state = stateColumn(columns, mapping, (column) =>
    below.map(({ cells }) => cells[columns.indexOf(column)] ?? ''),
  );
  const screen = createScreen(options, 'line');
  const take = createTaker({ columns, mapping, isRejects, delimiter }, screen);

  return {
    columns,
    mapping,
    isRejects,
    hint: [...rejectsHint(file, isRejects), ...twinHints(columns, names, mapping)].join('\n') || null,
    ...csvHead,
    batches: readBatches(),
    bytesRead: () => bytesRead,
    close: () => handle.close(),
  };

  async function* readBatches(): AsyncGenerator<RowBatch> {
    const gathering = createGathering(options);
    const names = weightOfNames(columns);
    try {
      let records = early;
      for (let last = whole; ; ) {
        for (const record of records) {
          const blank = isBlank(record.cells);
          if (!blank) take(record, gathering.batch);
          // Blank rows count too: any text cut from a piece of the file keeps the whole piece in memory.
          gathering.count(record.length + (blank ? 0 : names));
          if (gathering.isFull()) yield gathering.take();
        }
        if (last) break;
        const next = await text.next();
        last = next.done === true;
        records = reader.read(next.done ? '' : next.value, last);
      }
      await checkUnchanged();
      if (!gathering.isEmpty()) yield gathering.take();
    } catch (error) {
      throw unreadable(file, error);
    } finally {
      await handle.close();
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

/** The names in a header, without the last two of a file of rejected rows. */
function readHeader(
  { cells }: CsvRecord,
  below: readonly CsvRecord[],
  map: ColumnMap,
): { names: string[]; isRejects: boolean } {
  const named = cells.slice(0, widthOf(cells));
  if (!endsInRejects(named.map(plain), below, map)) return { names: cells, isRejects: false };
  return { names: named.slice(0, -2).map(unguard), isRejects: true };
}

const shownValues = 5;
const longestShown = 200;

/** The first values of a column; a cell may hold a page of text. */
function valuesAt(records: readonly CsvRecord[], at: number): string[] {
  return records.slice(0, shownValues).map((record) => (record.cells[at] ?? '').slice(0, longestShown));
}

/** A file without a header gets an error about that, not about a missing column. */
function chooseColumns(
  columns: string[],
  map: ColumnMap,
  header: CsvRecord,
  { file, head }: { file: string; head: CsvHead },
): Mapping {
  const headless = () =>
    new CarillonError(
      'usage-invalid',
      `${file} has no header row: its first row, on line ${header.line}, contains a phone number`,
      { remedy: 'Add a first row with the column names, for example: phone,name.' },
    );
  if (header.cells.some((cell) => cell.includes('+') && readPhone(cell).ok)) throw headless();
  try {
    return mapColumns(columns, map, file);
  } catch (error) {
    if (looksLikeRow(header.cells)) throw headless();
    throw error instanceof CarillonError ? new ColumnFault(error, head) : error;
  }
}
