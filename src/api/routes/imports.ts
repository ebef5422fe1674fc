import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import {
  type Adder,
  addedAnswer,
  addQuery,
  createAdder,
  importsAnswer,
  importsQuery,
  listImports,
  showImport,
  shownImport,
} from '../../control/imports/add.ts';
import { previewAnswer, previewList, previewQuery, triedAnswer } from '../../control/imports/try.ts';
import { type SentBody, sentPerson } from '../../control/lists/body.ts';
import { openSentAddress } from '../../control/lists/sent.ts';
import { read } from '../../control/requests/input.ts';
import type { BodyFormat } from '../../ledger/background/background.ts';
import type { ApiParts } from '../route.ts';
import { type Route, type RouteAsk, routesOf, type StreamedBody, signalOf, tellOnce } from '../route.ts';

/** People are added to a list of any length: now, or as an import with progress. */
export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const formats: Record<string, BodyFormat> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
  [workbookType]: 'xlsx',
};

/** RFC 2483. */
const addressType = 'text/uri-list';

const sentList: StreamedBody = {
  types: {
    'application/json': { schema: z.array(sentPerson), example: [{ phone: '+14155550123', name: 'Ann' }] },
    'application/x-ndjson': { example: '{"phone": "+14155550123", "name": "Ann"}\n' },
    'text/csv': { example: 'phone,name\n+14155550123,Ann\n' },
    [workbookType]: { example: 'The bytes of a workbook.' },
    [addressType]: { example: 'https://crm.example/people.csv\n' },
  },
};

const { get, post } = routesOf('recipients');

export const importRoutes: Route[] = [
  post('/api/campaigns/{id}/recipients', 'addRecipients', {
    role: 'operate',
    summary: 'Adds people to a campaign’s list.',
    more: [
      'The body is accepted whole or not at all: broken rows are rejected, a broken body is refused.',
      'A body is an array of JSON, NDJSON, or a CSV or an XLSX workbook as `carillon run` takes it; `sheet` names a sheet other than the first. An object has `phone`, and may have `name`, `timezone`, `agent` and `variables`; any other key is a variable too. Variables keep their types, and null means absent. A row is rejected if part of it would be lost: a key with two values, or a whole number beyond 2^53. In `input` and results, a variable called as a field appears as `variables.name`. A CSV has at most 1,000 columns, the objects of one body 1,000 fields.',
      'New people are added at the end. A phone that is on the list keeps its place, and is not called a second time. Sending the same body again counts nothing twice: a row that was rejected before stays one reject, or is accepted now. A running campaign continues with the new people; one that was `done` becomes `paused`. `hint` says what may have been overlooked.',
      'A body `text/uri-list` is the address of the list, one line that begins with `https://`; it may be of a Google sheet that anyone with the link may read. It is read now, at most 1 GB within 15 minutes, and no longer than you wait; a process reads eight at a time; an address on a private network is refused unless `LIST_ALLOW_PRIVATE` is set.',
      'With `Prefer: respond-async` the answer is 202 and an import, when the whole body has arrived; its people are stored later.',
      'With `?dry_run=1` nothing is stored, and the answer is what would happen.',
    ].join('\n\n'),
    query: addQuery,
    idempotent: true,
    stream: sentList,
    answers: { 200: z.union([addedAnswer, triedAnswer]), 202: shownImport },
    errors: [
      'campaign-unknown',
      'campaign-elsewhere',
      'campaign-state',
      'campaign-busy',
      'file-broken',
      'file-unreadable',
      'list-gone',
      'too-many-readers',
    ],
    handle: (asked, parts) =>
      withList(asked, parts, async (list) => {
        const { params, query, request, reply } = asked;
        const adder = adderOf(parts);
        const key = request.headers['idempotency-key'];
        if (!wantsAsync(request)) return tellOnce(reply, await adder.add(params.id, list, query, key), 200);
        const begun = await adder.begin(params.id, list, query, key);
        reply
          .header('location', `/api/imports/${begun.answer.id}`)
          .header('preference-applied', 'respond-async');
        return tellOnce(reply, begun, 202, 202);
      }),
  }),
  post('/api/imports/preview', 'previewImport', {
    role: 'operate',
    summary: 'Reads a list as an import would, before there is a campaign. Nothing is stored.',
    more: 'With `order`, its hours and time zone judge each row, and the answer forecasts when the calls would end. Every field of the order is optional. With `list`, an id that you choose, the process keeps the list for 15 minutes after each use, at most eight: a preview or an import with the id and an empty body reads it again. If the list is no longer kept, the answer is 404 `list-gone`.',
    query: previewQuery,
    stream: sentList,
    answers: { 200: previewAnswer },
    errors: ['file-broken', 'file-unreadable', 'list-gone', 'too-many-readers'],
    async handle(asked, parts) {
      const { service, lists } = parts;
      const { list } = read(previewQuery, asked.query);
      const look = (kept: SentBody) => previewList(service, kept, asked.query);
      return withBody(asked, parts, async (sent) => {
        if (list !== undefined && sent) await lists.keep(list, sent);
        return list === undefined ? look(bodyIn(sent)) : lists.use(list, look);
      });
    },
  }),
  get('/api/imports', 'listImports', {
    role: 'read',
    summary: 'Lists the imports that were sent with `Prefer: respond-async`, the latest first.',
    query: importsQuery,
    answers: { 200: importsAnswer },
    errors: ['campaign-unknown'],
    handle: ({ query }, { app }) => listImports(app.ledger, query),
  }),
  get('/api/imports/{id}', 'getImport', {
    role: 'read',
    summary: 'An import’s progress and result.',
    params: { id: 'The import’s id.' },
    answers: { 200: shownImport },
    errors: ['import-unknown'],
    handle: ({ params }, { app }) => showImport(app.ledger, params.id),
  }),
];

