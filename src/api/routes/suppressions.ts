import type { Readable } from 'node:stream';
import { CarillonError } from '../../base/errors.ts';
import { followHangUps } from '../../control/stopping/hang-ups.ts';
import {
  exportSuppressions,
  listSuppressions,
  suppress,
  suppressedAnswer,
  suppressInput,
  suppressionsAnswer,
  suppressionsQuery,
  unsuppress,
  unsuppressedAnswer,
  unsuppressInput,
} from '../../control/suppressions/change.ts';
import { sentListAnswer, sentListQuery, suppressSent } from '../../control/suppressions/import.ts';
import { type Route, raw, routesOf, sendFile, tellOnce } from '../route.ts';
import { formatOf, workbookType } from './imports.ts';

const { get, post, remove } = routesOf('suppressions');

/** Phones that must not be called. */
export const suppressionRoutes: Route[] = [
  get('/api/suppressions', 'listSuppressions', {
    role: 'read_people',
    summary: 'Lists the phones that must not be called.',
    more: 'Suppressions that have ended are listed too.',
    query: suppressionsQuery,
    answers: { 200: suppressionsAnswer },
    errors: ['campaign-unknown'],
    handle: ({ query }, { app }) => listSuppressions(app.ledger, query),
  }),
  post('/api/suppressions', 'suppress', {
    role: 'operate',
    summary: 'Suppresses phones, on every campaign or on one.',
    more: 'It acts at once: after the answer, no call to these phones begins. If one number is wrong, the whole list is refused.',
    idempotent: true,
    body: suppressInput,
    answers: { 200: suppressedAnswer },
    errors: ['campaign-unknown'],
    handle: async ({ body, request, reply }, { app, service }) => {
      const hangUp = (calls: string[]) => followHangUps(service, calls);
      const key = request.headers['idempotency-key'];
      return tellOnce(reply, await suppress(app, body, 'api', hangUp, key), 200);
    },
  }),
  remove('/api/suppressions', 'unsuppress', {
    role: 'operate',
    summary: 'Takes phones off the list; rows that were skipped stay skipped.',
    body: unsuppressInput,
    answers: { 200: unsuppressedAnswer },
    errors: ['campaign-unknown'],
    handle: ({ body }, { app }) => unsuppress(app, body),
  }),
  post('/api/suppressions/import', 'importSuppressions', {
    role: 'operate',
    summary: 'Suppresses every phone of a CSV file or a workbook.',
    more: 'Rows that cannot be read are listed in `rejects`; the other phones are suppressed. The columns `reason`, `until`, `source` and `only_campaign` are read where they are there, so an exported list can be sent back. The same file again adds nothing. A workbook with several sheets is refused without `sheet`: nobody on the others would be suppressed.',
    query: sentListQuery,
    stream: {
      types: {
        'text/csv': { example: 'phone,reason\n+14155550123,asked for it\n' },
        [workbookType]: { example: 'The bytes of a workbook.' },
      },
    },
    answers: { 200: sentListAnswer },
    errors: ['campaign-unknown', 'file-broken', 'usage-invalid'],
    async handle({ query, body, request }, { app, service }) {
      if (body === undefined) throw new CarillonError('request-invalid', 'The body is empty');
      const sent = { source: { stream: body as Readable }, format: formatOf(request) };
      return suppressSent(app, sent, query, (calls) => followHangUps(service, calls));
    },
  }),
  get('/api/suppressions.csv', 'exportSuppressions', {
    role: 'read_people',
    summary: 'The whole list as CSV, in the form that the import reads.',
    answers: {
      200: raw('text/csv', 'phone,reason,until,source,only_campaign\n+14155550123,asked for it,,api,\n'),
    },
    async handle({ reply }, { app }) {
      return sendFile(reply, 'suppressions.csv', 'text/csv', (target) =>
        exportSuppressions(app.ledger, target),
      );
    },
  }),
];
