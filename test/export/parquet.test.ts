import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CampaignAttempt } from '../../src/export/attempt.ts';
import type { Recipient } from '../../src/export/recipient.ts';
import { formatOf, writeAttempts, writeResults } from '../../src/export/results.ts';
import { openRecords } from '../support/csv.ts';
import { resultOf } from './people.ts';

/** Results as Parquet: read by a program that is not ours, they say what the CSV says, with types. */
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carillon-parquet-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* batches<T>(...given: T[][]): AsyncGenerator<T[]> {
  yield* given;
}
const read = async (path: string): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: await asyncBufferFromFile(path) });
const columnsOf = async (path: string) => {
  const { children } = parquetSchema(await parquetMetadataAsync(await asyncBufferFromFile(path)));
  return children.map(({ element: { name, type, converted_type, repetition_type } }) => ({
    name,
    type: converted_type ?? type,
    repetition_type,
  }));
};

describe('results as Parquet', () => {
  const inputs = ['Phone', 'City', 'a.b', '__proto_'];
  const rows = [
    resultOf(),
    resultOf({
      ...{ row: 3, name: '=cmd()', state: 'waiting', outcome: null, attempts: 0, callId: null, status: null },
      ...{
        duration: null,
        cost: null,
        startedAt: null,
        endedAt: null,
        transcript: null,
        recording_url: null,
      },
      ...{ structured_data: null, input: { Phone: '+1', 'a.b': 12.5, City: { nested: ['x'] } } },
    }),
    resultOf({ row: 4, structured_data: 'a text', transcript: '€ 😀\u0000'.replace('\u0000', '') }),
  ];

  it('has the columns of the CSV in its order, and types', async () => {
    const path = join(folder, 'r.parquet');
    const csv = join(folder, 'r.csv');
    expect(await writeResults({ path }, formatOf(path), inputs, batches(rows))).toBe(3);
    await writeResults({ path: csv }, 'csv', inputs, batches(rows));
    const columns = await columnsOf(path);
    expect(columns.map(({ name }) => name)).toEqual((await readFile(csv, 'utf8')).split('\n')[0]!.split(','));
    expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toMatchObject({
      ...{
        row: 'INT32',
        attempts: 'INT32',
        phone: 'UTF8',
        outcome: 'UTF8',
        duration: 'DOUBLE',
        cost: 'DOUBLE',
      },
      ...{
        started_at: 'TIMESTAMP_MILLIS',
        ended_at: 'TIMESTAMP_MILLIS',
        structured_data: 'JSON',
        in_City: 'UTF8',
      },
    });
  });

  it('says what was said: no cell is changed for spreadsheets, and what is missing is null', async () => {
    const path = join(folder, 'r.parquet');
    await writeResults({ path }, 'parquet', inputs, batches(rows.slice(0, 1), rows.slice(1)));
    const [first, second, third] = await read(path);
    expect(first).toEqual({
      ...{ row: 2, phone: '+14155550123', name: 'Ann', state: 'done', outcome: 'answered', attempts: 1 },
      ...{ call_id: 'c-1', status: 'completed', duration: 61.5, cost: 0.12 },
      started_at: new Date('2026-01-09T10:00:00.250Z'),
      ended_at: new Date('2026-01-09T10:01:01Z'),
      ...{ transcript: 'Agent: "Hi,"\nAnn: hello', recording_url: 'https://example.com/r/1' },
      ...{ structured_data: { ok: true, note: 'a,b' }, error: null },
      ...{ in_Phone: '(415) 555-0123', in_City: 'Reno', 'in_a.b': null, in___proto_: null },
    });
    expect(second).toMatchObject({
      ...{ name: '=cmd()', outcome: null, duration: null, started_at: null, structured_data: null },
      ...{ in_City: '{"nested":["x"]}', 'in_a.b': '12.5' },
    });
    expect(third).toMatchObject({ structured_data: 'a text', transcript: '€ 😀' });
  });

  it('agrees with the CSV about every cell of many rows, in groups that fit in memory', async () => {
    const many = Array.from({ length: 25_000 }, (_, at) =>
      resultOf({
        row: at + 2,
        name: `Person ${at}`,
        cost: at / 100,
        input: { Phone: `${at}`, City: at % 7 ? 'Reno' : '' },
      }),
    );
    const path = join(folder, 'many.parquet');
    const csv = join(folder, 'many.csv');
    const some = (from: number) => many.slice(from, from + 1_000);
    const parts = Array.from({ length: 25 }, (_, nth) => some(nth * 1_000));
    await writeResults({ path }, 'parquet', ['Phone', 'City'], batches(...parts));
    await writeResults({ path: csv }, 'csv', ['Phone', 'City'], batches(...parts));
    const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(path));
    expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([10_000, 10_000, 5_000]);
    const text = (value: unknown) =>
      value instanceof Date
        ? value.toISOString()
        : value === null
          ? ''
          : typeof value === 'object'
            ? JSON.stringify(value)
            : String(value);
    const told = (await read(path)).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)])),
    );
    expect(told).toEqual(openRecords(await readFile(csv, 'utf8')));
  });

  it('begins a group sooner where people spoke at length', async () => {
    const path = join(folder, 'long.parquet');
    const long = Array.from({ length: 40 }, (_, at) =>
      resultOf({ row: at + 2, transcript: `${at} `.repeat(300_000) }),
    );
    await writeResults({ path }, 'parquet', [], batches(long));
    const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(path));
    expect(row_groups.length).toBeGreaterThan(1);
    expect((await read(path)).map(({ transcript }) => String(transcript).length)).toEqual(
      long.map(({ transcript }) => transcript!.length),
    );
    // Statistics do not repeat what was said.
    expect((await stat(path)).size).toBeLessThan(5_000_000);
  });

  it('has no rows where there are none, and leaves no file where the rows break off', async () => {
    const path = join(folder, 'r.parquet');
    await writeResults({ path }, 'parquet', ['City'], batches<Recipient>());
    expect(await read(path)).toEqual([]);
    const broken = async function* () {
      yield [resultOf()];
      throw new Error('away');
    };
    const other = join(folder, 'other.parquet');
    await expect(writeResults({ path: other }, 'parquet', [], broken())).rejects.toThrow('away');
    expect(await readdir(folder)).toEqual(['r.parquet']);
  });
});

