import { DelayedError } from 'bullmq';
import { createLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';

/** A child process for what a test cannot do in its own: being killed, ending by itself, having a clock that is wrong. */
type Order = {
  what: 'hang' | 'close' | 'close-late' | 'stray';
  queue: string;
  databaseUrl: string;
  redisUrl?: string | undefined;
  /** By how much its clock is ahead. */
  offMs?: number;
};

const order = JSON.parse(process.argv[2] ?? '{}') as Order;
const say = (word: string) => process.stdout.write(`${word}\n`);
const { offMs = 0 } = order;
const rightNow = Date.now.bind(Date);
Date.now = () => rightNow() + offMs;
const engine = await createEngine({ ...order, aheadMs: () => offMs, log: createLog('silent') });
const queue = engine.newQueue<{ n: number }>(order.queue);

if (order.what === 'hang') {
  engine.newWorker(order.queue, () => new Promise(() => say('taken')), { concurrency: 1, lockMs: 1_000 });
} else if (order.what === 'stray') {
  const worker = engine.newWorker<{ n: number }>(
    order.queue,
    async (job, token) => {
      say(`took ${job.data.n} at ${rightNow()}`);
      if (job.data.n > 0) return;
      // The others take it from here.
      await worker.pause(true);
      await job.moveToDelayed(Date.now() + 400, token);
      say('put off');
      throw new DelayedError();
    },
    { concurrency: 1, lockMs: 1_000 },
  );
  process.stdin.once('data', () => void worker.resume());
} else {
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const worker = engine.newWorker(order.queue, async () => finish(), { concurrency: 5 });
  worker.on('closed', () => say('worker closed'));
  await queue.add('once', { n: 1 });
  await done;
  // The work after a job's end is not finished when the processor returns.
  await new Promise((resolve) => setTimeout(resolve, 100));
  say('ready');
  if (order.what === 'close-late') await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.destroy();
  // A worker's clean close hangs while the server is away; closing the engine must end it.
  if (order.what === 'close-late') void worker.close();
  await queue.close();
  await engine.close();
  // No exit here: a timer or a socket left behind would keep this process alive.
  say('closed');
}
