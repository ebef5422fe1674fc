import { unguard } from '../base/spreadsheet-formula.ts';
import type { Repaired } from '../ledger/people/lines.ts';
import type { ColumnMap } from './columns.ts';
import type { CsvRecord } from './records.ts';

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
