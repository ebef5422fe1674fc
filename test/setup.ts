import type { TestProject } from 'vitest/node';
import { startTestPostgres, type TestPostgres } from './support/postgres.ts';

/** Starts one Postgres for all tests; after the last one nothing is left, running or on disk. */
let postgres: TestPostgres | undefined;

export async function setup(project: TestProject): Promise<void> {
  postgres = await startTestPostgres();
  project.provide('postgresUrl', postgres.url);
}

export async function teardown(): Promise<void> {
  await postgres?.stop();
}
