import { unguard } from '../base/spreadsheet-formula.ts';
import type { Repaired } from '../ledger/people/lines.ts';
import { readState } from '../rules/phone/states.ts';
import { type ColumnMap, findColumn, isMapped, keyOf, type Mapping } from './columns.ts';
import type { CsvRecord } from './records.ts';

/** What a list's first rows show: whether it holds states, and what its owner may have overlooked. */

/** The column `state`, if it holds states: it is often a status. */
export function stateColumn(
  columns: readonly string[],
  mapping: Mapping,
  valuesOf: (column: string) => readonly string[],
): string | null {
  const named = findColumn(columns, ['state']);
  if (mapping.state !== null || named === null || isMapped(mapping, named)) return mapping.state;
  return areStates(valuesOf(named)) ? named : null;
}

/** Most different values are states: a word such as `ok` is also the code of a state. */
export function areStates(values: readonly string[]): boolean {
  const words = [...new Set(values.map((value) => value.trim().toLowerCase()).filter(Boolean))];
  return words.filter((word) => readState(word) !== null).length * 2 > words.length;
}

export function rejectsHint(file: string, isRejects: boolean): string[] {
  if (!isRejects) return [];
  return [`${file} holds rejected rows: its last columns, line and reason, are not variables of its people.`];
}

const mostTold = 5;

/** Columns of one name, each with what it is used for. */
export function twinHints(columns: readonly string[], header: readonly string[], mapping: Mapping): string[] {
  const twins = new Map<string, number[]>();
  for (const at of columns.keys()) {
    const key = keyOf(header[at]!);
    if (key !== '') twins.set(key, [...(twins.get(key) ?? []), at]);
  }
  return [...twins.values()]
    .filter((places) => places.length > 1)
    .slice(0, mostTold)
    .map((places) => {
      const uses = places
        .slice(0, mostTold)
        .map((at) => `column ${at + 1} (${header[at]!.trim()}) as ${useOf(columns[at]!, mapping)}`);
      return `${places.length} columns have the same name and are used: ${uses.join(', ')}.`;
    });
}

const roles = [
  ['phone', 'phone'],
  ['name', 'name'],
  ['timezone', 'time zone'],
  ['state', 'state'],
  ['agent', 'agent'],
] as const;

function useOf(column: string, mapping: Mapping): string {
  for (const [role, words] of roles) if (mapping[role] === column) return `the ${words}`;
  const variable = mapping.variables.find((each) => each.column === column);
  return `the variable "${variable?.name ?? column}"`;
}

/**
 * Recognises a file of rejected rows that Carillon wrote: the input's own columns, then `line` and `reason`. These two
 * are not columns of the people, even if the input had some of the same names, and the cells lose the apostrophes that
 * they were written with.
 */

/** How every reason for a rejected row begins; the tests of the intake check each of theirs against it. */
const known = new RegExp(
  `^(?:${[
    '".{0,40}" (?:is|has|can|contains|does|in the column) ?',
    'has no phone number$',
    'duplicate of (?:line|item) \\d+$',
    'can never be called: ',
    'has \\d+ cells, the header has \\d+$',
    'cell \\d+ has text after its closing quote',
    'cell [A-Z]+\\d+ has a (?:formula without its value|format that adds digits)$',
    'is (?:not an object with a phone|a line that is not JSON)$',
    'has (?:an? \\w+ that is not text|variables that are not an object)$',
    'gives two values to "',
    'has (?:more than \\d+ phones|a list of phones)',
    'contains a (?:NUL character|number that is too long)',
    'has a value that is nested too deeply$',
    'refused by the service: ',
    'erased$',
  ].join('|')})`,
  'u',
);

export function isKnownReason(text: string): boolean {
  return known.test(text);
}

/**
 * Whether the last two columns are ours. A user's own columns of these names hold other words, and a `--map` that names
 * them needs them. A file whose rows were all removed is ours too.
 */
export function endsInRejects(
  header: readonly string[],
  below: readonly CsvRecord[],
  map: ColumnMap,
): boolean {
  const at = header.length - 2;
  if (at < 1 || header[at] !== 'line' || header[at + 1] !== 'reason') return false;
  const wanted = [map.phone, ...(map.morePhones ?? []), map.name, map.timezone, map.state, map.agent];
  for (const { column } of map.variables ?? []) wanted.push(column);
  const isNeeded = (name: string) => wanted.includes(name) && !header.slice(0, at).includes(name);
  if (isNeeded('line') || isNeeded('reason')) return false;
  if (below.some(({ cells }) => !/^\s*\d*\s*$/.test(cells[at] ?? ''))) return false;
  return below.length === 0 || below.some(({ cells }) => isKnownReason(unguard(cells[at + 1] ?? '')));
}

/** The earlier reject, as far as the row's last two cells still tell. */
export function repairsOf(cells: readonly string[], at: number): Repaired | undefined {
  const line = Number(cells[at] ?? '');
  return Number.isSafeInteger(line) && line > 0 ? { line, reason: unguard(cells[at + 1] ?? '') } : undefined;
}
