import { CarillonError } from '../base/errors.ts';
import type { Encoding } from './encoding.ts';

/** Names a file's columns from its header, and finds the ones that a campaign uses. */
export type ColumnMap = {
  phone?: string;
  /** More numbers of the person, in the order in which they are tried. */
  morePhones?: string[];
  name?: string;
  timezone?: string;
  state?: string;
  agent?: string;
  /** Columns that become variables of another name or type. */
  variables?: VariableColumn[];
};
const variableTypes = ['text', 'number', 'boolean', 'json'] as const;
export type VariableType = (typeof variableTypes)[number];

/** A variable under a name of its own, read from a column. */
export type VariableColumn = { name: string; type: VariableType; column: string };

export type Mapping = {
  phone: string;
  morePhones: string[];
  name: string | null;
  timezone: string | null;
  state: string | null;
  agent: string | null;
  variables: VariableColumn[];
};
type Role = Exclude<keyof ColumnMap, 'variables' | 'morePhones'>;

/** The head of a file: its columns, each with the first values in it. */
export type CsvHead = {
  /** Null for a workbook. */
  encoding: Encoding | null;
  delimiter: string | null;
  /** The sheets of a workbook that are not hidden; null for a CSV. */
  sheets: string[] | null;
  table: { name: string; values: string[] }[];
};

/** The columns of a file cannot be identified: the caller may show its head, and let a person say which is which. */
export class ColumnFault extends CarillonError {
  readonly head: CsvHead;
  constructor({ code, message, remedy }: CarillonError, head: CsvHead) {
    super(code, message, { remedy });
    this.head = head;
  }
}

/** Ordered by preference. */
const phoneNames: readonly string[] = [
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
  'handynummer',
  'mobilnummer',
  'telefon',
  'téléphone',
  'teléfono',
  'numero',
  'número',
  'numéro',
];
/** A person's numbers, in the order in which they are tried. */
export const mostPhones = 10;
export const numberedPhones = Array.from({ length: mostPhones }, (_, n) => `phone${n + 1}`);
const anyPhone = [...phoneNames, ...numberedPhones];
const nameNames = ['name', 'full_name', 'first_name'];
const timezoneNames = ['timezone'];

/** A list of people seldom has more, and each row carries all names. */
export const mostColumns = 1_000;
/** As long as the sample for finding the delimiter. A longer header would make every short row a long one. */
const longestHeader = 65_536;

/**
 * A cell without text becomes `column_3`, a duplicate name `note_2`. Cells without text at the end are only trailing
 * delimiters, unless a row has text under them: `width` is how far the rows reach.
 */
export function nameColumns(cells: readonly string[], width: number, file: string): string[] {
  let count = cells.length;
  while (count > width && isUnnamed(cells[count - 1]!)) count--;
  if (count > mostColumns) throw tooMany(count, file);
  const names = new Set<string>();
  // The next number to try for each name: starting at 2 each time would take quadratic time.
  const twins = new Map<string, number>();
  for (const [index, cell] of cells.slice(0, count).entries()) {
    const text = plain(cell);
    // `__proto__` is not an ordinary key of an object.
    const wanted = text === '' || text === '__proto__' ? `column_${index + 1}` : text;
    let name = wanted;
    // A second `phone` is no `phone2`, which would be called.
    let twin = twins.get(wanted) ?? (keyOf(wanted) === 'phone' ? mostPhones + 1 : 2);
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
    `${file} has ${shown(count)} columns; at most ${shown(mostColumns)} are allowed`,
    { remedy: 'Remove the columns that the calls do not need, or check which delimiter separates them.' },
  );
}

function tooLong(length: number, file: string): CarillonError {
  return new CarillonError(
    'file-broken',
    `${file} has column names of ${shown(length)} characters in all; at most ${shown(longestHeader)} are allowed`,
    { remedy: 'Shorten the names in the header row.' },
  );
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}

export function mapColumns(columns: readonly string[], map: ColumnMap, file: string): Mapping {
  const named = (wanted: string, role: string): string => {
    const found = columns.find((column) => column === plain(wanted)) ?? findColumn(columns, [wanted]);
    if (found === null) throw missing(`${file} has no column named "${wanted}"`, role, columns);
    return found;
  };
  const chosen = (role: Role, names: readonly string[]): string | null => {
    const wanted = map[role];
    return wanted === undefined ? findColumn(columns, names) : named(wanted, role);
  };
  const phone = chosen('phone', anyPhone);
  if (phone === null)
    throw missing(`${file} has no column with a known name for phone numbers`, 'phone', columns);
  const morePhones =
    map.phone === undefined
      ? numberedIn(columns, phone)
      : (map.morePhones ?? []).map((each) => named(each, 'phone'));
  const name = chosen('name', nameNames);
  const timezone = chosen('timezone', timezoneNames);
  const state = chosen('state', []);
  const agent = chosen('agent', []);
  const variables = (map.variables ?? []).map((each) => ({
    ...each,
    column: named(each.column, `${each.name}:${each.type}`),
  }));
  const mapping = { phone, morePhones, name, timezone, state, agent, variables };
  for (const { name: given, column } of variables) {
    if (column === given || !columns.includes(given) || isMapped(mapping, given)) continue;
    throw new CarillonError(
      'usage-invalid',
      `The map calls the column ${column} "${given}", and ${file} has another column of that name`,
      { remedy: 'Give the variable another name, or map that column too.' },
    );
  }
  return mapping;
}

