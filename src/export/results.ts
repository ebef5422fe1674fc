import { CarillonError } from '../base/errors.ts';
import type { CampaignAttempt } from './attempt.ts';
import { csvLine } from './csv-line.ts';
import type { Recipient } from './recipient.ts';
import { openTarget, type Target } from './target.ts';

/** Writes the results, one row per recipient or one per attempt, to a file or a stream, with flat memory. */
export type ResultFormat = 'csv' | 'ndjson';

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
  return writeRows(target, format, header, columns, rows);
}

/** People of several campaigns, each with the campaign's name. */
export function writeFound(
  target: Target,
  format: ResultFormat,
  columns: readonly string[],
  rows: AsyncIterable<Recipient[]>,
): Promise<number> {
  return writeRows(target, format, ['campaign', ...header], columns, rows);
}

/** The long form: one row per attempt. */
export function writeAttempts(
  target: Target,
  format: ResultFormat,
  columns: readonly string[],
  rows: AsyncIterable<CampaignAttempt[]>,
): Promise<number> {
  return writeRows(target, format, attemptHeader, columns, rows);
}

async function writeRows<Row extends { input: Record<string, unknown> }>(
  target: Target,
  format: ResultFormat,
  header: readonly (keyof Row & string)[],
  columns: readonly string[],
  rows: AsyncIterable<Row[]>,
): Promise<number> {
  const names = columns.map((column) => `in_${column}`);
  const line =
    format === 'csv'
      ? (row: Row) =>
          csvLine([...header.map((name) => row[name]), ...columns.map((column) => row.input[column])])
      : (row: Row) => {
          const given = columns.map((column, at) => [names[at], row.input[column] ?? null]);
          return `${JSON.stringify({ ...row, ...Object.fromEntries(given) })}\n`;
        };
  const out = await openTarget(target);
  let count = 0;
  try {
    if (format === 'csv') await out.write(csvLine([...header, ...names]));
    for await (const batch of rows) {
      await out.write(batch.map(line).join(''));
      count += batch.length;
    }
    await out.finish();
  } catch (error) {
    await out.abandon();
    throw error;
  }
  return count;
}

/** The format that a file's name asks for. */
export function formatOf(path: string): ResultFormat {
  if (/\.csv$/i.test(path)) return 'csv';
  if (/\.(?:ndjson|jsonl)$/i.test(path)) return 'ndjson';
  throw new CarillonError('usage-invalid', `${path} must end in .csv or .ndjson`, {
    remedy: 'Give a name with one of these endings.',
  });
}