describe('attempts as Parquet', () => {
  it('have the columns of their long form', async () => {
    const attempt: CampaignAttempt = {
      ...{
        id: 'a-1',
        number: 2,
        state: 'done',
        call_id: 'c-1',
        key: 'main',
        agent: null,
        from: '+14155550100',
      },
      ...{
        provider_call_sid: null,
        planned_at: new Date(1),
        dialed_at: new Date(2),
        ended_at: null,
        outcome: 'busy',
      },
      ...{
        cost: 0.5,
        campaign: 'march',
        recipient: '7',
        row: 3,
        phone: '+14155550123',
        name: null,
        status: null,
      },
      ...{
        started_at: null,
        duration: null,
        currency: null,
        ended_reason: null,
        transcript: null,
        recording_url: null,
      },
      ...{
        structured_data: [1],
        direction: null,
        contact_id: null,
        org_id: null,
        agent_id: null,
        metadata: { a: 1 },
      },
      ...{ error: null, input: { City: 'Reno' } },
    };
    const path = join(folder, 'r.attempts.parquet');
    const csv = join(folder, 'r.attempts.csv');
    await writeAttempts({ path }, 'parquet', ['City'], batches([attempt]));
    await writeAttempts({ path: csv }, 'csv', ['City'], batches([attempt]));
    expect((await columnsOf(path)).map(({ name }) => name)).toEqual(
      (await readFile(csv, 'utf8')).split('\n')[0]!.split(','),
    );
    expect(await read(path)).toEqual([
      expect.objectContaining({
        ...{ row: 3, number: 2, outcome: 'busy', planned_at: new Date(1), ended_at: null, cost: 0.5 },
        ...{ structured_data: [1], metadata: { a: 1 }, in_City: 'Reno' },
      }),
    ]);
  });
});
