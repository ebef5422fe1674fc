import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { changePerson, personChange, removePerson } from '../../control/people/edit.ts';
import {
  attemptsAnswer,
  exportAttempts,
  listAttempts,
  type Person,
  personAnswer,
  readPerson,
} from '../../control/people/person.ts';
import {
  exportRejects,
  exportResults,
  listInput,
  listRecipients,
  listRejects,
  readFilter,
  recipientsAnswer,
  recipientsQuery,
  rejectsAnswer,
  resultsQuery,
} from '../../control/people/show.ts';
import { type Route, raw, routesOf } from '../route.ts';

/** The people of a campaign: pages and whole results, with flat memory. */
const results = {
  csv: ['text/csv', 'row,phone,name,state\n1,+14155550123,Ann,done\n'],
  ndjson: ['application/x-ndjson', '{"row": 1, "phone": "+14155550123", "state": "done"}\n'],
} as const;

const attempts = {
  csv: ['text/csv', 'row,phone,name,attempt,outcome\n1,+14155550123,Ann,1,answered\n'],
  ndjson: [
    'application/x-ndjson',
    '{"row": 1, "phone": "+14155550123", "number": 1, "outcome": "answered"}\n',
  ],
} as const;

const unknown = ['campaign-unknown'] as const;
const person = [...unknown, 'recipient-unknown'] as const;

/** Answers with the version that the next change may name. */
async function tell(
  reply: FastifyReply,
  app: App,
  { id, rid }: { id: string; rid: string },
): Promise<Person> {
  const { person, version } = await readPerson(app, id, rid);
  reply.header('etag', `"${version}"`);
  return person;
}

const { get, patch, remove } = routesOf('recipients');