/** Null if the body is empty, even if the browser names its type. */
async function withBody<T>(
  { body, request, query, reply }: Pick<RouteAsk, 'body' | 'request' | 'query' | 'reply'>,
  { app }: ApiParts,
  work: (sent: SentBody | null) => Promise<T>,
): Promise<T> {
  if (body === undefined || request.headers['content-length'] === '0') return work(null);
  const stream = body as Readable;
  if (typeOf(request) !== addressType) return work({ source: { stream }, format: formatOf(request) });
  const sent = await openSentAddress(app.config, stream, query as { sheet?: unknown }, signalOf(reply));
  try {
    return await work(sent);
  } finally {
    await sent.close();
  }
}

function bodyIn(sent: SentBody | null): SentBody {
  if (sent === null) throw new CarillonError('request-invalid', 'The body is empty');
  return sent;
}

/** The list that was sent or, without a body, the one that a preview keeps. */
function withList<T>(asked: RouteAsk, parts: ApiParts, work: (list: SentBody) => Promise<T>): Promise<T> {
  const { list } = read(addQuery, asked.query);
  return withBody(asked, parts, (sent) =>
    list !== undefined && sent === null ? parts.lists.use(list, work) : work(bodyIn(sent)),
  );
}

/** The imports of one server take turns. */
const adders = new WeakMap<ApiParts, Adder>();

function adderOf(parts: ApiParts): Adder {
  const known = adders.get(parts);
  if (known) return known;
  const made = createAdder(parts.app);
  adders.set(parts, made);
  return made;
}

export function formatOf(request: FastifyRequest): BodyFormat {
  return formats[typeOf(request)] ?? 'json';
}

function typeOf({ headers }: FastifyRequest): string {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** RFC 7240: preferences are separated by commas. */
function wantsAsync({ headers }: FastifyRequest): boolean {
  const given = [headers.prefer ?? []].flat().join(',');
  return given.split(',').some((each) => each.trim().toLowerCase() === 'respond-async');
}
