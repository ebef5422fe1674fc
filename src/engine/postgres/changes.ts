import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Client } from 'pg';

/** A function of BullMQ's in the database that we install with another body. */
type Change = { name: string; args: number; digest: string; bodyOf(shipped: string): string };

/** Changed only while its body is the one that we know: a later BullMQ's is left as it is. */
export const changes: readonly Change[] = [
  /**
   * BullMQ's claim of a job first makes every delayed job that is due a waiting one, in no order. Two processes that do
   * this at once each hold rows that the other wants. Here the claim passes over rows that another process holds: that
   * process makes them waiting itself, or the next claim does.
   */
  {
    name: 'move_to_active',
    args: 7,
    digest: '2e4c24b17bf9fe5e39ca0c2b22533da7affd12aeb51573dd60af4f24544fca4d',
    bodyOf: (shipped) =>
      shipped.replace(
        `       WHERE queue = p_queue
         AND state = 'delayed'
         AND process_at_ms <= p_now
      RETURNING id`,
        `       WHERE queue = p_queue
         AND ctid = ANY (ARRAY (
           SELECT due.ctid
             FROM job due
            WHERE due.queue = p_queue
              AND due.state = 'delayed'
              AND due.process_at_ms <= p_now
              FOR UPDATE SKIP LOCKED
         ))
      RETURNING id`,
      ),
  },
  /**
   * BullMQ adds several jobs by way of two temporary tables, which are made and dropped each time. That took a third of
   * all that Postgres did for a campaign at 20 requests a second. Here one statement does the same.
   */
  {
    name: 'add_jobs_bulk_unlocked',
    args: 2,
    digest: '209fb13cead529e0a051f02bd775c7047e5130f5e9a76fb79a38f6059e06053a',
    bodyOf: () => readFileSync(new URL('./add-jobs.sql', import.meta.url), 'utf8'),
  },
];

const find = readFileSync(new URL('./functions.sql', import.meta.url), 'utf8');

/** False while a function is still as BullMQ ships it. */
export async function isChanged(client: Client, schema: string): Promise<boolean> {
  return (await asShipped(client, schema)).length === 0;
}

/** A role that may not change them uses them as they are: a lost deadlock is run again. */
export async function change(client: Client, schema: string): Promise<void> {
  for (const definition of await asShipped(client, schema)) {
    try {
      await client.query(definition);
    } catch (error) {
      if ((error as { code?: string }).code !== '42501') throw error;
    }
  }
}

/** The text to install instead of each function that is still BullMQ's own. */
async function asShipped(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; body: string; definition: string }>(find, [
    schema,
    changes.map(({ name }) => name),
    changes.map(({ args }) => args),
  ]);
  return rows.flatMap(({ name, body, definition }) => {
    const { digest, bodyOf } = changes.find((one) => one.name === name)!;
    const known = createHash('sha256').update(body).digest('hex') === digest;
    return known ? [definition.replace(body, () => bodyOf(body))] : [];
  });
}
