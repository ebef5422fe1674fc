import { join } from 'node:path';
import { mostInHand } from '../../workers/loops.ts';
import { runToEnd } from './child.ts';
import { readJournal, type Seen } from './journal.ts';
import { type EngineKind, root, type Stage } from './stage.ts';

/** The systems under test: each makes the same calls in its own process, on empty stores. */
const scripts = { bullmq: 'bare.js', 'pg-boss': 'pgboss.js', 'graphile-worker': 'graphile.js' } as const;
export type PeerName = keyof typeof scripts;
export type SystemName = 'carillon' | PeerName;
/** Peers that run only on Postgres are compared with either engine. */
export const peerNames = Object.keys(scripts) as PeerName[];

export type Order = { engine: EngineKind; calls: number; people: string; signal: AbortSignal };

/** Life: seconds of the whole process, including its start, the import of the list and the writing of results. */
export type Run = Seen & { system: SystemName; engine: EngineKind; life: number };

const key = 'bench-key';
/** Jobs at once on each of the two queues, in every system. */
const concurrency = mostInHand;
const deadlineMs = 180_000;

export async function runSystem(stage: Stage, system: SystemName, order: Order): Promise<Run> {
  const database = await stage.freshDatabase();
  const service = await stage.startService(order.signal);
  try {
    const { engine } = order;
    const redisUrl = engine === 'redis' ? await stage.freshRedis() : undefined;
    const urls = { service: service.url, database: database.url, redis: redisUrl };
    const life =
      system === 'carillon'
        ? await runCarillon(stage, order, urls)
        : await runPeer(stage, system, order, urls);
    const seen = await readJournal(service.url);
    if (seen.calls !== order.calls) throw new Error(`${system} made ${seen.calls} of ${order.calls} calls`);
    return { system, engine, life, ...seen };
  } finally {
    await service.stop();
    await database.drop();
  }
}

type Urls = { service: string; database: string; redis: string | undefined };

/** The product as a user runs it, from the file to the results file. */
async function runCarillon(stage: Stage, order: Order, urls: Urls): Promise<number> {
  const flags = ['--agent', 'agent_bench', '--name', 'bench', '--new', '--yes', '--json'];
  const out = ['--out', join(stage.folder, 'results.csv')];
  const args = [...stage.nodeArgs('carillon'), stage.program, 'run', order.people, ...flags, ...out];
  const env = {
    PATH: process.env.PATH,
    VOICE_BASE_URL: urls.service,
    VOICE_API_KEYS: `bench=${key}`,
    // The highest value allowed: as good as no limit.
    VOICE_RATE: '100000',
    DATABASE_URL: urls.database,
    REDIS_URL: urls.redis,
    CARILLON_HOME: join(stage.folder, 'home'),
  };
  const ended = await runToEnd(args, { env, cwd: stage.folder, signal: order.signal, deadlineMs });
  const summary = JSON.parse(ended.stdout) as { done: number };
  if (summary.done !== order.calls)
    throw new Error(`carillon stored ${summary.done} of ${order.calls} results`);
  return ended.seconds;
}

async function runPeer(stage: Stage, system: PeerName, order: Order, urls: Urls): Promise<number> {
  const wanted = {
    engine: order.engine,
    storeUrl: (system === 'bullmq' && urls.redis) || urls.database,
    serviceUrl: urls.service,
    key,
    calls: order.calls,
    concurrency,
  };
  const args = [
    ...stage.nodeArgs(system),
    join(root, 'bench', 'peers', scripts[system]),
    JSON.stringify(wanted),
  ];
  const env = { PATH: process.env.PATH };
  return (await runToEnd(args, { env, cwd: stage.folder, signal: order.signal, deadlineMs })).seconds;
}
