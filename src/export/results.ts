import { CarillonError } from '../base/errors.ts';
import { csvLine } from './cell.ts';
import { openTarget, type Target } from './target.ts';

/** Writes what became of each recipient, a row each in input order, to a file or a stream; flat in memory. */
export type ResultRow = {
  row: number;
  phone: string;
  name: string | null;
  state: string;
  outcome: string | null;
  attempts: number;
  callId: string | null;
  status: string | null;
  duration: number | null;
  cost: number | null;
  startedAt: Date | null;
  endedAt: Date | null;
  transcript: string | null;
  recordingUrl: string | null;
  structuredData: unknown;
  error: string | null;
  input: Record<string, string>;
};

export type ResultFormat = 'csv' | 'ndjson';

/** The header, which others read by name and by place, and where each value lies. */
const fields: readonly (readonly [string, (row: ResultRow) => unknown])[] = [
  ['row', (row) => row.row],
  ['phone', (row) => row.phone],
  ['name', (row) => row.name],
  ['state', (row) => row.state],
  ['outcome', (row) => row.outcome],
  ['attempts', (row) => row.attempts],
  ['call_id', (row) => row.callId],
  ['status', (row) => row.status],
  ['duration', (row) => row.duration],
  ['cost', (row) => row.cost],
  ['started_at', (row) => row.startedAt],
  ['ended_at', (row) => row.endedAt],
  ['transcript', (row) => row.transcript],
  ['recording_url', (row) => row.recordingUrl],
  ['structured_data', (row) => row.structuredData],
  ['error', (row) => row.error],
];

/** Resolves to the number of rows. `columns` are the input's, in its order. */
export async function writeResults(
  target: Target,
  format: ResultFormat,
  columns: readonly string[],
  rows: AsyncIterable<ResultRow[]>,
): Promise<number> {
  const names = columns.map((column) => `in_${column}`);
  const header = [...fields.map(([name]) => name), ...names];
  const line =
    format === 'csv'
      ? (row: ResultRow) =>
          csvLine([...fields.map(([, read]) => read(row)), ...columns.map((column) => row.input[column])])
      : (row: ResultRow) => {
          const known = fields.map(([name, read]) => [name, read(row) ?? null]);
          const given = columns.map((column, at) => [names[at], row.input[column] ?? null]);
          return `${JSON.stringify(Object.fromEntries([...known, ...given]))}\n`;
        };
  const out = await openTarget(target);
  let count = 0;
  try {
    if (format === 'csv') await out.write(csvLine(header));
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
  throw new CarillonError('usage-invalid', `${path} has an ending that names no format`, {
    remedy: 'Let the name end in .csv or .ndjson.',
  });
}
