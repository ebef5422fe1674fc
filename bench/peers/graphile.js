// Graphile Worker as a peer: a dial task and a track task in Postgres, and a table of calls.
import { Logger, run } from 'graphile-worker';
import { openDispatcher } from '../support/stored.js';

const wanted = JSON.parse(process.argv[2]);
const { calls, concurrency } = wanted;
const dispatcher = await openDispatcher({ ...wanted, poolSize: 12 });
const runner = await run({
  pgPool: dispatcher.pool,
  preset: {
    worker: {
      concurrentJobs: concurrency,
      pollInterval: 500,
      preparedStatements: true,
      logger: new Logger(() => () => undefined),
      // Jobs are fetched and ended together.
      localQueue: { size: concurrency + 1 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  noHandleSignals: true,
  taskList: {
    dial: async ({ id }, helpers) => {
      if (await dispatcher.dial(id)) await helpers.addJob('track', { id });
    },
    track: async ({ id }, helpers) => {
      if (!(await dispatcher.track(id))) await helpers.addJob('track', { id });
    },
  },
});
await dispatcher.pool.query(
  `select graphile_worker.add_jobs(array(
     select row('dial', json_build_object('id', i), null, null, null, null, null, null)::graphile_worker.job_spec
     from generate_series(0, $1::integer - 1) i))`,
  [calls],
);
await dispatcher.finished;
await runner.stop();
await dispatcher.close();
