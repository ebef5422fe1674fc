import { Redis } from 'ioredis';
import { describe, test } from 'vitest';
import { canUseRedis, startRedis } from '../support/redis.ts';
import { engineContract } from './engine.ts';

if (canUseRedis('the contract of the redis engine')) {
  engineContract('redis', async () => {
    const redis = await startRedis();
    const client = new Redis(redis.url);
    client.on('error', () => {});
    return {
      settings: { redisUrl: redis.url, databaseUrl: 'postgres://unused' },
      forget: async () => void (await client.flushall()),
      cut: redis.kill,
      restore: redis.restart,
      async close() {
        client.disconnect();
        await redis.stop();
      },
    };
  });
} else {
  describe.skip('the redis engine', () => {
    test('needs redis-server on the PATH', () => {});
  });
}
