import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Client } from 'pg';

/**
 * BullMQ's claim of a job first makes every delayed job that is due a waiting one, in no order. Two processes that do
 * this at once each hold rows that the other wants. Here the claim passes over rows that another process holds: that
 * process makes them waiting itself, or the next claim does.
 */
type Passage = { name: string; args: number; digest: string; from: string; to: string };

/** Changed only while its body is the one that we know: what a later BullMQ ships is left as it is. */
export const passages: readonly Passage[] = [
  {
    name: 'move_to_active',
    args: 7,
    digest: '2e4c24b17bf9fe5e39ca0c2b22533da7affd12aeb51573dd60af4f24544fca4d',
    from: `       WHERE queue = p_queue
         AND state = 'delayed'
         AND process_at_ms <= p_now
      RETURNING id`,
    to: `       WHERE queue = p_queue
         AND id IN (
           SELECT due.id
             FROM job due
            WHERE due.queue = p_queue
              AND due.state = 'delayed'
              AND due.process_at_ms <= p_now
              FOR UPDATE SKIP LOCKED
         )
      RETURNING id`,
  },
];

const find = readFileSync(new URL('./claim.sql', import.meta.url), 'utf8');

/** False while a claim is still as BullMQ ships it. */
export async function isClaimSteady(client: Client, schema: string): Promise<boolean> {
  return (await asShipped(client, schema)).length === 0;
}

/** A role that may not change them uses them as they are: a lost deadlock is run again. */
export async function steadyClaim(client: Client, schema: string): Promise<void> {
  for (const definition of await asShipped(client, schema)) {
    try {
      await client.query(definition);
    } catch (error) {
      if ((error as { code?: string }).code !== '42501') throw error;
    }
  }
}

/** What to install instead of each function that is still BullMQ's own. */
async function asShipped(client: Client, schema: string): Promise<string[]> {
  const changed: string[] = [];
  for (const { name, args, digest, from, to } of passages) {
    const { rows } = await client.query<{ body: string; definition: string }>(find, [schema, name, args]);
    const known = rows[0] && createHash('sha256').update(rows[0].body).digest('hex') === digest;
    if (known) changed.push(rows[0]!.definition.replace(from, () => to));
  }
  return changed;
}