/** The columns of further numbers: `phone2` and so on, beside the one that is tried first. */
function numberedIn(columns: readonly string[], first: string): string[] {
  const found = numberedPhones.map((name) => findColumn(columns, [name]));
  return found.filter((column) => column !== null && column !== first) as string[];
}

/** Whether a column has a use of its own; any other is a variable under its own name. */
export function isMapped(
  { phone, morePhones, name, timezone, state, agent, variables }: Mapping,
  column: string,
): boolean {
  return (
    [phone, ...morePhones, name, timezone, state, agent].includes(column) ||
    variables.some((each) => each.column === column)
  );
}

/** Whether a header with these cells has a phone column. */
export function hasPhone(cells: readonly string[], map: ColumnMap): boolean {
  return findColumn(cells, map.phone === undefined ? anyPhone : [map.phone]) !== null;
}

/** True if the first row looks like data, not like a header. */
export function looksLikeRow(cells: readonly string[]): boolean {
  return cells.some(
    (cell) => /^["'=]*\+?[\d\s().-]{7,}["']*$/.test(cell.trim()) && /(?:\d\D*){7}/.test(cell),
  );
}

/** The text of a header cell, without invisible characters. */
export function plain(cell: string): string {
  return cell
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

export function findColumn(columns: readonly string[], names: readonly string[]): string | null {
  const keys = columns.map(keyOf);
  for (const name of names) {
    const at = keys.indexOf(keyOf(name));
    if (at >= 0) return columns[at]!;
  }
  return null;
}

export function keyOf(name: string): string {
  return plain(name)
    .toLowerCase()
    .replace(/[\s_-]/g, '');
}

function missing(message: string, role: string, columns: readonly string[]): CarillonError {
  const first = columns
    .slice(0, 30)
    .map((column) => (column.length > 40 ? `${column.slice(0, 39)}…` : column));
  const more = columns.length > first.length ? ` and ${columns.length - first.length} more` : '';
  return new CarillonError('usage-invalid', `${message}; its columns are ${first.join(', ')}${more}`, {
    remedy: `Name the column with --map ${role}=COL.`,
  });
}

/** Reads the options about a file: its columns and its time zone. */

const roles = ['phone', 'name', 'timezone', 'state', 'agent'] as const;

/**
 * `phone=COL,name=COL,timezone=COL,state=COL,agent=COL`, and `VARIABLE:TYPE=COL` for a variable of a type, or only
 * `COL:TYPE`. More phones are more numbers of the person. A column name may contain anything but a comma.
 */
export function parseMap(text: string): ColumnMap {
  const map: ColumnMap = {};
  for (const part of text.split(',')) {
    if (!part.trim()) continue;
    const variable = readVariable(part);
    if (variable) {
      map.variables = [...(map.variables ?? []), checkTwice(variable, map.variables ?? [])];
      continue;
    }
    const at = part.indexOf('=');
    const role = roles.find((name) => name === part.slice(0, Math.max(at, 0)).trim().toLowerCase());
    const column = part.slice(at + 1).trim();
    if (!role || !column) {
      throw new CarillonError('usage-invalid', `--map does not accept "${part.trim()}"`, {
        remedy: `Use ${roles.map((each) => `${each}=COL`).join(', ')} or VARIABLE:TYPE=COL, separated by commas; a type is ${variableTypes.join(', ')}.`,
      });
    }
    if (role === 'phone' && map.phone !== undefined && (map.morePhones ?? []).length < mostPhones - 1) {
      map.morePhones = [...(map.morePhones ?? []), column];
      continue;
    }
    if (map[role] !== undefined) {
      throw new CarillonError(
        'usage-invalid',
        `--map names ${role} ${role === 'phone' ? 'too often' : 'twice'}`,
        { remedy: role === 'phone' ? `A person has at most ${mostPhones} numbers.` : 'Name each once.' },
      );
    }
    map[role] = column;
  }
  return map;
}

/** `amount:number=Betrag`, or `amount:number` for the column of that name. */
function readVariable(part: string): VariableColumn | null {
  const [, name = '', type = '', column = name] =
    /^([^=]*?):\s*([a-z]+)\s*(?:=(.*))?$/is.exec(part.trim()) ?? [];
  const known = variableTypes.find((each) => each === type.toLowerCase());
  if (!known || !name.trim() || !column.trim()) return null;
  return { name: name.trim(), type: known, column: column.trim() };
}

function checkTwice(variable: VariableColumn, others: readonly VariableColumn[]): VariableColumn {
  if (!others.some(({ name }) => name === variable.name)) return variable;
  throw new CarillonError('usage-invalid', `--map names ${variable.name} twice`, {
    remedy: 'Name each once.',
  });
}
