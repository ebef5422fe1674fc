import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';
import { type Bucket, checkMs, checkPace } from '../bucket.ts';
import { createScript } from './script.ts';

/** The bucket in Redis: one script, one hash per lane. `prefixOf` returns a prefix with the tag of the lane's slot. */
const script = readFileSync(new URL('./take.lua', import.meta.url), 'utf8');

export function createRedisBucket(client: Redis | Cluster, prefixOf: (lane: string) => string): Bucket {
  const take = createScript(client, script);
  const run = (key: string, ...args: (string | number)[]) => take([key], args);
  const bucketOf = (lane: string) => `${prefixOf(lane)}:bucket:${lane}`;
  const memoryOf = (lane: string) => `${prefixOf(lane)}:memory:${lane}`;
  return {
    async take(lane, want, horizonMs, pace) {
      checkPace(pace);
      checkMs(horizonMs);
      const reply = await run(bucketOf(lane), 'take', want, horizonMs, pace.rate, pace.burst);
      const [wait = 0, ...delays] = reply as number[];
      return { delays: delays.map((us) => us / 1000), waitMs: Math.ceil(wait / 1000) };
    },
    async rest(lane, ms) {
      checkMs(ms);
      await run(bucketOf(lane), 'rest', ms);
    },
    async wake(lane) {
      await run(bucketOf(lane), 'wake');
    },
    async setRate(lane, pace) {
      checkPace(pace);
      await run(bucketOf(lane), 'pace', pace.rate, pace.burst);
    },
    async read(lane) {
      const reply = (await run(bucketOf(lane), 'read')) as string[] | null;
      if (!reply) return null;
      const [rate, burst, rest, wait] = reply.map(Number) as [number, number, number, number];
      return { rate, burst, restMs: Math.ceil(rest / 1000), waitMs: Math.ceil(wait / 1000) };
    },
    async readState(lane) {
      const [version, value] = await client.hmget(memoryOf(lane), 'version', 'value');
      if (!version || !value) return { version: 0, value: null };
      return { version: Number(version), value: JSON.parse(value) };
    },
    async writeState(lane, version, value) {
      return (await run(memoryOf(lane), 'write', version, JSON.stringify(value))) === 1;
    },
  };
}
