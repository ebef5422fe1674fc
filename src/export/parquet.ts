import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { z } from 'zod';
import type { OpenTarget } from './target.ts';

/**
 * Writes rows as Parquet, a group of rows at a time, so that memory is bounded. The type of a column is that of its
 * field in the API: whole numbers, numbers, times in UTC, JSON; everything else is text, as the input's columns are.
 */
type ColumnKind = 'int' | 'double' | 'time' | 'json' | 'text';

const elements: Record<ColumnKind, Omit<SchemaElement, 'name'>> = {
  int: { type: 'INT32', repetition_type: 'OPTIONAL' },
  double: { type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    repetition_type: 'OPTIONAL',
  },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON', repetition_type: 'OPTIONAL' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
};

/** A group that is read is in a reader's memory as a whole, too. */
const mostRows = 10_000;
const mostText = 16_000_000;
/** What the statistics of a column keep of its least and its greatest text. */
const keptOfText = 64;

type ParquetColumn = { name: string; kind: ColumnKind };

/** Returns the number of rows. */
export async function writeParquet<Row>(
  out: Pick<OpenTarget, 'write'>,
  columns: readonly ParquetColumn[],
  batches: AsyncIterable<readonly Row[]>,
  cells: (row: Row) => readonly unknown[],
): Promise<number> {
  const writer = new ByteWriter() as ByteWriter & { flush(): Promise<void> };
  writer.flush = async () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    await out.write(bytes);
  };
  const parquet = new ParquetWriter({
    writer,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, kind }) => ({ name, ...elements[kind] })),
    ],
    statisticsTruncateLength: keptOfText,
    createdBy: 'carillon',
  });
  let group: unknown[][] = columns.map(() => []);
  let rows = 0;
  let text = 0;

  const write = async () => {
    const columnData = columns.map(({ name }, at) => ({ name, data: group[at]! }));
    group = columns.map(() => []);
    const size = rows;
    rows = 0;
    text = 0;
    await parquet.write({ columnData, rowGroupSize: size });
  };

  let count = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      const values = cells(row);
      for (const [at, { kind }] of columns.entries()) {
        const value = cellOf(values[at], kind);
        if (typeof value === 'string') text += value.length;
        group[at]!.push(value);
      }
      rows += 1;
      if (rows >= mostRows || text >= mostText) await write();
    }
    count += batch.length;
  }
  if (rows > 0) await write();
  parquet.finish();
  await writer.flush();
  return count;
}

/** The kind of column that a field of a shape is. */
export function kindOfField(schema: z.ZodType): ColumnKind {
  const { def } = schema as unknown as { def: { type: string; format?: string; innerType?: z.ZodType } };
  switch (def.type) {
    case 'nullable':
    case 'optional':
      return kindOfField(def.innerType!);
    case 'number':
      return def.format === 'safeint' ? 'int' : 'double';
    case 'date':
      return 'time';
    case 'string':
    case 'enum':
      return 'text';
    default:
      return 'json';
  }
}

function cellOf(value: unknown, kind: ColumnKind): unknown {
  if (value === undefined || value === null) return null;
  if (kind === 'text' && typeof value !== 'string')
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  return value;
}
