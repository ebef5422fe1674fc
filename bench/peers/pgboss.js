// pg-boss as a peer: a dial queue and a track queue in Postgres, and a table of calls.
import PgBoss from 'pg-boss';
import { openDispatcher } from '../support/stored.js';

const wanted = JSON.parse(process.argv[2]);
const { storeUrl, calls, concurrency } = wanted;
const boss = new PgBoss({ connectionString: storeUrl, max: 10 });
boss.on('error', (error) => process.stderr.write(`${error.message}\n`));
await boss.start();
await boss.createQueue('dial');
await boss.createQueue('track');
const dispatcher = await openDispatcher({ ...wanted, poolSize: 12 });
for (let from = 0; from < calls; from += 1_000) {
  const ids = Array.from({ length: Math.min(1_000, calls - from) }, (_, i) => from + i);
  await boss.insert(ids.map((id) => ({ name: 'dial', data: { id } })));
}

// A worker takes a batch and asks again when it is done, at most twice a second. There are enough workers that this
// does not limit anything.
const workers = 16;
const options = { batchSize: concurrency, pollingIntervalSeconds: 0.5 };
for (let i = 0; i < workers; i++) {
  await boss.work('dial', options, async (jobs) => {
    const placed = await Promise.all(
      jobs.map(async ({ data }) => ((await dispatcher.dial(data.id)) ? data : null)),
    );
    await boss.insert(placed.filter((data) => data !== null).map((data) => ({ name: 'track', data })));
  });
  await boss.work('track', options, async (jobs) => {
    const answers = await Promise.all(
      jobs.map(async ({ data }) => ((await dispatcher.track(data.id)) ? null : data)),
    );
    const again = answers.filter((data) => data !== null);
    if (again.length > 0) await boss.insert(again.map((data) => ({ name: 'track', data })));
  });
}
await dispatcher.finished;
await boss.stop({ graceful: false });
await dispatcher.close();
