import { oneLine } from '../../base/printable.ts';

/** Prints rows under their headings, for a person to read down a column. */
export type Cell = string | number | null;

/** Numbers are right-aligned; an empty column is left out. */
export function tableLines(header: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const columns = header
    .map((title, at) => {
      const cells = rows.map((row) => textOf(row[at] ?? null));
      const numeric = rows.some((row) => typeof row[at] === 'number');
      const width = Math.max(title.length, ...cells.map((cell) => cell.length));
      return { title, cells, numeric, width };
    })
    .filter(({ cells }) => rows.length === 0 || cells.some((cell) => cell !== ''));
  const line = (cells: readonly string[]) =>
    columns
      .map(({ numeric, width }, at) => (numeric ? cells[at]!.padStart(width) : cells[at]!.padEnd(width)))
      .join('  ')
      .trimEnd();
  return [
    line(columns.map((column) => column.title)),
    ...rows.map((_, at) => line(columns.map((column) => column.cells[at]!))),
  ];
}

/** Named values under each other; what is null is left out. */
export function factLines(facts: readonly (readonly [string, string | null])[]): string[] {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
  const width = Math.max(...known.map(([name]) => name.length));
  // A text of several lines must not look like further facts.
  const below = `\n${' '.repeat(width + 2)}`;
  return known.map(([name, text]) => `${name.padEnd(width)}  ${text.replaceAll('\n', below)}`);
}

/** `2026-03-01 12:03:11Z`: UTC, the same in every time zone. */
export function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'number' ? cell.toLocaleString('en-US') : oneLine(cell);
}
