import { erasedAnswer, eraseInput, erasePerson } from '../../control/people/erase.ts';
import { type Route, route, tellOnce } from '../route.ts';

/** A person is erased in every campaign at once. */
export const eraseRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/erase',
    id: 'erasePerson',
    tag: 'recipients',
    role: 'admin',
    summary: 'Erases one person in every campaign, which cannot be undone.',
    more: 'What a row counts for stays: its place in the list, state, outcome, attempts and cost. Phone, name, input, transcript, recording, structured data, errors and history go, and the person is not called again. A call that lives is hung up or followed to its end first: `pending` says so, and the workers erase the rest then. An unknown phone is not called in the future, either. With `lift`, the person may be called again; what was erased stays erased.',
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
];
