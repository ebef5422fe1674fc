import { createHash } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';

/** Runs a script by its digest, and sends the whole of it only to a server that does not know it. */
type LuaScript = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

export function createScript(client: Redis | Cluster, text: string): LuaScript {
  const digest = createHash('sha1').update(text).digest('hex');
  return async (keys, args) => {
    try {
      return await client.evalsha(digest, keys.length, ...keys, ...args);
    } catch (error) {
      // A restart or a flush empties the script cache.
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return client.eval(text, keys.length, ...keys, ...args);
    }
  };
}
