import { guard, neutralise } from '../base/spreadsheet-formula.ts';

/** One line of CSV that any spreadsheet opens without running it. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map((value) => quoted(neutralise(textOf(value)))).join(',')}\n`;
}

/** A line that the intake reads back unchanged, including the apostrophes that were its own. */
export function guardedLine(values: readonly unknown[]): string {
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
