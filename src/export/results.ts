import type { z } from 'zod';
import { CarillonError } from '../base/errors.ts';
import { type CampaignAttempt, campaignAttemptShape } from './attempt.ts';
import { csvLine } from './csv.ts';
import { type Recipient, recipientShape } from './recipient.ts';
import { type Target, writeLines, writeWhole } from './target.ts';

/** Writes the results, one row per recipient or one per attempt, to a file or a stream, with flat memory. */
export type ResultFormat = 'csv' | 'ndjson' | 'parquet';

/** The header, which others read by name and by position. */
const header = [
  'row',
  'phone',
  'name',
  'state',
  'outcome',
  'attempts',
  'call_id',
  'status',
  'duration',
  'cost',
  'started_at',
  'ended_at',
  'transcript',
  'recording_url',
  'structured_data',
  'error',
] as const satisfies (keyof Recipient)[];

/** The header of the long form. */
const attemptHeader = [
  'row',
  'phone',
  'name',
  'id',
  'number',
  'state',
  'outcome',
  'agent',
  'key',
  'from',
  'call_id',
  'provider_call_sid',
  'status',
  'duration',
  'cost',
  'planned_at',
  'dialed_at',
  'started_at',
  'ended_at',
  'transcript',
  'recording_url',
  'structured_data',
  'direction',
  'contact_id',
  'org_id',
  'agent_id',
  'metadata',
  'error',
  'currency',
  'ended_reason',
] as const satisfies (keyof CampaignAttempt)[];

/** Returns the number of rows. `columns` are the input's, in its order. */
export function writeResults(
  target: Target,
  format: ResultFormat,
  columns: readonly string[],
  rows: AsyncIterable<Recipient[]>,
): Promise<number> {
  return writeRows(target, format, { header, shape: recipientShape.shape, columns }, rows);
}

/** People of several campaigns, each with the campaign's name. */
export function writeFound(
  target: Target,
  format: ResultFormat,
  columns: readonly string[],
  rows: AsyncIterable<Recipient[]>,
): Promise<number> {
  const named = ['campaign', ...header] as const;
  return writeRows(target, format, { header: named, shape: recipientShape.shape, columns }, rows);
}

/** The long form: one row per attempt. */
export function writeAttempts(
  target: Target,
  format: ResultFormat,
  columns: readonly string[],
  rows: AsyncIterable<CampaignAttempt[]>,
): Promise<number> {
  const fields = { header: attemptHeader, shape: campaignAttemptShape.shape, columns };
  return writeRows(target, format, fields, rows);
}

/** The columns of an export: fields of a shape, then the input's columns. */
type Fields<Name extends string> = {
  header: readonly Name[];
  shape: Readonly<Record<Name, z.ZodType>>;
  columns: readonly string[];
};

async function writeRows<
  Name extends string,
  Row extends Record<Name, unknown> & { input: Record<string, unknown> },
>(
  target: Target,
  format: ResultFormat,
  { header, shape, columns }: Fields<Name>,
  rows: AsyncIterable<Row[]>,
): Promise<number> {
  const names = columns.map((column) => `in_${column}`);
  const cells = (row: Row) => [
    ...header.map((name) => row[name]),
    ...columns.map((column) => row.input[column]),
  ];
  if (format === 'csv')
    return writeLines(target, csvLine([...header, ...names]), rows, (row) => csvLine(cells(row)));
  if (format === 'ndjson') {
    return writeLines(target, '', rows, (row) => {
      const given = columns.map((column, at) => [names[at], row.input[column] ?? null]);
      return `${JSON.stringify({ ...row, ...Object.fromEntries(given) })}\n`;
    });
  }
  // Loaded here: most results are CSV.
  const { writeParquet, kindOfField } = await import('./parquet.ts');
  const kinds = [
    ...header.map((name) => ({ name, kind: kindOfField(shape[name]) })),
    ...names.map((name) => ({ name, kind: 'text' as const })),
  ];
  return writeWhole(target, (out) => writeParquet(out, kinds, rows, cells));
}

/** The format that a file's name asks for. */
export function formatOf(path: string): ResultFormat {
  if (/\.csv$/i.test(path)) return 'csv';
  if (/\.(?:ndjson|jsonl)$/i.test(path)) return 'ndjson';
  if (/\.parquet$/i.test(path)) return 'parquet';
  throw new CarillonError('usage-invalid', `${path} must end in .csv, .ndjson or .parquet`, {
    remedy: 'Give a name with one of these endings.',
  });
}
