import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { CarillonError } from '../base/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** The lock of a campaign: one `run` holds it at a time, until its process ends, however it ends. */
export type RunLock = {
  /** False when the connection broke and another run has taken the lock. */
  keep(): Promise<boolean>;
  release(): Promise<void>;
};

/** A session that broke here may still hold the lock at the server for a moment. */
const patienceMs = 5_000;

const lock = `select pg_try_advisory_lock(('x' || substr(md5('carillon run ' || $1), 1, 16))::bit(64)::bigint) as got`;

export async function takeRunLock(ledger: Ledger, campaignId: string, name: string): Promise<RunLock> {
  let client = await tryLock(ledger, campaignId);
  if (!client) throw new CarillonError('campaign-busy', `Another run is dialling the campaign ${name}`);
  let broken = false;
  const watch = (each: PoolClient) =>
    each.on('error', () => {
      broken = true;
    });
  watch(client);
  return {
    async keep() {
      if (!broken && client) return true;
      client?.release(true);
      client = null;
      for (const end = performance.now() + patienceMs; ; await sleep(500)) {
        client = await tryLock(ledger, campaignId);
        if (client) break;
        if (performance.now() > end) return false;
      }
      broken = false;
      watch(client);
      return true;
    },
    async release() {
      // The lock belongs to the session, so ending the connection surely releases it.
      client?.release(true);
      client = null;
    },
  };
}

async function tryLock(ledger: Ledger, campaignId: string): Promise<PoolClient | null> {
  const client = await ledger.db.connect();
  try {
    const result = await client.query(lock, [campaignId]);
    if (result.rows[0].got) return client;
    client.release();
    return null;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
