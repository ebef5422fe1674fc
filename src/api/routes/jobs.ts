import {
  jobsAnswer,
  jobsQuery,
  listJobs,
  listNext,
  nextAnswer,
  nextQuery,
} from '../../control/queues/jobs.ts';
import { type Route, routesOf } from '../route.ts';

const { get } = routesOf('operations');

/** The jobs in the queues, and the people who come next. */
export const jobRoutes: Route[] = [
  get('/api/jobs', 'listJobs', {
    role: 'read',
    summary: 'Lists the jobs of the queues, the oldest plan first: who each is about, and why it waits.',
    more: 'With `state`, a page may have fewer items than `limit`, perhaps none: `next` continues. `reason` is that of a waiting row, the state of a key that creates no calls, `poll` (the next is due at `until`), or `token`. The ledger is asked first and then the queue, so a job may have moved in between.',
    query: jobsQuery,
    answers: { 200: jobsAnswer },
    errors: ['queue-unreachable'],
    handle: ({ query }, { app }) => listJobs(app, query),
  }),
  get('/api/next', 'listNext', {
    role: 'read',
    summary: 'Lists the people who are taken next: of each campaign that runs, the first who wait.',
    more: 'The first of each campaign comes before the second of any. `reason` and `until` say why each still waits; someone whose hours are open comes before someone whose hours are not.',
    query: nextQuery,
    answers: { 200: nextAnswer },
    handle: ({ query }, { app }) => listNext(app, query),
  }),
];
