import { jobsAnswer, jobsQuery, listJobs } from '../../control/queues/jobs.ts';
import { type Route, route } from '../route.ts';

/** The jobs in the queues. */
export const jobRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/jobs',
    id: 'listJobs',
    tag: 'operations',
    role: 'read',
    summary: 'Lists the jobs of the queues, the oldest plan first: who each is about, and why it waits.',
    more: 'With `state`, a page may have fewer items than `limit`, perhaps none: `next` continues. `reason` is that of a waiting row, the state of a key that creates no calls, `poll` (the next is due at `until`), or `token`. The ledger is asked first and then the queue, so a job may have moved in between.',
    query: jobsQuery,
    answers: { 200: jobsAnswer },
    errors: ['queue-unreachable'],
    handle: ({ query }, { app }) => listJobs(app, query),
  }),
];
