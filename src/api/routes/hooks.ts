import { CarillonError } from '../../base/errors.ts';
import { hintCall, hintInput, isHookSecret } from '../../control/calls/hint.ts';
import { noContent, type Route, routesOf } from '../route.ts';

const { post } = routesOf('calls');

/** The only input that needs no token: that a call may have ended. The secret is in the address. */
export const hookRoutes: Route[] = [
  post('/api/hooks/call/{secret}', 'hintCall', {
    role: null,
    summary: 'Hints that a call may have ended: its next poll comes at once.',
    more: 'Without `CARILLON_HOOK_SECRET` the address does not exist. The answer is the same for every id, known or not. The body is what the service sends; in the standard interface the id is at `call.id`, `call_id` or `id`, the first that is there. Where the service signs its webhooks and CARILLON_HOOK_KEY (or, as the description says, the API key) is set, a hint whose signature is not valid is refused. Hints make at most one poll in five seconds for a call. If there is a proxy, keep this address out of its log.',
    params: { secret: 'CARILLON_HOOK_SECRET; it takes the place of a token.' },
    body: hintInput,
    signed: true,
    answers: { 204: noContent },
    errors: ['route-unknown'],
    example: { body: { call_id: 'call_81f2' } },
    // Checked before the body: a wrong secret must only learn that nothing is here.
    before: ({ params }, { app }) => {
      if (!isHookSecret(params.secret, app.config.hookSecret)) throw new CarillonError('route-unknown');
    },
    handle: async ({ body, request }, { service }) => {
      await hintCall(service, { body, bytes: request.bytes ?? Buffer.of(), headers: request.headers });
      return undefined;
    },
  }),
];
