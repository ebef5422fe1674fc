import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, afterEach, describe, expect } from 'vitest';
import { people, summaryOf } from '../support/carillon.ts';
import { canMakeCertificates, makeCertificates } from '../support/certificates.ts';
import { expectSound } from '../support/journeys.ts';
import { freePort } from '../support/ports.ts';
import { canUseRedis, startCluster, startRedis, tell } from '../support/redis.ts';
import { granted, redisUser } from '../support/redis-user.ts';
import { startSentinel } from '../support/sentinel.ts';
import { it } from './desk.ts';

/** A Redis that asks for TLS and a user: what the guide says of both is enough for a whole campaign, and no more. */
const root = new URL('../../', import.meta.url);
type Ground = { url: string; ports: number[] };

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
});

/** Opens the servers to the guide's user only; a person who looks in afterwards is `admin`. */
async function closeToOthers(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    expect(await tell(port, redisUser('pass#1'))).toMatch(/^\+OK/);
    expect(await tell(port, 'ACL SETUSER admin on >admin ~* &* +@all')).toMatch(/^\+OK/);
    expect(await tell(port, 'ACL SETUSER default off')).toMatch(/^\+OK/);
  }
}

const named = (url: string) => url.replace('://', '://carillon:pass%231@');

async function startSecure(tls: readonly string[]) {
  let port = 0;
  const redis = await startRedis(async () => {
    port = await freePort();
    return [...tls, '--tls-port', String(port)];
  });
  opened.push({ close: redis.stop });
  return { redis, port };
}

const secure = 'a Redis with TLS and users';
describe.runIf(canUseRedis(secure) && canMakeCertificates(secure))(
  'a run as the user of the guide, over TLS',
  () => {
    const certificates = makeCertificates();
    afterAll(certificates.remove);
    const { args: tls, lines } = certificates;

    const grounds: Record<string, () => Promise<Ground>> = {
      async single() {
        const { redis, port } = await startSecure(tls);
        await closeToOthers([redis.port]);
        return { url: named(`rediss://127.0.0.1:${port}/2`), ports: [redis.port] };
      },
      async cluster() {
        const cluster = await startCluster(3, 0, tls);
        opened.push({ close: cluster.stop });
        const ports = cluster.masters.map(({ port }) => port);
        await closeToOthers(ports);
        return { url: named(cluster.url), ports };
      },
      async sentinel() {
        const { redis, port } = await startSecure(tls);
        // First, as a Sentinel that asks for a user who is not there yet is noted as an intruder.
        await closeToOthers([redis.port]);
        const open = await freePort();
        const sentinel = await startSentinel(port, [
          ...[...lines, 'tls-replication yes', `tls-port ${open}`, 'requirepass watch#1'],
          ...['sentinel auth-user calls admin', 'sentinel auth-pass calls admin'],
        ]);
        opened.push(sentinel);
        return {
          url: `${named(`rediss://127.0.0.1:${open}`)}?sentinel=calls&sentinel_password=watch%231`,
          ports: [redis.port],
        };
      },
    };

    it.for(Object.keys(grounds))('calls everyone: %s', async (kind, { openDesk }) => {
      const ground = await grounds[kind]!();
      const desk = await openDesk('postgres', { speed: 600, rate: 50, keys: ['sk_one', 'sk_two'] });
      const env = { REDIS_URL: ground.url, VOICE_API_KEYS: 'one=sk_one,two=sk_two', VOICE_RATE: '50' };
      desk.write('people.csv', people(60));
      const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
      const refused = await desk.run(args, env);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toMatch(
        /Redis cannot be reached: .*\. Check REDIS_URL, and NODE_EXTRA_CA_CERTS/,
      );
      const trusting = { ...env, NODE_EXTRA_CA_CERTS: certificates.ca };
      const ended = await desk.run(
        [...args, '--max-attempts', '2', '--retry', 'busy=1s,no-answer=1s'],
        trusting,
      );
      expect(ended.code, ended.stderr).toBe(0);
      expect(summaryOf(ended)).toMatchObject({ rows: 60, done: 60, unknown: 0 });
      expect(ended.stderr + refused.stderr).not.toMatch(/pass#1|pass%231|watch/);
      await expectSound(desk, 2);
      for (const port of ground.ports) {
        const admin = new Redis({ port, username: 'admin', password: 'admin' });
        expect(await admin.call('ACL', 'LOG')).toEqual([]);
        expect((await admin.keys('*')).filter((key) => !key.startsWith('{carillon'))).toEqual([]);
        admin.disconnect();
      }
    });

    it('has leave for what the scripts do, and for nothing else', () => {
      const folder = fileURLToPath(new URL('node_modules/bullmq/dist/esm/commands/', root));
      const own = fileURLToPath(new URL('src/engine/redis/', root));
      // BullMQ's relay is not used.
      const ofBullMq = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.lua') && !name.includes('relay'))
        .map((name) => folder + name);
      const scripts = ofBullMq.concat(
        readdirSync(own)
          .filter((name) => name.endsWith('.lua'))
          .map((name) => own + name),
      );
      const called = scripts.flatMap((path) =>
        [...readFileSync(path, 'utf8').matchAll(/(?:rcall|redis\.p?call)\(\s*["'](\w+)["']/gi)].map((found) =>
          found[1]!.toLowerCase(),
        ),
      );
      expect([...granted].sort()).toEqual([...new Set([...called, ...ofClient])].sort());
    });
  },
);

/** What the client sends besides the scripts. */
const ofClient =
  'asking bzpopmin client|list client|setname cluster|info cluster|slots eval evalsha info ping select'.split(
    ' ',
  );
