import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Client } from 'pg';

/** A function of BullMQ's in the database that we install with another body. */
type Change = { name: string; args: number; digests: readonly string[]; bodyOf(known: string): string };

/** Each is changed only while its body is one that we know: a later BullMQ's is left as it is. */
export const changes: readonly Change[] = [
  /**
   * BullMQ writes and notifies of an event for each step of a job. Nobody reads them here, and Postgres lets notifying
   * commits through one at a time. A queue whose event length is 0 writes none.
   */
  {
    name: 'publish_event',
    args: 3,
    digests: ['f14aab58d56fc93af1fb6581ca959d49635cf96d9645318b1b4537794c08c412'],
    bodyOf: (known) => known.replace('\nBEGIN\n', () => `\nBEGIN\n${textOf('no-events')}`),
  },
  /**
   * BullMQ adds several jobs through two temporary tables, which it makes and drops each time. This took a third of all
   * that Postgres did for a campaign at 20 requests a second. Here one statement does the same. It also notifies of a
   * delayed job only if that job is the first.
   */
  {
    name: 'add_jobs_bulk_unlocked',
    args: 2,
    digests: [
      '209fb13cead529e0a051f02bd775c7047e5130f5e9a76fb79a38f6059e06053a',
      '4f7026dbe8c90eb6c63b7453a7df389a9f2104be1efa4a7a6ba7a3d330d9413f',
      'a1739f61150d8054fa25d183458faf4368c50d08ca3c31724fd7dcbdc1112a94',
      'c750a358f3c8584afe67d4ac7dbcaa397634426223dd3643dc81b33f67097ea0',
    ],
    bodyOf: () => textOf('add-jobs'),
  },
];

const find = textOf('functions');
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
  return [...(await asShipped(client, schema)), ...(await tablesAsShipped(client, schema))];
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

/** The text to install for each function that is still BullMQ's own. */
async function asShipped(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; body: string; definition: string }>(find, [
    schema,
    changes.map(({ name }) => name),
    changes.map(({ args }) => args),
  ]);
  return rows.flatMap(({ name, body, definition }) => {
    const { digests, bodyOf } = changes.find((one) => one.name === name)!;
    const isKnown = digests.includes(createHash('sha256').update(body).digest('hex'));
    return isKnown ? [definition.replace(body, () => bodyOf(body))] : [];
  });
}
