import { unguard } from '../base/spreadsheet-formula.ts';
import { isMapped, type Mapping } from './columns.ts';
import { repairsOf } from './first-rows.ts';
import {
  type AcceptedRow,
  agentFault,
  type RowBatch,
  refusedRow,
  type Screen,
  type Screened,
} from './recipients.ts';
import type { CsvRecord } from './records.ts';
import { readCell, type VariableColumn } from './variables.ts';

/** Cells that are read as something else, by line and column. */
export type Fixes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Checks one record and adds it to the batch. */
export function createTaker(
  {
    columns,
    mapping,
    isRejects,
    delimiter,
    fixes,
  }: {
    columns: readonly string[];
    mapping: Mapping;
    isRejects: boolean;
    delimiter: string | null;
    fixes: Fixes;
  },
  screen: Screen,
): (record: CsvRecord, batch: RowBatch) => void {
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

  return (record: CsvRecord, batch: RowBatch) => {
    const { line: row } = record;
    const written = isRejects ? record.cells.map(unguard) : record.cells;
    const fix = fixes[row];
    const length = Math.max(width, written.length);
    const fixed = (_: unknown, at: number) => fix?.[columns[at] ?? ''] ?? written[at] ?? '';
    const cells = fix ? Array.from({ length }, fixed) : written;
    const repairs = isRejects ? repairsOf(record.cells, width) : undefined;
    const input: Record<string, string> = {};
    for (let at = 0; at < width; at++) input[columns[at]!] = cells[at] ?? '';
    const agent = (cells[agentAt] ?? '').trim();
    const { sent, refusal } = readVariables(cells);
    const fault = record.fault ?? tooWide(cells) ?? agentFault(agent) ?? refusal;
    const known: Screened = fault
      ? { refusal: fault }
      : screen.check(
          row,
          phonesAt.map((at) => cells[at] ?? ''),
          cells[zoneAt] ?? '',
          cells[stateAt],
        );
    if (known.refusal !== undefined) {
      const refused = refusedRow(row, input, known);
      batch.rejected.push(repairs ? { ...refused, repairs } : refused);
      return;
    }
    const { phone, phones, place, ownPlace } = known;
    const person: AcceptedRow = {
      row,
      phone,
      name: cells[nameAt]?.trim() || null,
      place,
      input,
      variables: sent,
    };
    if (phones) person.phones = phones;
    if (ownPlace) person.ownPlace = true;
    if (agent) person.agent = agent;
    if (repairs) person.repairs = repairs;
    batch.accepted.push(person);
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
