import type { Log } from '../base/log.ts';
import type { Listener } from '../base/postgres/listener.ts';
import type { Engine } from './contract.ts';
import { createPostgresEngine } from './postgres/engine.ts';
import { createRedisEngine } from './redis/engine.ts';

export type * from './bucket.ts';
export type * from './contract.ts';
export { queueUnreachable } from './contract.ts';

/** Chooses the engine: Redis when there is one, else the ledger's own Postgres. */
export function createEngine(options: {
  redisUrl?: string | undefined;
  databaseUrl: string;
  log: Log;
  /**
   * The ledger's mark: two ledgers on one Redis must not take each other's jobs. Without it, only the bucket is used.
   */
  ledger?: string;
  /** How far this process's clock is ahead of the ledger's, whose time the queue uses; by default not at all. */
  aheadMs?: () => number;
  /** Hears the notices of the ledger's Postgres for the whole process. */
  listener?: Listener;
}): Promise<Engine> {
  const { redisUrl, databaseUrl, log, ledger, listener } = options;
  const aheadMs = () => Math.round(options.aheadMs?.() ?? 0);
  if (redisUrl) return createRedisEngine({ url: redisUrl, log, ledger, aheadMs });
  return createPostgresEngine({ url: databaseUrl, log, aheadMs, listener });
}
