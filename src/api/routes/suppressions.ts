import { followHangUps } from '../../control/hang-ups.ts';
import {
  suppress,
  suppressedAnswer,
  suppressInput,
  unsuppress,
  unsuppressedAnswer,
  unsuppressInput,
} from '../../control/suppressions/change.ts';
import { listSuppressions, suppressionsAnswer, suppressionsQuery } from '../../control/suppressions/list.ts';
import { type Route, route } from '../route.ts';

/** Phones that must not be called. */
export const suppressionRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/suppressions',
    id: 'listSuppressions',
    tag: 'suppressions',
    role: 'read_people',
    summary: 'Lists the phones that must not be called.',
    more: 'Those whose end has passed are listed too.',
    query: suppressionsQuery,
    answers: { 200: suppressionsAnswer },
    errors: ['campaign-unknown'],
    handle: ({ query }, { app }) => listSuppressions(app.ledger, query),
  }),
  route({
    method: 'POST',
    path: '/api/suppressions',
    id: 'suppress',
    tag: 'suppressions',
    role: 'operate',
    summary: 'Suppresses phones, on every campaign or on one.',
    more: 'It acts at once: when it is answered, no call to these phones begins any more. One wrong number refuses the whole list.',
    body: suppressInput,
    answers: { 200: suppressedAnswer },
    errors: ['campaign-unknown'],
    handle: ({ body }, { app, service }) =>
      suppress(app, body, 'api', (calls) => followHangUps(service, calls)),
  }),
  route({
    method: 'DELETE',
    path: '/api/suppressions',
    id: 'unsuppress',
    tag: 'suppressions',
    role: 'operate',
    summary: 'Takes phones off the list, for later campaigns.',
    body: unsuppressInput,
    answers: { 200: unsuppressedAnswer },
    errors: ['campaign-unknown'],
    handle: ({ body }, { app }) => unsuppress(app, body),
  }),
];