export const recipientRoutes: Route[] = [
  get('/api/campaigns/{id}/recipients', 'listRecipients', {
    role: 'read',
    summary: 'Lists the people of a campaign, in input order.',
    query: recipientsQuery,
    answers: { 200: recipientsAnswer },
    errors: [...unknown, 'parts-unsearchable'],
    handle: ({ params, query }, { app }) => listRecipients(app.ledger, app.clock.now(), params.id, query),
  }),
  get('/api/campaigns/{id}/recipients/{rid}', 'getRecipient', {
    role: 'read',
    summary: 'One person, with every attempt and the variables that the next call has.',
    answers: { 200: personAnswer },
    errors: person,
    handle: ({ params, reply }, { app }) => tell(reply, app, params),
  }),
  patch('/api/campaigns/{id}/recipients/{rid}', 'changeRecipient', {
    role: 'operate',
    summary: 'Changes one person, also while the campaign runs.',
    more: 'Null removes a name, a time zone, an agent or a variable. A phone changes only for a person who was never called. `input` stays as it was given. A `run` that is started again sets what its file says.',
    ifMatch: true,
    body: personChange,
    answers: { 200: personAnswer },
    errors: [
      ...person,
      'recipient-state',
      'campaign-state',
      'phone-suppressed',
      'phone-erased',
      'version-changed',
    ],
    example: { body: { name: 'Ann', variables: { amount: 120 } } },
    handle: async ({ params, body, request, reply }, { app }) => {
      const { id } = await changePerson(app, params.id, params.rid, body, request.headers['if-match']);
      return tell(reply, app, { ...params, rid: id });
    },
  }),
  remove('/api/campaigns/{id}/recipients/{rid}', 'removeRecipient', {
    role: 'operate',
    summary: 'Takes one person off the list; a call in progress is not touched.',
    more: 'They become `skipped` with the error `removed`, or `done` with the last outcome, and stay off when the same file is imported again. A call in progress is 409 `recipient-state`.',
    answers: { 200: personAnswer },
    ifMatch: true,
    errors: [...person, 'recipient-state', 'campaign-state', 'version-changed'],
    handle: async ({ params, request, reply }, { app }) => {
      const { id } = await removePerson(app, params.id, params.rid, request.headers['if-match']);
      return tell(reply, app, { ...params, rid: id });
    },
  }),
  get('/api/campaigns/{id}/attempts', 'listAttempts', {
    role: 'read',
    summary: 'Lists every attempt of a campaign, person by person as they were added.',
    query: listInput,
    answers: { 200: attemptsAnswer },
    errors: unknown,
    handle: ({ params, query }, { app }) => listAttempts(app.ledger, params.id, query),
  }),
  get('/api/campaigns/{id}/rejects', 'listRejects', {
    role: 'read_people',
    summary: 'Lists the rows that imports rejected, with the reason of each.',
    more: '`row` is the place in the campaign’s list; a row that is not an object is in `input.item`. People whom the service refused are among them, in its words.',
    query: listInput,
    answers: { 200: rejectsAnswer },
    errors: unknown,
    handle: ({ params, query }, { app }) => listRejects(app.ledger, params.id, query),
  }),
  get('/api/campaigns/{id}/rejects.csv', 'exportRejects', {
    role: 'read_people',
    summary: 'Streams the rows that imports rejected as CSV; repaired, it can be sent back as it is.',
    more: 'If the connection ends early, the file is incomplete.',
    answers: { 200: raw('text/csv', 'phone,name,line,reason\n,Ann,3,has no phone number\n') },
    errors: unknown,
    handle: async ({ params, reply }, { app: { ledger } }) => {
      const campaign = await ledger.campaigns.get(params.id);
      return stream(reply, nameOf(campaign.name, 'rejected', 'csv'), 'text/csv', (target) =>
        exportRejects(ledger, campaign, target),
      );
    },
  }),
  ...(['csv', 'ndjson'] as const).map((format) =>
    get(`/api/campaigns/{id}/results.${format}`, format === 'csv' ? 'exportCsv' : 'exportNdjson', {
      role: 'read_people',
      summary: `Streams all results as ${format === 'csv' ? 'CSV' : 'NDJSON'}.`,
      more: 'If the connection ends early, the file is incomplete.',
      query: resultsQuery,
      answers: { 200: raw(results[format][0], results[format][1]) },
      errors: unknown,
      handle: async ({ params, query, reply }, { app: { ledger, clock } }) => {
        const campaign = await ledger.campaigns.get(params.id);
        const filter = readFilter(campaign, query);
        return stream(reply, nameOf(campaign.name, 'results', format), results[format][0], (target) =>
          exportResults(ledger, clock.now(), campaign, target, format, filter),
        );
      },
    }),
  ),
  ...(['csv', 'ndjson'] as const).map((format) =>
    get(`/api/campaigns/{id}/attempts.${format}`, `exportAttempts${format === 'csv' ? 'Csv' : 'Ndjson'}`, {
      role: 'read_people',
      summary: `Streams every attempt as ${format === 'csv' ? 'CSV' : 'NDJSON'}, a row for each.`,
      more: 'If the connection ends early, the file is incomplete.',
      answers: { 200: raw(attempts[format][0], attempts[format][1]) },
      errors: unknown,
      handle: async ({ params, reply }, { app: { ledger } }) => {
        const campaign = await ledger.campaigns.get(params.id);
        return stream(reply, nameOf(campaign.name, 'attempts', format), attempts[format][0], (target) =>
          exportAttempts(ledger, campaign, target, format),
        );
      },
    }),
  ),
];

function nameOf(campaign: string, what: string, format: string): string {
  return `${campaign.replace(/[^\w.-]+/g, '_').slice(0, 80)}.${what}.${format}`;
}

function stream(
  reply: FastifyReply,
  name: string,
  type: string,
  write: (target: { stream: PassThrough }) => Promise<unknown>,
): FastifyReply {
  const body = new PassThrough();
  reply.header('content-type', `${type}; charset=utf-8`);
  reply.header('content-disposition', `attachment; filename="${name}"`);
  write({ stream: body }).then(
    () => body.end(),
    // Breaks the connection: a truncated file must not look complete.
    (error: Error) => body.destroy(error),
  );
  return reply.send(body);
}
