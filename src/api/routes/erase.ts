import { erasedAnswer, eraseInput, erasePerson } from '../../control/people/erase.ts';
import {
  forgetSecret,
  forgetSecretInput,
  forgottenSecret,
  keepAnswer,
  keepInput,
  setKeep,
} from '../../control/people/keep.ts';
import { type Route, routesOf, tellOnce } from '../route.ts';

const { post, put } = routesOf('recipients');

/** One person is erased in every campaign at once; what is old is erased by the workers. */
export const eraseRoutes: Route[] = [
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
