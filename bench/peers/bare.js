// Bare BullMQ as a peer: a dial queue, a track queue, the same two requests a call, no answer kept. Plain JavaScript,
// so that it needs no loader.
import { Queue, Worker } from 'bullmq';
import { Pool } from 'undici';
import { openStore } from '../support/store.js';

const { engine, storeUrl, serviceUrl, key, calls, concurrency } = JSON.parse(process.argv[2]);
const ended = new Set(['completed', 'no-answer', 'voicemail', 'busy', 'failed', 'canceled']);
const keepNothing = { removeOnComplete: true, removeOnFail: true };

// Tuned like Carillon's own queue in Postgres: commits of the queue do not wait for the disk.
const { connection, backend, close } = await openStore(engine, storeUrl, 'bare', '-c synchronous_commit=off');
const { origin, pathname } = new URL(serviceUrl);
const service = new Pool(origin, { connections: 300 });
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

async function ask(method, path, body) {
  const answer = await service.request({
    method,
    path: `${pathname}${path}`,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered with ${answer.statusCode}`);
  return answer.body.json();
}

const dial = new Queue('dial', { connection, defaultJobOptions: keepNothing }, backend);
const track = new Queue('track', { connection, defaultJobOptions: keepNothing }, backend);
for (let from = 0; from < calls; from += 1_000) {
  await dial.addBulk(
    Array.from({ length: Math.min(1_000, calls - from) }, (_, i) => ({
      name: 'dial',
      data: {
        agent_id: 'agent_bench',
        customer: { phone_number: `+1415${5_550_000 + from + i}`, name: `Person ${from + i}` },
      },
    })),
  );
}

let left = calls;
await new Promise((resolve, reject) => {
  const workerOptions = { connection, concurrency };
  const workers = [
    new Worker(
      'dial',
      async (job) => {
        const { id } = await ask('POST', '/call', job.data);
        await track.add('track', { id });
      },
      workerOptions,
      backend,
    ),
    new Worker(
      'track',
      async (job) => {
        while (!ended.has((await ask('GET', `/call/${job.data.id}`)).status)) {
          await new Promise((again) => setTimeout(again, 5));
        }
        left -= 1;
        if (left > 0) return;
        // Closed from outside the job, which would otherwise wait for itself.
        setImmediate(() => Promise.all(workers.map((worker) => worker.close())).then(resolve, reject));
      },
      workerOptions,
      backend,
    ),
  ];
  for (const worker of workers) worker.on('failed', (_, error) => reject(error));
});
await Promise.all([dial.close(), track.close()]);
await service.close();
await close();
