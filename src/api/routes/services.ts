import {
  askService,
  checkedService,
  checkInput,
  listServices,
  serviceInUse,
  servicesAnswer,
  showServiceInUse,
} from '../../control/service/services.ts';
import { type Route, routesOf } from '../route.ts';

const { get, post } = routesOf('services');

/** The services that can be driven, the one in use, and whether it answers as its description says. */
export const serviceRoutes: Route[] = [
  get('/api/services', 'listServices', {
    role: 'read',
    summary: 'Lists the services that VOICE_SERVICE may name, and what each can do.',
    answers: { 200: servicesAnswer },
    handle: () => listServices(),
  }),
  get('/api/service', 'getService', {
    role: 'read',
    summary: 'The service that the answering process drives.',
    more: 'It is chosen by VOICE_SERVICE, VOICE_BASE_URL and VOICE_PROFILE, which are read when a process starts.',
    answers: { 200: serviceInUse },
    handle: (_asked, { app }) => showServiceInUse(app),
  }),
  post('/api/service/check', 'checkService', {
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
];
