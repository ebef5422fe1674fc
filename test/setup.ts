import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { chooseFolder } from './support/memory-disk.ts';
import { startTestPostgres, type TestPostgres } from './support/postgres.ts';

/**
 * Builds the program, if its sources are newer: as a child process it starts three times as fast as from its sources.
 * Starts a Postgres for each worker; after the last test nothing is left, running or on disk, but for the build.
 */
let servers: TestPostgres[] = [];

export async function setup(project: TestProject): Promise<void> {
  chooseFolder(process.env);
  build();
  const workers = Number(project.vitest.config.maxWorkers) || 1;
  servers = await Promise.all(Array.from({ length: workers }, startTestPostgres));
  project.provide(
    'postgresServers',
    servers.map(({ url, maintenanceUrl }) => ({ url, maintenanceUrl })),
  );
}

function build(): void {
  const script = fileURLToPath(new URL('../scripts/build.js', import.meta.url));
  const quick = ['--quick', '--if-stale', '--no-page'];
  const { status } = spawnSync(process.execPath, [script, ...quick], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the program could not be built: see above');
}

export async function teardown(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
