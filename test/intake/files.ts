import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openCsv } from '../../src/intake/csv.ts';
import { isKnownReason } from '../../src/intake/first-rows.ts';
import type { RowBatch } from '../../src/intake/recipients.ts';
import type { Intake, TableOptions } from '../../src/intake/table.ts';

/** Files for the tests of the intake, each in a folder that is removed with the test. */
export type Everything = Omit<Intake, 'batches' | 'close' | 'bytesRead'> & RowBatch;

export async function readFrom(
  content: string | Uint8Array,
  options: TableOptions = {},
): Promise<Everything> {
  return withFile(content, async (path) => readAll(await openCsv({ path }, options)));
}

export async function withFile<T>(
  content: string | Uint8Array,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-intake-'));
  const path = join(folder, 'people.csv');
  try {
    await writeFile(path, content);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The rows of all batches in one. */
export async function gather(batches: AsyncIterable<RowBatch>): Promise<RowBatch> {
  const all: RowBatch = { accepted: [], rejected: [] };
  for await (const { accepted, rejected } of batches) {
    all.accepted.push(...accepted);
    all.rejected.push(...rejected);
  }
  return all;
}

export async function readAll(intake: Intake): Promise<Everything> {
  const { batches, close, bytesRead: _bytes, ...rest } = intake;
  const { accepted, rejected } = await gather(batches).finally(close);
  // A file of rejects is known by its reasons.
  expect(rejected.map(({ reason }) => reason).filter((reason) => !isKnownReason(reason))).toEqual([]);
  return { ...rest, accepted, rejected };
}

export function utf16(text: string, order: 'le' | 'be'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'be' ? bytes.swap16() : bytes;
}
