import { oneLine } from '../../base/terminal-safe.ts';
import { wrapLine } from './wrap.ts';

/** Prints rows under their headings, for a person to read down a column. */
export type Cell = string | number | null;

/**
 * Numbers are right-aligned; an empty column is left out. If a line would be wider than the screen, the text at its end
 * wraps within its column; if there is no room for that, each row becomes a list of named values.
 */
export function tableLines(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const columns = header
    .map((title, at) =>
      columnOf(
        title,
        rows.map((row) => row[at] ?? null),
      ),
    )
    .filter(({ cells }) => rows.length === 0 || cells.some((cell) => cell !== ''));
  const fixed = columns.slice(0, -1).reduce((sum, column) => sum + column.width + 2, 0);
  const last = columns.at(-1)!;
  const room = width - fixed;
  if (room < last.width && (last.numeric || room < leastRoom)) return recordLines(columns, rows.length);
  const draw = (cells: readonly string[]) => {
    const parts = columns.map(({ numeric, width }, at) =>
      numeric ? cells[at]!.padStart(width) : cells[at]!.padEnd(width),
    );
    if (room >= last.width) return [parts.join('  ').trimEnd()];
    const [first = '', ...others] = wrapLine(cells.at(-1)!, room);
    const line = [...parts.slice(0, -1), first].join('  ').trimEnd();
    return [line, ...others.map((other) => ' '.repeat(fixed) + other)];
  };
  return [
    ...draw(columns.map((column) => column.title)),
    ...rows.flatMap((_, at) => draw(columns.map((column) => column.cells[at]!))),
  ];
}

/** The columns of a table by their headings, each with the cell that it has for an item. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => Cell>>;

export function tableOf<Item>(columns: Columns<Item>, items: readonly Item[], width?: number): string[] {
  const cells = Object.values(columns);
  return tableLines(
    Object.keys(columns),
    items.map((item) => cells.map((cell) => cell(item))),
    width,
  );
}

/** Text in fewer columns is hard to read. */
const leastRoom = 20;
type Column = { title: string; cells: string[]; numeric: boolean; width: number };

function columnOf(title: string, values: readonly Cell[]): Column {
  const cells = values.map(textOf);
  const numeric = values.some((value) => typeof value === 'number');
  return { title, cells, numeric, width: Math.max(title.length, ...cells.map((cell) => cell.length)) };
}

function recordLines(columns: readonly Column[], rows: number): string[] {
  return Array.from({ length: rows }, (_, at) => [
    ...(at === 0 ? [] : ['']),
    ...factLines(columns.map(({ title, cells }) => [title, cells[at] || null] as const)),
  ]).flat();
}

/** Named values, one per line; nulls are left out. */
export function factLines(facts: readonly (readonly [string, string | null])[]): string[] {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
  const width = Math.max(...known.map(([name]) => name.length));
  // A text of several lines must not look like further facts.
  const below = `\n${' '.repeat(width + 2)}`;
  return known.map(([name, text]) => `${name.padEnd(width)}  ${text.replaceAll('\n', below)}`);
}

/** A cell with a time, or with what stands for none. */
export function timeCell(time: Date | null, none: string | null = null): string | null {
  return time === null ? none : timeText(time);
}

/** `2026-03-01 13:03:11+01:00`: this computer's clock, and its offset from UTC. */
export function timeText(time: Date): string {
  const minutes = -time.getTimezoneOffset();
  const clock = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  const two = (n: number) => String(Math.trunc(Math.abs(n))).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
  return `${clock}${minutes === 0 ? 'Z' : offset}`;
}

/**
 * Orders, reasons and errors are written where no clock is known, with their times in UTC: here they are shown on this
 * computer's clock. The value of an option is meant to be copied, and stays.
 */
export function localTimes(text: string): string {
  return text.replace(/(?<!--[a-z-]+ )\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => {
    const at = new Date(time);
    return Number.isNaN(at.getTime()) ? time : timeText(at);
  });
}

function textOf(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'number' ? cell.toLocaleString('en-US') : oneLine(cell);
}
