import { guard, neutralise } from '../base/spreadsheet-formula.ts';
import { type Target, writeLines } from './target.ts';

/** One line of CSV that any spreadsheet opens without running it. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map((value) => quoted(neutralise(textOf(value)))).join(',')}\n`;
}

/** A line that the intake reads back unchanged, including the apostrophes that were its own. */
function guardedLine(values: readonly unknown[]): string {
  return `${values.map((value) => quoted(guard(textOf(value)))).join(',')}\n`;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A spreadsheet that guesses wrongly splits cells at semicolons, tabs and bars. */
function quoted(text: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Writes the rejected rows with their line and reason. A repaired file can be imported as it is: src/intake/first-rows.ts.
 */
type RejectedLine = { row: number; reason: string; input: Record<string, unknown> };

/** Always CSV: the input's own columns under their own names, then `line` and `reason`. Returns the number of rows. */
export function writeRejected(
  target: Target,
  columns: readonly string[],
  rows: AsyncIterable<RejectedLine[]>,
): Promise<number> {
  const header = guardedLine([...columns, 'line', 'reason']);
  return writeLines(target, header, rows, ({ row, reason, input }) =>
    guardedLine([...columns.map((column) => input[column]), row, reason]),
  );
}

/** The rejects of `people.results.csv` are next to it, in `people.results.rejected.csv`. */
export function rejectedPath(out: string): string {
  return `${stemOf(out)}.rejected.csv`;
}

/** The attempts of `people.results.csv` are in `people.results.attempts.csv`, in the same format. */
export function attemptsPath(out: string): string {
  const stem = stemOf(out);
  return `${stem}.attempts${out.slice(stem.length)}`;
}

function stemOf(out: string): string {
  return out.replace(/(?<=[^/\\])\.[^./\\]+$/, '');
}
