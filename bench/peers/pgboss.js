// pg-boss as a peer: a dial queue and a track queue in Postgres, and a table of calls.
import { PgBoss } from 'pg-boss';
import { openDispatcher } from '../support/stored.js';

const wanted = JSON.parse(process.argv[2]);
const { storeUrl, calls, concurrency } = wanted;
const boss = new PgBoss({ connectionString: storeUrl, max: 10, useListenNotify: true });
boss.on('error', (error) => process.stderr.write(`${error.message}\n`));
await boss.start();
// A worker that is idle hears of new jobs.
await boss.createQueue('dial', { notify: true });
await boss.createQueue('track', { notify: true });
const dispatcher = await openDispatcher({ ...wanted, poolSize: 12 });
for (let from = 0; from < calls; from += 1_000) {
  const ids = Array.from({ length: Math.min(1_000, calls - from) }, (_, i) => from + i);
  await boss.insert(
    'dial',
    ids.map((id) => ({ data: { id } })),
  );
}

// A worker takes a batch, and the next at once while batches are full. There are enough workers that this does not limit
// anything.
const options = {
  batchSize: concurrency,
  localConcurrency: 16,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 0.5,
  burstWhenBatchFull: true,
};
const track = (ids) =>
  boss.insert(
    'track',
    ids.map((id) => ({ data: { id } })),
  );
await boss.work('dial', options, async (jobs) => {
  const placed = await Promise.all(
    jobs.map(async ({ data: { id } }) => ((await dispatcher.dial(id)) ? id : null)),
  );
  await track(placed.filter((id) => id !== null));
});
await boss.work('track', options, async (jobs) => {
  const answers = await Promise.all(
    jobs.map(async ({ data: { id } }) => ((await dispatcher.track(id)) ? null : id)),
  );
  const again = answers.filter((id) => id !== null);
  if (again.length > 0) await track(again);
});
await dispatcher.finished;
await boss.stop({ graceful: false });
await dispatcher.close();
