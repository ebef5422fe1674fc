import { CarillonError } from '../base/errors.ts';

/** Names a file's columns from its header, and finds the ones that mean something to a campaign. */
export type ColumnMap = { phone?: string; name?: string; timezone?: string };
export type Mapping = { phone: string; name: string | null; timezone: string | null };

/** The first that a file has counts, in this order. */
export const phoneNames: readonly string[] = [
  'phone',
  'phone_number',
  'phonenumber',
  'number',
  'mobile',
  'cell',
  'tel',
  'telephone',
  'to',
  'to_number',
  'contact_number',
  'msisdn',
];
const nameNames = ['name'];
const timezoneNames = ['timezone'];

/** More are hardly a list of people, and each row carries the names of all. */
export const mostColumns = 1_000;
/** As much as the delimiter is told from; a longer header would make every short row a long one. */
const longestHeader = 65_536;

/**
 * A cell without text becomes `column_3`, a name that stands twice `phone_2`. Cells without text at the end are
 * only trailing delimiters, as long as no row puts anything under them: `width` says how far the rows reach.
 */
export function nameColumns(cells: readonly string[], width: number, file: string): string[] {
  let count = cells.length;
  while (count > width && isUnnamed(cells[count - 1]!)) count--;
  if (count > mostColumns) throw tooMany(count, file);
  const names = new Set<string>();
  // Where the search for a free number went up to, for each name: begun at 2 again, it would take ever longer.
  const twins = new Map<string, number>();
  for (const [index, cell] of cells.slice(0, count).entries()) {
    const text = plain(cell);
    // An object cannot have a key of this name like any other.
    const wanted = text === '' || text === '__proto__' ? `column_${index + 1}` : text;
    let name = wanted;
    let twin = twins.get(wanted) ?? 2;
    while (names.has(name)) name = `${wanted}_${twin++}`;
    twins.set(wanted, twin);
    names.add(name);
  }
  const length = [...names].reduce((sum, name) => sum + name.length, 0);
  if (length > longestHeader) throw tooLong(length, file);
  return [...names];
}

function isUnnamed(cell: string): boolean {
  return cell === '' || plain(cell) === '';
}

function tooMany(count: number, file: string): CarillonError {
  return new CarillonError(
    'file-broken',
    `${file} has ${shown(count)} columns; at most ${shown(mostColumns)} are taken`,
    { remedy: 'Remove the columns that the calls do not need, or check which delimiter parts them.' },
  );
}

function tooLong(length: number, file: string): CarillonError {
  return new CarillonError(
    'file-broken',
    `${file} has column names of ${shown(length)} characters in all; at most ${shown(longestHeader)} are taken`,
    { remedy: 'Shorten the names in the header row.' },
  );
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}

export function mapColumns(columns: readonly string[], map: ColumnMap, file: string): Mapping {
  const chosen = (role: keyof ColumnMap, names: readonly string[]): string | null => {
    const wanted = map[role];
    if (wanted === undefined) return find(columns, names);
    const found = columns.find((column) => column === plain(wanted)) ?? find(columns, [wanted]);
    if (found === null) throw missing(`${file} has no column named "${wanted}"`, role, columns);
    return found;
  };
  const phone = chosen('phone', phoneNames);
  if (phone === null)
    throw missing(`${file} has no column that is known to hold phone numbers`, 'phone', columns);
  const name = chosen('name', nameNames);
  const timezone = chosen('timezone', timezoneNames);
  return { phone, name, timezone };
}

/** Whether a header with these cells would give a phone column. */
export function hasPhone(cells: readonly string[], map: ColumnMap): boolean {
  return find(cells, map.phone === undefined ? phoneNames : [map.phone]) !== null;
}

/** True for a first row that holds what belongs under a header. */
export function looksLikeRow(cells: readonly string[]): boolean {
  return cells.some(
    (cell) => /^["'=]*\+?[\d\s().-]{7,}["']*$/.test(cell.trim()) && /(?:\d\D*){7}/.test(cell),
  );
}

/** The text of a header cell, without what cannot be seen. */
function plain(cell: string): string {
  return cell
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function find(columns: readonly string[], names: readonly string[]): string | null {
  const keys = columns.map(keyOf);
  for (const name of names) {
    const at = keys.indexOf(keyOf(name));
    if (at >= 0) return columns[at]!;
  }
  return null;
}

function keyOf(name: string): string {
  return plain(name)
    .toLowerCase()
    .replace(/[\s_-]/g, '');
}

function missing(message: string, role: keyof ColumnMap, columns: readonly string[]): CarillonError {
  const first = columns
    .slice(0, 30)
    .map((column) => (column.length > 40 ? `${column.slice(0, 39)}…` : column));
  const more = columns.length > first.length ? ` and ${columns.length - first.length} more` : '';
  return new CarillonError('usage-invalid', `${message}; its columns are ${first.join(', ')}${more}`, {
    remedy: `Say which column it is with --map ${role}=COL.`,
  });
}
