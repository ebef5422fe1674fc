import type { Pool } from 'pg';
import { createBatch } from '../../base/batch.ts';
import { type Bucket, checkMs, checkPace } from '../bucket.ts';

/** The bucket in Postgres: one row per lane, one function per verb. */
type ReadRow = { lane: string; rate: number; burst: number; rest: number; wait: number };
type MemoryRow = { lane: string; version: number; value: unknown };

export function createPostgresBucket(pool: Pool): Bucket {
  /** Named, so that the server parses and plans each statement once per connection. */
  async function run<R extends object>(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<R | undefined> {
    const { rows } = await pool.query<R>({ name: `carillon_engine.${name}`, text, values });
    return rows[0];
  }
  /** A list of a thousand keys reads all of them at once. */
  const together = <R extends { lane: string }>(name: string, text: string) =>
    createBatch<string, R | undefined>(
      async (lanes) => {
        const { rows } = await pool.query<R>({ name: `carillon_engine.${name}`, text, values: [lanes] });
        const rowOf = new Map(rows.map((row) => [row.lane, row]));
        return lanes.map((lane) => rowOf.get(lane));
      },
      { most: 1_000, momentMs: 0 },
    );
  const read = together<ReadRow>(
    'read',
    `SELECT lane, rate, burst, greatest(rest_until - n, 0) AS rest, greatest(next_at - n, rest_until - n, 0) AS wait
       FROM carillon_engine.bucket, carillon_engine.now_ms() AS n
      WHERE lane = ANY ($1) AND rate IS NOT NULL`,
  );
  const readMemory = together<MemoryRow>(
    'read_memory',
    'SELECT lane, version, value FROM carillon_engine.memory WHERE lane = ANY ($1)',
  );
  return {
    async take(lane, want, horizonMs, pace) {
      checkPace(pace);
      checkMs(horizonMs);
      const row = await run<{ delays: number[]; wait_ms: number }>(
        'take',
        'SELECT delays, wait_ms FROM carillon_engine.take($1, $2, $3, $4, $5)',
        [lane, want, horizonMs, pace.rate, pace.burst],
      );
      return { delays: row?.delays ?? [], waitMs: Math.ceil(row?.wait_ms ?? 0) };
    },
    async rest(lane, ms) {
      checkMs(ms);
      await run('rest', 'SELECT carillon_engine.rest($1, $2)', [lane, ms]);
    },
    async wake(lane) {
      await run('wake', 'SELECT carillon_engine.wake($1)', [lane]);
    },
    async setRate(lane, pace) {
      checkPace(pace);
      await run('pace', 'SELECT carillon_engine.pace($1, $2, $3)', [lane, pace.rate, pace.burst]);
    },
    async read(lane) {
      const row = await read(lane);
      if (!row) return null;
      const { rate, burst, rest, wait } = row;
      return { rate, burst, restMs: Math.ceil(rest), waitMs: Math.ceil(wait) };
    },
    async readState(lane) {
      const row = await readMemory(lane);
      return row ? { version: row.version, value: row.value } : { version: 0, value: null };
    },
    async writeState(lane, version, value) {
      const row = await run<{ done: boolean }>(
        'write_memory',
        'SELECT carillon_engine.write_memory($1, $2, $3::jsonb) AS done',
        [lane, version, JSON.stringify(value)],
      );
      return row?.done ?? false;
    },
  };
}
