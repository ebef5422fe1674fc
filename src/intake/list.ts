import { extname } from 'node:path';
import { CarillonError } from '../base/errors.ts';
import type { BodyFormat } from '../ledger/background/background.ts';
import { type ColumnMap, mostColumns } from './columns.ts';
import { openCsv } from './csv.ts';
import { areStates } from './first-rows.ts';
import { readJsonRecipients } from './json.ts';
import { readJsonArray, readNdjson } from './json-items.ts';
import { isObject } from './json-values.ts';
import type { RowBatch } from './recipients.ts';
import { type CsvSource, type OpenSource, openSource, unreadable, watchChange } from './source.ts';
import { type Intake, noSheet, type TableOptions } from './table.ts';
import { openWorkbook } from './xlsx/workbook.ts';

/** A list of people in any form: rows in batches, with flat memory. */
export type PeopleList = {
  batches: AsyncIterable<RowBatch>;
  /** Null for JSON, whose columns are known only at the end. */
  columns: string[] | null;
  /** Its rows are rejects of an earlier list. */
  isRejects: boolean;
  hint: string | null;
  /** Null for JSON. */
  csv: Pick<Intake, 'encoding' | 'delimiter' | 'sheets' | 'table' | 'mapping' | 'hint'> | null;
  bytesRead(): number;
  close(): Promise<void>;
};

export async function openList(
  source: CsvSource,
  format: BodyFormat,
  options: TableOptions,
): Promise<PeopleList> {
  if (format === 'csv' || format === 'xlsx') {
    const csv = await (format === 'csv' ? openCsv : openWorkbook)(source, options);
    return { ...csv, csv };
  }
  const list = await openJson(source, format, options);
  return { ...list, columns: null, isRejects: false, hint: null, csv: null };
}

/** Opens a list in JSON: an array, or one object per line. */
async function openJson(
  source: CsvSource,
  format: 'json' | 'ndjson',
  { map = {}, sheet, ...options }: TableOptions,
) {
  const { handle, file } = await openSource(source);
  try {
    checkMap(map);
    if (sheet !== undefined) throw noSheet(file, sheet);
  } catch (error) {
    await handle.close();
    throw error;
  }
  let bytes = 0;
  async function* chunks() {
    const checkUnchanged = await watchChange({ handle, file });
    for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) {
      bytes += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
    await checkUnchanged();
  }
  async function* read() {
    const { values, state } = await findState(
      (format === 'json' ? readJsonArray : readNdjson)(chunks(), file),
    );
    const keys = state === undefined ? map : { state, ...map };
    try {
      yield* readJsonRecipients(values, { ...options, keys, unit: format === 'json' ? 'item' : 'line' });
    } catch (error) {
      throw unreadable(file, error);
    }
  }
  return { batches: read(), bytesRead: () => bytes, close: () => handle.close() };
}

/** JSON has types of its own. */
function checkMap({ variables = [] }: ColumnMap): void {
  const [first] = variables;
  if (!first) return;
  throw new CarillonError(
    'usage-invalid',
    `--map ${first.name}:${first.type} declares a type, and JSON has its own`,
    { remedy: 'Leave it out, and write the value with its type.' },
  );
}

/** How many people decide whether `state` holds states. */
const enough = 200;

/** The first values are read ahead. `state` is often a status: then it is a variable like any other. */
export async function findState(
  values: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<{ values: AsyncIterable<unknown>; state: string | undefined }> {
  const source = Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
  const first: unknown[] = [];
  let ended = false;
  while (first.length < enough && !ended) {
    const next = await source.next();
    ended = next.done === true;
    if (!ended) first.push(next.value);
  }
  async function* all() {
    try {
      yield* first;
      for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
  return { values: all(), state: areStates(first.flatMap(stateOf)) ? 'state' : undefined };
}

function stateOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  const state = value.state ?? (isObject(value.variables) ? value.variables.state : undefined);
  return typeof state === 'string' ? [state] : [];
}

/** Passes rows on, and collects their names: the columns of a list in JSON are known only at its end. */
export async function* gatherColumns(
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>,
  known: string[],
): AsyncGenerator<RowBatch> {
  const seen = new Set(known);
  for await (const batch of batches) {
    for (const { input } of [...batch.accepted, ...batch.rejected]) {
      for (const name in input) {
        if (seen.has(name)) continue;
        seen.add(name);
        known.push(name);
      }
    }
    if (known.length > mostColumns) {
      throw new CarillonError(
        'request-invalid',
        `The recipients have more than ${mostColumns} different fields`,
        { remedy: 'Give every recipient the same fields; put what differs into their values.' },
      );
    }
    yield batch;
  }
}

/** The endings that say what a list is. */
export const listEndings = /\.(?:csv|tsv|txt|json|ndjson|jsonl|xlsx|xlsm)$/i;

/** Decided by the file's name, else by how the text begins: standard input and a pipe have no telling name. */
export async function formatOf(path: string, { handle }: OpenSource): Promise<BodyFormat> {
  const ending = extname(path).toLowerCase();
  if (ending === '.ndjson' || ending === '.jsonl') return 'ndjson';
  if (ending === '.json') return 'json';
  if (ending === '.xlsx' || ending === '.xlsm') return 'xlsx';
  if (ending !== '') return 'csv';
  const { bytesRead, buffer } = await handle
    .read(Buffer.alloc(headBytes), 0, headBytes, 0)
    .catch((error: unknown) => {
      throw unreadable(path, error);
    });
  const head = buffer.subarray(0, bytesRead).toString('latin1');
  if (head.startsWith('PK\x03\x04')) return 'xlsx';
  if (/^(?:\xef\xbb\xbf)?\s*\[\s*[{\]]/.test(head)) return 'json';
  return /^(?:\xef\xbb\xbf)?\s*\{\s*["}]/.test(head) ? 'ndjson' : 'csv';
}

const headBytes = 4_096;
