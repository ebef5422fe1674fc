import {
  confirmedAnswer,
  confirmKey,
  keysAnswer,
  listKeys,
  resumedAnswer,
  resumeKey,
} from '../../control/keys/list.ts';
import {
  keySeriesAnswer,
  keySeriesQuery,
  oneKeyAnswer,
  showKey,
  showKeySeries,
} from '../../control/keys/one.ts';
import {
  numbersAnswer,
  restedAnswer,
  restNumber,
  returnNumber,
  showNumbers,
} from '../../control/numbers/show.ts';
import { agentsAnswer, listAgents } from '../../control/service/account.ts';
import {
  askService,
  checkedService,
  checkInput,
  listServices,
  serviceInUse,
  servicesAnswer,
  showServiceInUse,
} from '../../control/service/services.ts';
import { ofService, type Route, routesOf } from '../route.ts';

const keyName = 'The key’s name, as in VOICE_API_KEYS.';
const numberName = 'E.164, or the number’s id at the service.';

/** The service in use and those that can be; its keys by name only, and the phone numbers of their accounts. */
const { get, post } = routesOf('keys');
const services = routesOf('services');

export const keyRoutes: Route[] = [
  services.get('/api/services', 'listServices', {
    role: 'read',
    summary: 'Lists the services that VOICE_SERVICE may name, and what each can do.',
    answers: { 200: servicesAnswer },
    handle: () => listServices(),
  }),
  services.get('/api/service', 'getService', {
    role: 'read',
    summary: 'The service that the answering process drives.',
    more: 'It is chosen by VOICE_SERVICE, VOICE_BASE_URL and VOICE_PROFILE, which are read when a process starts.',
    answers: { 200: serviceInUse },
    handle: (_asked, { app }) => showServiceInUse(app),
  }),
  services.post('/api/service/check', 'checkService', {
    role: 'operate',
    summary: 'Asks the service for numbers, agents and one record, and tells which fields the record had.',
    more: 'The same as `carillon service check`. It sends up to three requests with the first key, within its budget; nothing is changed.',
    body: checkInput,
    bodyOptional: true,
    answers: { 200: checkedService },
    errors: ['key-denied', 'key-busy', 'service-answer'],
    asks: true,
    handle: ({ body }, { app, service }) => askService(service, app.described, body),
  }),
  get('/api/keys', 'listKeys', {
    role: 'read',
    summary: 'Lists the keys with their state, by name. Secrets are never shown.',
    shared: true,
    answers: { 200: keysAnswer },
    handle: (_asked, { app, service }) => listKeys(service, app.engine.bucket),
  }),
  get('/api/keys/{name}', 'getKey', {
    role: 'read',
    summary: 'One key, with how full its queues are and its requests of the last minute.',
    more: '`queues` is null when the queue cannot be reached.',
    params: { name: keyName },
    shared: true,
    answers: { 200: oneKeyAnswer },
    errors: ['key-unknown'],
    handle: ({ params }, { app, service, stations }) => {
      const { engine, ledger } = app;
      return showKey({ service, engine, ledger, queues: stations.queues }, params.name);
    },
  }),
  get('/api/keys/{name}/series', 'getKeySeries', {
    role: 'read',
    summary:
      'Lists what a key did over time: its rate, its believed limit, calls at once, requests and refusals.',
    more: 'A step without an item is one in which nothing happened.',
    params: { name: keyName },
    query: keySeriesQuery,
    shared: true,
    answers: { 200: keySeriesAnswer },
    errors: ['key-unknown'],
    handle: ({ params, query }, { service }) => showKeySeries(service, params.name, query),
  }),
  post('/api/keys/{name}/resume', 'resumeKey', {
    role: 'operate',
    summary: 'Opens a key again, if the service accepts it.',
    more: 'The service is asked first. People who were parked on the key are called.',
    params: { name: keyName },
    answers: { 200: resumedAnswer },
    errors: ['key-unknown', ...ofService],
    handle: ({ params }, { service }) => resumeKey(service, params.name),
  }),
  post('/api/keys/{name}/confirm', 'confirmKey', {
    role: 'admin',
    summary: 'Confirms that the process that answers has the right secret and rate for a key.',
    more: 'Processes that started before and have another do not dial until they are restarted.',
    params: { name: keyName },
    answers: { 200: confirmedAnswer },
    errors: ['key-unknown'],
    handle: ({ params }, { app }) => confirmKey(app, params.name),
  }),
  get('/api/numbers', 'listNumbers', {
    role: 'read',
    summary:
      'Lists the service’s phone numbers, all pages, with the key that sees each, their calls and which rest.',
    more: 'The answer may be 10 s old. Its requests count against the keys’ budgets, and calls come first: after 10 s without a turn, the answer is 503. `failed` names keys that could not be asked.',
    asks: true,
    answers: { 200: numbersAnswer },
    errors: ofService,
    handle: (_asked, { service }) => showNumbers(service),
  }),
  post('/api/numbers/{number}/rest', 'restNumber', {
    role: 'operate',
    summary: 'Rests a caller number: no campaign calls from it until it is returned.',
    more: 'Calls in progress go on. If all numbers of a campaign rest so, its people wait with the reason `number`.',
    params: { number: numberName },
    answers: { 200: restedAnswer },
    errors: ['number-unknown', ...ofService],
    handle: ({ params }, { service }) => restNumber(service, params.number),
  }),
  post('/api/numbers/{number}/return', 'returnNumber', {
    role: 'operate',
    summary: 'Returns a caller number that rests, for whatever reason.',
    params: { number: numberName },
    answers: { 200: restedAnswer },
    errors: ['number-unknown', ...ofService],
    handle: ({ params }, { service }) => returnNumber(service, params.number),
  }),
  get('/api/agents', 'listAgents', {
    role: 'read',
    summary: 'Lists the service’s agents, with the key that sees each.',
    more: 'It may be as old as the list of numbers, and costs as many requests. An order takes an agent’s id, or a name that only it has. `listed` is false where the service does not list agents.',
    asks: true,
    answers: { 200: agentsAnswer },
    errors: ofService,
    handle: (_asked, { service }) => listAgents(service),
  }),
];
