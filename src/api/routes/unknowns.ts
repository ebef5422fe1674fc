import { showUnknownDetail, unknownAnswer, unknownQuery } from '../../control/unknowns/detail.ts';
import {
  manySettledAnswer,
  resolveInput,
  resolveManyInput,
  resolveUnknown,
  resolveUnknowns,
  settledAnswer,
} from '../../control/unknowns/resolve.ts';
import { listUnknown, unknownsAnswer, unknownsQuery } from '../../control/unknowns/show.ts';
import { ofService, type Route, routesOf } from '../route.ts';

/** Attempts whose outcome the service cannot tell: listed, and settled by a person who has found out. */
const mostAtOnce = 1_000;

const { get, post } = routesOf('unknown');

export const unknownRoutes: Route[] = [
  get('/api/unknown', 'listUnknown', {
    role: 'read',
    summary: 'Lists the attempts for which nobody knows whether a call was made.',
    more: 'They are not retried by themselves, unless the campaign’s `on_unknown` is `redial`.',
    query: unknownsQuery,
    shared: true,
    answers: { 200: unknownsAnswer },
    errors: ['campaign-unknown'],
    handle: ({ query }, { app }) => listUnknown(app.ledger, query),
  }),
  get('/api/unknown/{attempt}', 'getUnknown', {
    role: 'read',
    summary:
      'One unknown attempt: what was sent, its course, and on request what the service says about the call now.',
    more: 'The key is not in the body of `sent`, which has agent and caller number as they were sent, and name, variables and override as they are now. `mismatch` says why a call cannot be the attempt’s. Nothing is changed.',
    params: { attempt: 'The attempt’s id.' },
    query: unknownQuery,
    asks: true,
    answers: { 200: unknownAnswer },
    errors: ['attempt-unknown', 'attempt-state', 'campaign-elsewhere', ...ofService],
    handle: ({ params, query }, { service }) => showUnknownDetail(service, params.attempt, query),
  }),
  post('/api/unknown/{attempt}/resolve', 'resolveUnknown', {
    role: 'operate',
    summary: 'Settles one unknown attempt by what a person has found out.',
    more: '`not-called`: the person waits again, and the attempt does not count; allowed from `not_called_from`. `called`: done without an outcome; for a stale call, the service is asked first. With `call_id`, that call is settled, or followed to its end. If two requests name one call for two attempts, one of them is 409.',
    params: { attempt: 'The attempt’s id.' },
    body: resolveInput,
    answers: { 200: settledAnswer },
    errors: ['attempt-unknown', 'attempt-state', 'call-unknown', ...ofService],
    example: { body: { as: 'called', call_id: 'call_81f2' } },
    handle: ({ params, body }, { service }) => resolveUnknown(service, params.attempt, body),
  }),
  post('/api/unknown/resolve', 'resolveManyUnknown', {
    role: 'operate',
    summary: 'Settles many unknown attempts for one reason, at most 1,000 a request.',
    more: 'Give one of `campaign`, `attempts` and `"all": true`.',
    body: resolveManyInput,
    answers: { 200: manySettledAnswer },
    errors: ['campaign-unknown'],
    example: { body: { as: 'not-called', campaign: 'spring', reason: 'no such call in the log' } },
    handle: ({ body }, { service }) => resolveUnknowns(service, body, mostAtOnce),
  }),
];
