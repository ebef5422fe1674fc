import { keysAnswer, listKeys, resumedAnswer, resumeKey } from '../../control/keys.ts';
import { listNumbers, numbersAnswer } from '../../control/numbers.ts';
import { type Route, route } from '../route.ts';

/** The keys and their state, by name only, and the phone numbers of their accounts. */
export const keyRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/keys',
    id: 'listKeys',
    tag: 'keys',
    role: 'read',
    summary: 'Lists the keys with their state, by name. Secrets are never shown.',
    answers: { 200: keysAnswer },
    handle: (_asked, { app, service }) => listKeys(service, app.engine.bucket),
  }),
  route({
    method: 'POST',
    path: '/api/keys/{name}/resume',
    id: 'resumeKey',
    tag: 'keys',
    role: 'operate',
    summary: 'Opens a key again, if the service accepts it.',
    more: 'The service is asked first. People who were parked on the key are called.',
    params: { name: 'The key’s name, as in VOICE_API_KEYS.' },
    answers: { 200: resumedAnswer },
    errors: ['key-unknown', 'key-denied', 'service-unreachable', 'service-answer'],
    handle: ({ params }, { service }) => resumeKey(service, params.name),
  }),
  route({
    method: 'GET',
    path: '/api/numbers',
    id: 'listNumbers',
    tag: 'keys',
    role: 'read',
    summary: 'Lists the service’s phone numbers, all pages, with the key that sees each.',
    more: 'Its requests count against the keys’ budgets. `failed` names keys that could not be asked.',
    answers: { 200: numbersAnswer },
    errors: ['key-denied', 'service-unreachable', 'service-answer'],
    handle: (_asked, { service }) => listNumbers(service),
  }),
];
