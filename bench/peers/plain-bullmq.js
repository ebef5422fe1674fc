// The obvious dispatcher, as a peer in the chaos harness: one queue, one job per person, create and polls in the job,
// and BullMQ's default options. Plain JavaScript, so that it needs no loader.
import { readFileSync } from 'node:fs';
import { Queue, Worker } from 'bullmq';
import { openStore } from '../support/store.js';

const [role, text] = process.argv.slice(2);
const { engine, storeUrl, serviceUrl, key, people, rate } = JSON.parse(text);
const ended = new Set(['completed', 'no-answer', 'voicemail', 'busy', 'failed', 'canceled']);
const { connection, backend, close } = await openStore(engine, storeUrl, 'plain');
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

async function ask(method, path, body) {
  const answer = await fetch(`${serviceUrl}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}`);
  return answer.json();
}

async function call(job) {
  const { id } = await ask('POST', '/call', {
    agent_id: 'agent-1',
    customer: { phone_number: job.data.phone },
  });
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { status } = await ask('GET', `/call/${id}`);
    if (ended.has(status)) return status;
  }
}

if (role === 'work') {
  const limiter = { max: Math.max(1, Math.floor(rate)), duration: 1_000 };
  const worker = new Worker('calls', call, { connection, concurrency: 100, limiter }, backend);
  worker.on('error', () => undefined);
  process.stdout.write('works\n');
  process.once('SIGINT', async () => {
    await worker.close(true);
    process.exit(0);
  });
} else {
  const queue = new Queue('calls', { connection }, backend);
  if (role === 'load') {
    const phones = readFileSync(people, 'utf8').trim().split('\n').slice(1);
    const jobs = phones.map((row) => ({ name: 'call', data: { phone: row.split(',')[0] } }));
    for (let at = 0; at < jobs.length; at += 1_000) await queue.addBulk(jobs.slice(at, at + 1_000));
  }
  process.stdout.write(`${JSON.stringify(await queue.getJobCounts())}\n`);
  await queue.close();
  await close();
}
