import type { TestProject } from 'vitest/node';
import { chooseFolder } from './support/memory-disk.ts';
import { startTestPostgres, type TestPostgres } from './support/postgres.ts';

/** Starts a Postgres for each worker; after the last test nothing is left, running or on disk. */
let servers: TestPostgres[] = [];

export async function setup(project: TestProject): Promise<void> {
  chooseFolder(process.env);
  const workers = Number(project.vitest.config.maxWorkers) || 1;
  servers = await Promise.all(Array.from({ length: workers }, startTestPostgres));
  project.provide(
    'postgresServers',
    servers.map(({ url, maintenanceUrl }) => ({ url, maintenanceUrl })),
  );
}

export async function teardown(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
