import { CarillonError } from '../base/errors.ts';
import { unguard } from '../base/spreadsheet-formula.ts';
import { readPhone } from '../rules/phone/phone.ts';
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
import { endsInRejects, rejectsHint, stateColumn, twinHints } from './first-rows.ts';
import {
  type BatchLimits,
  createGathering,
  type RowBatch,
  type ScreenOptions,
  weightOfNames,
} from './recipients.ts';
import { type CsvRecord, isBlank } from './records.ts';
import { createRowReader, type Fixes, widthOf } from './row.ts';
import { type OpenSource, unreadable, watchChange } from './source.ts';

/** A table of people, a CSV or a sheet of a workbook: its columns, and its rows in batches. */
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

export type TableOptions = ScreenOptions &
  BatchLimits & {
    map?: ColumnMap | undefined;
    fixes?: Fixes | undefined;
    /** The sheet of a workbook, by its name or its number. */
    sheet?: string | undefined;
  };

/** What a table's own form says of it: the records, and how they were found. */
export type Records = Omit<CsvHead, 'table'> & {
  /** The header, and some of the rows below it. */
  header: CsvRecord | undefined;
  below: readonly CsvRecord[];
  /** The rows below the header, from the first. */
  rows: AsyncIterable<CsvRecord[]>;
  hints: readonly string[];
  bytesRead(): number;
  close(): Promise<void>;
};

/** Opens a table with what reads its form; a failure closes the file. */
export async function openTable(
  opened: OpenSource,
  options: TableOptions,
  readRecords: () => Promise<Records>,
): Promise<Intake> {
  const { handle, file } = opened;
  let records: Records | undefined;
  const close = async () => {
    await records?.close();
    await handle.close();
  };
  try {
    const checkUnchanged = await watchChange(opened);
    records = await readRecords();
    return { ...readTable(records, file, options, { checkUnchanged, close }), close };
  } catch (error) {
    await close();
    throw unreadable(file, error);
  }
}

type Ending = { checkUnchanged(): Promise<void>; close(): Promise<void> };

function readTable(
  records: Records,
  file: string,
  options: TableOptions,
  ending: Ending,
): Omit<Intake, 'close'> {
  const { map = {}, fixes = {} } = options;
  const { encoding, delimiter, sheets, below } = records;
  const header = checkHeader(records.header, file);
  const { names, isRejects } = readHeader(header, below, map);
  const width = isRejects ? 0 : below.reduce((most, record) => Math.max(most, widthOf(record.cells)), 0);
  const columns = nameColumns(names, width, file);
  const table = columns.map((name, at) => ({ name, values: valuesAt(below, at) }));
  const head: CsvHead = { encoding, delimiter, sheets, table };
  const mapping = chooseColumns(columns, map, header, { file, head });
  mapping.state = stateColumn(columns, mapping, (column) =>
    below.map(({ cells }) => cells[columns.indexOf(column)] ?? ''),
  );
  const rowOf = createRowReader({ columns, mapping, isRejects, delimiter, fixes });
  const hints = [...records.hints, ...rejectsHint(file, isRejects), ...twinHints(columns, names, mapping)];

  return {
    columns,
    mapping,
    isRejects,
    hint: hints.join('\n') || null,
    ...head,
    batches: readBatches(),
    bytesRead: records.bytesRead,
  };

  async function* readBatches(): AsyncGenerator<RowBatch> {
    const gathering = createGathering(options, 'line');
    const weight = weightOfNames(columns);
    try {
      for await (const some of records.rows) {
        for (const record of some) {
          const blank = isBlank(record.cells) && record.fault === null;
          if (!blank) gathering.add(rowOf(record));
          // Blank rows count too: any text cut from a piece of the file keeps the whole piece in memory.
          gathering.count(record.length + (blank ? 0 : weight));
          if (gathering.isFull()) yield gathering.take();
        }
      }
      await ending.checkUnchanged();
      if (!gathering.isEmpty()) yield gathering.take();
    } catch (error) {
      throw unreadable(file, error);
    } finally {
      await ending.close();
    }
  }
}

export function noSheet(file: string, sheet: string): CarillonError {
  return new CarillonError(
    'usage-invalid',
    `${file} is not a workbook: it has no sheet ${JSON.stringify(sheet)}`,
    { remedy: 'Leave the sheet out.' },
  );
}

function checkHeader(header: CsvRecord | undefined, file: string): CsvRecord {
  if (!header) {
    throw new CarillonError('file-broken', `${file} is empty`, {
      remedy: 'Use a file with a header row, for example phone,name, and the rows below it.',
    });
  }
  if (!header.fault) return header;
  throw new CarillonError(
    'file-broken',
    `${file} has a header, on line ${header.line}, whose ${header.fault}`,
  );
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
