import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../base/config/config.ts';
import type { Log } from '../base/log.ts';
import { startEmbedded } from '../embedded/embedded.ts';

/** False if a ledger would have to be created first. */
export function hasLedger({ databaseUrl, home }: Pick<Config, 'databaseUrl' | 'home'>): boolean {
  return databaseUrl !== undefined || existsSync(join(home, 'ledger', 'PG_VERSION'));
}

/** Returns the ledger's address, embedded or not, before it has tables. Keeps the embedded one running meanwhile. */
export async function withLedgerUrl<T>(
  config: Config,
  log: Log,
  work: (url: string, fresh: boolean) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl) return work(config.databaseUrl, false);
  const embedded = await startEmbedded({ home: config.home, log });
  try {
    return await work(embedded.url, embedded.fresh);
  } finally {
    await embedded.close();
  }
}
