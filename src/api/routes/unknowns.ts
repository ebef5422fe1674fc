import { showUnknownDetail, unknownAnswer, unknownQuery } from '../../control/unknowns/detail.ts';
import {
  manySettledAnswer,
  resolveInput,
  resolveManyInput,
  resolveUnknown,
  resolveUnknowns,
  settledAnswer,
} from '../../control/unknowns/settle.ts';
import { listUnknown, unknownsAnswer, unknownsQuery } from '../../control/unknowns/show.ts';
import { type Route, route } from '../route.ts';

/** Attempts whose outcome the service cannot tell: listed, and settled by a person who has found out. */
const mostAtOnce = 1_000;

export const unknownRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/unknown',
    id: 'listUnknown',
    tag: 'unknown',
    role: 'read',
    summary: 'Lists the attempts for which nobody knows whether a call was made.',
    query: unknownsQuery,
    shared: true,
    answers: { 200: unknownsAnswer },
    errors: ['campaign-unknown'],
    handle: ({ query }, { app }) => listUnknown(app.ledger, query),
  }),
  route({
    method: 'GET',
    path: '/api/unknown/{attempt}',
    id: 'getUnknown',
    tag: 'unknown',
    role: 'read',
    summary: 'One of them: what was sent, its course, and on request what the service says of the call now.',
    params: { attempt: 'The attempt’s id.' },
    query: unknownQuery,
    answers: { 200: unknownAnswer },
    errors: [
      'attempt-unknown',
      'attempt-state',
      'campaign-elsewhere',
      'key-denied',
      'service-unreachable',
      'service-answer',
    ],
    handle: ({ params, query }, { service }) => showUnknownDetail(service, params.attempt, query),
  }),
  route({
    method: 'POST',
    path: '/api/unknown/{attempt}/resolve',
    id: 'resolveUnknown',
    tag: 'unknown',
    role: 'operate',
    summary: 'Settles one by what a person has found out.',
    params: { attempt: 'The attempt’s id.' },
    body: resolveInput,
    answers: { 200: settledAnswer },
    errors: [
      'attempt-unknown',
      'attempt-state',
      'call-unknown',
      'key-denied',
      'service-unreachable',
      'service-answer',
    ],
    example: { body: { as: 'called', call_id: 'call_81f2' } },
    handle: ({ params, body }, { service }) => resolveUnknown(service, params.attempt, body),
  }),
  route({
    method: 'POST',
    path: '/api/unknown/resolve',
    id: 'resolveManyUnknown',
    tag: 'unknown',
    role: 'operate',
    summary: 'Settles many for one reason, at most 1,000 a request.',
    more: 'Give one of `campaign`, `attempts` and `"all": true`.',
    body: resolveManyInput,
    answers: { 200: manySettledAnswer },
    errors: ['campaign-unknown'],
    example: { body: { as: 'not-called', campaign: 'spring', reason: 'no such call in the log' } },
    handle: ({ body }, { service }) => resolveUnknowns(service, body, mostAtOnce),
  }),
];
