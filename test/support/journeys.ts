import pg from 'pg';
import { expect } from 'vitest';
import type { JournalEntry } from '../../simulator/journal.ts';
import type { Desk, Ended } from './carillon.ts';

/** Checks that the journeys share: who was dialled, and whether the ledger's sums hold. */

/** Polls until something is true: the program is another process, so its state can be seen only from outside. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string, withinMs = 240_000) {
  const end = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`did not happen within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Every create that arrived, in order, whatever the answer. */
export function creates(desk: Desk): JournalEntry[] {
  return [...desk.sim.journal({ method: 'POST' })].filter((entry) => entry.path === '/v1/call');
}

/** Creates that arrived, by phone. */
export function asked(desk: Desk): Map<string, number> {
  const phones = new Map<string, number>();
  for (const { phone } of creates(desk)) if (phone) phones.set(phone, (phones.get(phone) ?? 0) + 1);
  return phones;
}

/**
 * By how much the worst second exceeded the limit. Requests that arrive after a silence may have been sent during it:
 * a busy machine wakes the service late. So callers allow a quarter more; tests in virtual time check the exact limit.
 */
export function worstOverrun(entries: readonly JournalEntry[], rate: number): number {
  const arrivals = entries.map((entry) => entry.mono);
  let worst = 0;
  for (let from = 0, to = 0; from < arrivals.length; from++) {
    while (to < arrivals.length && arrivals[to]! < arrivals[from]! + 1_000) to++;
    const silence = from === 0 ? 0 : arrivals[from]! - arrivals[from - 1]!;
    worst = Math.max(worst, to - from - rate * (1 + silence / 1_000));
  }
  return worst;
}

/** The service accepted no phone twice, and the ledger's audit passes. */
export async function expectSound(desk: Desk, calls = 1): Promise<void> {
  for (const [phone, times] of desk.created()) expect(times, `calls to ${phone}`).toBeLessThanOrEqual(calls);
  const audit = await desk.type(['audit', '--json']);
  expect(audit.code, audit.stdout + audit.stderr).toBe(0);
}

/** A refused command line exits with 2, prints nothing on stdout and one matching line on stderr. */
export function expectRefused(ended: Ended, words: RegExp): void {
  expect(ended.stderr).toMatch(words);
  expect(ended.stderr.trim().split('\n'), ended.stderr).toHaveLength(1);
  expect(ended.stderr).toMatch(/^carillon: .*[.!?]\n$/);
  expect(ended.stdout).toBe('');
  expect(ended.code).toBe(2);
}

/** Queries the ledger directly, not through the program. */
export async function ask<T extends object>(desk: Desk, sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: desk.databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as T[];
  } finally {
    await client.end();
  }
}

/** Runs at most `most` of the works at a time, in order. */
export async function inTurns<T>(works: readonly (() => Promise<T>)[], most: number): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    while (next < works.length) {
      const at = next++;
      results[at] = await works[at]!();
    }
  };
  await Promise.all(Array.from({ length: most }, lane));
  return results;
}
