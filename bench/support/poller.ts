import { DelayedError } from 'bullmq';
import { createLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';

/**
 * One of several processes that poll: each job is put off several times before it is done. Ends when its input does.
 */
type Order = { databaseUrl: string; queue: string; hops: number; concurrency: number; mostDelayMs: number };

const { databaseUrl, queue, hops, concurrency, mostDelayMs } = JSON.parse(process.argv[2] ?? '{}') as Order;
const engine = await createEngine({ databaseUrl, log: createLog('silent') });
const tally = { done: 0, delayed: 0, failed: 0, errors: {} as Record<string, number> };
const count = (error: Error) => {
  const code = (error as { code?: string }).code ?? error.message.slice(0, 60);
  tally.errors[code] = (tally.errors[code] ?? 0) + 1;
};
const worker = engine.newWorker<{ n: number }>(
  queue,
  async (job, token) => {
    if (job.attemptsStarted > hops) {
      tally.done += 1;
      return;
    }
    await job.moveToDelayed(Date.now() + 1 + Math.floor(Math.random() * mostDelayMs), token);
    tally.delayed += 1;
    throw new DelayedError();
  },
  { concurrency },
);
worker.on('error', count);
worker.on('failed', (_job, error) => {
  tally.failed += 1;
  count(error);
});
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('end', resolve).resume());
await engine.close();
process.stdout.write(`${JSON.stringify({ ...tally, again: engine.deadlocks() })}\n`);
process.exit(0);
