import {
  addAlertAddress,
  alertAddressesAnswer,
  alertAddressInput,
  alertsAnswer,
  listAlertAddresses,
  listAlerts,
  madeAlertAddress,
  removeAlertAddress,
  shownAlertAddress,
} from '../../control/alerts/addresses.ts';
import { testAlertAddress, triedAlertAddress } from '../../control/alerts/send.ts';
import { type Route, routesOf, tellOnce } from '../route.ts';

/** Alerts: things that need a person now, and the addresses that are told of them. */
const params = { id: 'The address’s id.' };

const { get, post, remove } = routesOf('operations');

export const alertRoutes: Route[] = [
  get('/api/alerts', 'listAlerts', {
    role: 'read',
    summary: 'Lists the alerts that are raised, the latest first, each with what to do.',
    shared: true,
    answers: { 200: alertsAnswer },
    handle: (_asked, { app }) => listAlerts(app.ledger),
  }),
  get('/api/alerts/addresses', 'listAlertAddresses', {
    role: 'operate',
    summary: 'Lists the addresses that are told of alerts, and whether messages arrive there.',
    answers: { 200: alertAddressesAnswer },
    handle: (_asked, { app }) => listAlertAddresses(app.ledger),
  }),
  post('/api/alerts/addresses', 'addAlertAddress', {
    role: 'admin',
    summary: 'Adds an address that is told of alerts: of those that are raised now, and of each from now on.',
    more: 'A `url` gets each alert as an event, `alert.raised` or `alert.cleared`, signed as [Standard Webhooks](https://www.standardwebhooks.com) say, with the `secret` that only this answer shows. An address on a private network is refused unless `WEBHOOK_ALLOW_PRIVATE` is set; an `email` needs `ALERT_SMTP_URL`. With an `Idempotency-Key`, the same request again answers the same address with 200.',
    body: alertAddressInput,
    answers: { 200: madeAlertAddress, 201: madeAlertAddress },
    errors: ['alert-address', 'secret-other'],
    idempotent: true,
    example: { body: { kind: 'email', address: 'ops@example.com', only: ['critical'], at_most: '5m' } },
    async handle({ body, request, reply }, { app }) {
      return tellOnce(reply, await addAlertAddress(app, body, request.headers['idempotency-key']), 201);
    },
  }),
  remove('/api/alerts/addresses/{id}', 'removeAlertAddress', {
    role: 'admin',
    summary: 'Removes an address. What waits for it is forgotten.',
    params,
    answers: { 200: shownAlertAddress },
    errors: ['alert-address-unknown'],
    handle: ({ params }, { app }) => removeAlertAddress(app, params.id),
  }),
  post('/api/alerts/addresses/{id}/test', 'testAlertAddress', {
    role: 'operate',
    summary: 'Sends a test to an address now, and says what came of it.',
    more: 'If it arrives, what is held for the address follows. A `url` gets an event of the type `alert.test`.',
    params,
    answers: { 200: triedAlertAddress },
    errors: ['alert-address-unknown', 'secret-other'],
    handle: ({ params }, { app }) => testAlertAddress(app, params.id),
  }),
];
