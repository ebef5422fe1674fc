import pg from 'pg';
import { afterEach, beforeEach } from 'vitest';
import type { TestDatabase } from '../support/postgres.ts';

/** A database for each test of a file. Everything in `opened` is closed after the test, the latest first. */
export function databaseForEach(make: () => Promise<TestDatabase>) {
  let database: TestDatabase;
  const opened: { close(): Promise<unknown> }[] = [];
  beforeEach(async () => {
    database = await make();
  });
  afterEach(async () => {
    for (const part of opened.splice(0).reverse()) await part.close();
    await database.drop();
  });
  return {
    opened,
    get url() {
      return database.url;
    },
    get maintenanceUrl() {
      return database.maintenanceUrl;
    },
    /** Another process, statement by statement, in the tables of the queue. */
    async connect(): Promise<pg.Client> {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      opened.push({ close: () => client.end() });
      await client.query('set search_path to carillon_queue');
      return client;
    },
  };
}
