import type { BodyFormat } from '../ledger/background/background.ts';
import { openCsv } from './csv.ts';
import { openJson } from './json-list.ts';
import type { RowBatch } from './recipients.ts';
import type { CsvSource } from './source.ts';
import type { Intake, TableOptions } from './table.ts';
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
