import { unguard } from '../base/spreadsheet-formula.ts';
import { quote } from '../rules/phone/phone-text.ts';
import { isMapped, type Mapping, type VariableColumn, type VariableType } from './columns.ts';
import { repairsOf } from './first-rows.ts';
import { faultOf, wellFormed } from './json-values.ts';
import type { GivenRow } from './recipients.ts';
import type { CsvRecord } from './records.ts';

/** Cells that are read as something else, by line and column. */
export type Fixes = Readonly<Record<string, Readonly<Record<string, string>>>>;

type RowOptions = {
  columns: readonly string[];
  mapping: Mapping;
  isRejects: boolean;
  delimiter: string | null;
  fixes: Fixes;
};

/** Reads the records of a table as rows. */
export function createRowReader(options: RowOptions): (record: CsvRecord) => GivenRow {
  const { columns, mapping, isRejects, delimiter, fixes } = options;
  const width = columns.length;
  const headerWidth = isRejects ? width + 2 : width;
  const phonesAt = [mapping.phone, ...mapping.morePhones].map((column) => columns.indexOf(column));
  const nameAt = mapping.name === null ? -1 : columns.indexOf(mapping.name);
  const zoneAt = mapping.timezone === null ? -1 : columns.indexOf(mapping.timezone);
  const stateAt = mapping.state === null ? -1 : columns.indexOf(mapping.state);
  const agentAt = mapping.agent === null ? -1 : columns.indexOf(mapping.agent);
  const variables = [
    ...columns.filter((column) => !isMapped(mapping, column)).map(plainVariable),
    ...mapping.variables,
  ].map((variable) => ({ variable, at: columns.indexOf(variable.column) }));

  return (record) => {
    const { line: row } = record;
    const written = isRejects ? record.cells.map(unguard) : record.cells;
    const fix = fixes[row];
    const length = Math.max(width, written.length);
    const fixed = (_: unknown, at: number) => fix?.[columns[at] ?? ''] ?? written[at] ?? '';
    const cells = fix ? Array.from({ length }, fixed) : written;
    const repairs = isRejects ? repairsOf(record.cells, width) : undefined;
    const input: Record<string, string> = {};
    for (let at = 0; at < width; at++) input[columns[at]!] = cells[at] ?? '';
    const { sent, refusal } = readVariables(cells);
    const fault = record.fault ?? tooWide(cells) ?? refusal;
    if (fault !== null) return { row, input, repairs, refusal: fault };
    return {
      row,
      input,
      repairs,
      phones: phonesAt.map((at) => cells[at] ?? ''),
      name: cells[nameAt] ?? '',
      timezone: cells[zoneAt] ?? '',
      state: cells[stateAt] ?? '',
      agent: cells[agentAt] ?? '',
      variables: sent,
    };
  };

  function readVariables(cells: readonly string[]): {
    sent: Record<string, unknown>;
    refusal: string | null;
  } {
    const sent: Record<string, unknown> = {};
    for (const { variable, at } of variables) {
      const reading = readCell(variable, cells[at] ?? '', delimiter === ';');
      if (reading.refusal !== undefined) return { sent, refusal: reading.refusal };
      if (reading.value !== undefined) sent[variable.name] = reading.value;
    }
    return { sent, refusal: null };
  }

  function tooWide(cells: readonly string[]): string | null {
    if (cells.length <= headerWidth) return null;
    const count = widthOf(cells);
    return count > headerWidth ? `has ${count} cells, the header has ${headerWidth}` : null;
  }
}

const plainVariable = (column: string): VariableColumn => ({ name: column, type: 'text', column });

/** How far a row has text. */
export function widthOf(cells: readonly string[]): number {
  let width = cells.length;
  while (width > 0 && cells[width - 1]!.trim() === '') width--;
  return width;
}

/**
 * The value of a cell of a declared type; none for an empty one, unless it is text. A number, a boolean or JSON is sent to
 * the service as such, and a cell of another type rejects its row.
 */
type CellReading = { value?: unknown; refusal?: undefined } | { refusal: string };

function readCell({ type, column }: VariableColumn, given: string, comma = false): CellReading {
  const cell = given.trim();
  if (type === 'text') return { value: cell };
  const text = comma && type === 'number' ? cell.replace(/^([+-]?\d+),(\d+)$/, '$1.$2') : cell;
  if (text === '') return {};
  const value = parsers[type](text);
  const refuse = (why: string) => ({ refusal: `${quote(text)} in the column ${quote(column)} ${why}` });
  if (value === undefined) return refuse(`is not ${kinds[type]}`);
  const fault = faultOf(value);
  return fault === null ? { value: wellFormed(value) } : refuse(fault);
}

const kinds = {
  number: 'a number such as 7 or -2.5',
  boolean: 'true or false, yes or no, 1 or 0',
  json: 'JSON',
} as const;

const truths: Record<string, boolean> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

const parsers: Record<Exclude<VariableType, 'text'>, (text: string) => unknown> = {
  // A comma is a decimal one in a file whose cells are separated by semicolons; elsewhere it is not guessed.
  number: (text) => (/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined),
  boolean: (text) => {
    const word = text.toLowerCase();
    return Object.hasOwn(truths, word) ? truths[word] : undefined;
  },
  json: (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  },
};
