import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { log } from '../dispatch/support.ts';
import { freshDatabase } from './postgres.ts';
import { canUseRedis, startRedis } from './redis.ts';

/** Each engine on a server of its own, for what must be the same on both. */
export type Ground = { engine: Engine; close(): Promise<void> };

async function withPostgres(): Promise<Ground> {
  const database = await freshDatabase();
  const engine = await createEngine({ databaseUrl: database.url, log });
  return {
    engine,
    async close() {
      await engine.close();
      await database.drop();
    },
  };
}

async function withRedis(): Promise<Ground> {
  const redis = await startRedis();
  const engine = await createEngine({ databaseUrl: '', redisUrl: redis.url, log });
  return {
    engine,
    async close() {
      await engine.close();
      await redis.stop();
    },
  };
}

/** `what` names the tests that a machine without Redis lacks. */
export function bothEngines(what: string): [name: string, open: () => Promise<Ground>][] {
  const postgres: [string, () => Promise<Ground>] = ['postgres', withPostgres];
  return canUseRedis(`${what} on Redis`) ? [postgres, ['redis', withRedis]] : [postgres];
}
