import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { changePerson, personChange, removePerson } from '../../control/people/edit.ts';
import { erasedAnswer, eraseInput, erasePerson } from '../../control/people/erase.ts';
import {
  forgetSecret,
  forgetSecretInput,
  forgottenSecret,
  keepAnswer,
  keepInput,
  setKeep,
} from '../../control/people/keep.ts';
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
import {
  keepView,
  listViews,
  removeView,
  shownView,
  viewInput,
  viewsAnswer,
  viewsQuery,
} from '../../control/people/views.ts';
import { type Route, raw, routesOf, sendFile, tellOnce } from '../route.ts';

/**
 * People: pages and whole results of a campaign, with flat memory; views, which are filters with a name; and erasure, of
 * one person in every campaign at once.
 */
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

const { get, post, put, patch, remove } = routesOf('recipients');

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
      return sendFile(reply, nameOf(campaign.name, 'rejected', 'csv'), 'text/csv', (target) =>
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
        return sendFile(reply, nameOf(campaign.name, 'results', format), results[format][0], (target) =>
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
        return sendFile(reply, nameOf(campaign.name, 'attempts', format), attempts[format][0], (target) =>
          exportAttempts(ledger, campaign, target, format),
        );
      },
    }),
  ),
  get('/api/views', 'listViews', {
    role: 'read_people',
    summary: 'Lists the views: filters of people with a name, for every campaign.',
    query: viewsQuery,
    answers: { 200: viewsAnswer },
    handle: ({ query }, { app }) => listViews(app.ledger, query),
  }),
  put('/api/views/{name}', 'keepView', {
    role: 'operate',
    summary: 'Saves a view; saving the same name again replaces its filter.',
    params: { name: 'Its name.' },
    body: viewInput,
    answers: { 200: shownView },
    example: { body: { filter: { state: 'done', outcome: 'no-answer,busy' } } },
    handle: ({ params, body }, { app }) => keepView(app.ledger, params.name, body),
  }),
  remove('/api/views/{name}', 'removeView', {
    role: 'operate',
    summary: 'Removes a view.',
    params: { name: 'Its name.' },
    answers: { 200: shownView },
    errors: ['view-unknown'],
    handle: ({ params }, { app }) => removeView(app.ledger, params.name),
  }),
  post('/api/erase', 'erasePerson', {
    role: 'admin',
    summary: 'Erases one person in every campaign, which cannot be undone.',
    more: 'The row’s counts stay: its place in the list, state, outcome, attempts and cost. Phone, name, input, transcript, recording, structured data, errors and history go, and the person is not called again. A call in progress is first hung up or followed to its end: `pending` says so, and the workers erase the rest then. A phone that no campaign has is not called in the future, either. With `lift`, the person may be called again; the erased data stays erased.',
    idempotent: true,
    body: eraseInput,
    answers: { 200: erasedAnswer },
    errors: ['erasures-differ'],
    example: {
      body: { phone: '+14155550123' },
      answer: { people: 3, campaigns: 2, pending: null, lifted: false },
    },
    handle: async ({ body, request, reply }, { app }) =>
      tellOnce(reply, await erasePerson(app, body, request.headers['idempotency-key']), 200),
  }),
  put('/api/keep', 'setKeep', {
    role: 'admin',
    summary: 'Sets for how many days what is known of people is kept.',
    more: 'With `dry_run` nothing is changed, and the answer counts whose data is older. Otherwise `confirm` must be that number or more: it is erased in the background, as is later what becomes too old, and cannot come back. Phone, state, outcome and cost stay. With null everything is kept from now on. While CARILLON_KEEP_DAYS is set, the answer is 409. `GET /api/settings` shows the days as `keep`.',
    body: keepInput,
    answers: { 200: keepAnswer },
    errors: ['keep-in-environment'],
    example: { body: { days: 90, confirm: 1_200 }, answer: { days: 90, people: 1_184, dry_run: false } },
    handle: ({ body }, { app }) => setKeep(app, body),
  }),
  post('/api/erase/forget-secret', 'forgetSecret', {
    role: 'admin',
    summary: 'Forgets who was erased under a CARILLON_SECRET that is lost, which cannot be undone.',
    more: 'While the ledger has people who were erased under another secret, nobody is called, because this process cannot know whom not to call. If that secret is lost, only this request lets it call again. Those people may then be called if they are on a list or ordered as a single call. The erased data stays erased.',
    body: forgetSecretInput,
    answers: { 200: forgottenSecret },
    example: { body: { people: 3 }, answer: { people: 3, pending: 0, suppressed: 1 } },
    handle: ({ body }, { app }) => forgetSecret(app, body),
  }),
];

function nameOf(campaign: string, what: string, format: string): string {
  return `${campaign.replace(/[^\w.-]+/g, '_').slice(0, 80)}.${what}.${format}`;
}
