import { beginBulk, bulkInput, countedBulk, stopBulk } from '../../control/bulk/begin.ts';
import {
  bulksAnswer,
  bulksQuery,
  listBulks,
  openResult,
  showBulk,
  shownBulk,
} from '../../control/bulk/show.ts';
import type { ResultFormat } from '../../export/results.ts';
import { type Route, raw, routesOf, sendFile, tellOnce } from '../route.ts';

type StreamedFormat = Exclude<ResultFormat, 'parquet'>;

/** Bulk acts: counted, confirmed, done a piece at a time, and stopped. */
const params = { id: 'The act’s id.' };
const types: Record<StreamedFormat, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

const { get, post } = routesOf('bulk');

export const bulkRoutes: Route[] = [
  post('/api/bulk', 'beginBulkAct', {
    role: 'operate',
    summary: 'Begins an act on everyone whom a filter finds, or counts them.',
    more: [
      'With `dry_run` the answer is 200 and the number of people. Otherwise `confirm` must be that number or more, and the answer is 202: the people who were found are worked through in the background, and no others.',
      '`retry` calls people again whose calls have ended. `skip` takes people who wait off their lists. `suppress` suppresses their phones. `resolve` settles unknown attempts. `export` is done at once, and its rows are at `result`.',
    ].join('\n\n'),
    body: bulkInput,
    example: { body: { act: 'retry', filter: { campaign: 'march', outcome: 'no-answer' }, confirm: 120 } },
    answers: { 200: countedBulk, 202: shownBulk },
    errors: ['campaign-unknown', 'bulk-more'],
    idempotent: true,
    async handle({ body, request, reply }, { app }) {
      const begun = await beginBulk(app, body, 'api', request.headers['idempotency-key']);
      const { answer } = begun;
      if (!('id' in answer)) return answer;
      reply.header('location', `/api/bulk/${answer.id}`);
      return tellOnce(reply, begun, 202, 202);
    },
  }),
  get('/api/bulk', 'listBulkActs', {
    role: 'read_people',
    summary: 'Lists the bulk acts, latest first.',
    query: bulksQuery,
    answers: { 200: bulksAnswer },
    handle: ({ query }, { app }) => listBulks(app.ledger, query),
  }),
  get('/api/bulk/{id}', 'getBulkAct', {
    role: 'read_people',
    summary: 'A bulk act’s progress and result.',
    params,
    answers: { 200: shownBulk },
    errors: ['bulk-unknown'],
    handle: ({ params: { id } }, { app }) => showBulk(app.ledger, id),
  }),
  post('/api/bulk/{id}/stop', 'stopBulkAct', {
    role: 'operate',
    summary: 'Stops a bulk act; the finished part stays done.',
    more: 'The piece in progress is finished first. The request can be repeated.',
    params,
    answers: { 200: shownBulk },
    errors: ['bulk-unknown'],
    handle: ({ params: { id } }, { app }) => stopBulk(app, id),
  }),
  resultRoute(
    'csv',
    '/api/bulk/{id}/result.csv',
    'campaign,row,phone,name,state\nmarch,2,+14155550123,Ann,done\n',
  ),
  resultRoute(
    'ndjson',
    '/api/bulk/{id}/result.ndjson',
    '{"campaign": "march", "row": 2, "phone": "+14155550123"}\n',
  ),
];

/** The people are found when an export begins, and read when its rows are asked for. */
function resultRoute(
  format: StreamedFormat,
  path: `/api/bulk/{id}/result.${StreamedFormat}`,
  example: string,
): Route {
  return get(path, format === 'csv' ? 'getBulkResultCsv' : 'getBulkResultNdjson', {
    role: 'read_people',
    summary: `The rows of an export as ${format.toUpperCase()}: its people as they are now.`,
    more: 'It has the people who were found when the export began, and is kept for seven days.',
    params,
    answers: { 200: raw(types[format], example) },
    errors: ['bulk-unknown', 'bulk-no-result'],
    async handle({ params: { id }, reply }, { app }) {
      const result = await openResult(app, id);
      return sendFile(reply, `bulk-${id}.${format}`, types[format], (target) => result.write(target, format));
    },
  });
}
