import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Client } from 'pg';

/**
 * BullMQ writes and notifies of an event for each step of a job. Nobody reads them here, and Postgres lets notifying
 * commits through one at a time. A queue whose event length is 0 writes none. The function is changed only while its body
 * is the one that we know: a later BullMQ's is left as it is.
 */
const knownBody = 'f14aab58d56fc93af1fb6581ca959d49635cf96d9645318b1b4537794c08c412';

const find = textOf('functions');
const noEvents = textOf('no-events');
const tables = textOf('tables');

function textOf(name: string): string {
  return readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8');
}

/** False while anything is still as BullMQ ships it. */
export async function isChanged(client: Client, schema: string): Promise<boolean> {
  return (await changesTo(client, schema)).length === 0;
}

/** A role that may not change the functions uses what is there: a lost deadlock is run again. */
export async function change(client: Client, schema: string): Promise<void> {
  for (const definition of await changesTo(client, schema)) {
    try {
      await client.query(definition);
    } catch (error) {
      if ((error as { code?: string }).code !== '42501') throw error;
    }
  }
}

async function changesTo(client: Client, schema: string): Promise<string[]> {
  return [...(await functionAsShipped(client, schema)), ...(await tablesAsShipped(client, schema))];
}

/**
 * Jobs need not outlive a crash of the server, because the reconciler adds them again from the ledger. Leaving them out
 * makes Postgres's log half as long. Ours have no logs and no children, which each end of a job looked for and removed:
 * this took half of its time.
 */
async function tablesAsShipped(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; change: string }>(tables, [schema]);
  return rows.map(({ name, change: what }) => `ALTER TABLE ${schema}.${name} ${what}`);
}

/** The text to install while the function is still BullMQ's own. */
async function functionAsShipped(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ body: string; definition: string }>(find, [schema]);
  return rows
    .filter(({ body }) => createHash('sha256').update(body).digest('hex') === knownBody)
    .map(({ body, definition }) => {
      const quiet = body.replace('\nBEGIN\n', () => `\nBEGIN\n${noEvents}`);
      return definition.replace(body, () => quiet);
    });
}
