import { readState } from '../rules/phone/states.ts';
import { findColumn, isMapped, keyOf, type Mapping } from './columns.ts';

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
