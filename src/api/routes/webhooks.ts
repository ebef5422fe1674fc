import {
  deliveriesAnswer,
  deliveriesQuery,
  listDeliveries,
  replayInput,
  replayWebhook,
  testWebhook,
  triedAnswer,
} from '../../control/webhooks/deliveries.ts';
import {
  addWebhook,
  changeWebhook,
  listWebhooks,
  madeWebhook,
  removeWebhook,
  shownWebhook,
  webhookChange,
  webhookInput,
  webhooksAnswer,
} from '../../control/webhooks/manage.ts';
import { type Route, routesOf, tellOnce } from '../route.ts';

/** Addresses that are told what happens. They are told of people, so adding one needs an admin. */
const params = { id: 'The webhook’s id.' };

const { get, post, patch, remove } = routesOf('webhooks');

export const webhookRoutes: Route[] = [
  get('/api/webhooks', 'listWebhooks', {
    role: 'operate',
    summary: 'Lists the webhooks, with their state. Secrets are never shown.',
    answers: { 200: webhooksAnswer },
    handle: (_asked, { app }) => listWebhooks(app.ledger),
  }),
  post('/api/webhooks', 'addWebhook', {
    role: 'admin',
    summary: 'Adds an address that is told what happens from now on.',
    more: 'Deliveries are signed as [Standard Webhooks](https://www.standardwebhooks.com) say, with the `secret` that only this answer shows. An address on a private network is refused unless `WEBHOOK_ALLOW_PRIVATE` is set. With an `Idempotency-Key`, the same request again answers the same webhook with 200, and with its secret.',
    body: webhookInput,
    answers: { 200: madeWebhook, 201: madeWebhook },
    errors: ['webhook-address', 'secret-other'],
    idempotent: true,
    example: { body: { url: 'https://example.com/hook', events: ['recipient.done', 'campaign.done'] } },
    async handle({ body, request, reply }, { app }) {
      return tellOnce(reply, await addWebhook(app, body, request.headers['idempotency-key']), 201);
    },
  }),
  patch('/api/webhooks/{id}', 'changeWebhook', {
    role: 'admin',
    summary: 'Changes where a webhook goes, or what it is told; its secret and what waits for it stay.',
    more: 'Another address is tried at once, also where the one before was failing or resting.',
    params,
    body: webhookChange,
    answers: { 200: shownWebhook },
    errors: ['webhook-unknown', 'webhook-address'],
    example: { body: { events: ['recipient.done'] } },
    handle: ({ params, body }, { app }) => changeWebhook(app, params.id, body),
  }),
  remove('/api/webhooks/{id}', 'removeWebhook', {
    role: 'admin',
    summary: 'Removes a webhook. Events that wait for it are forgotten.',
    params,
    answers: { 200: shownWebhook },
    errors: ['webhook-unknown'],
    handle: ({ params }, { app }) => removeWebhook(app, params.id),
  }),
  post('/api/webhooks/{id}/test', 'testWebhook', {
    role: 'operate',
    summary: 'Sends one event of the type `webhook.test` now, and says what came of it.',
    more: 'If a failing or resting webhook takes the event, it is active again.',
    params,
    answers: { 200: triedAnswer },
    errors: ['webhook-unknown', 'secret-other'],
    handle: ({ params }, { app }) => testWebhook(app, params.id),
  }),
  post('/api/webhooks/{id}/replay', 'replayWebhook', {
    role: 'admin',
    summary: 'Delivers past events again, since a time or from an event on.',
    more: 'The events keep their ids.',
    params,
    body: replayInput,
    answers: { 200: shownWebhook },
    errors: ['webhook-unknown'],
    example: { body: { since: '2h' } },
    handle: ({ params, body }, { app }) => replayWebhook(app, params.id, body),
  }),
  get('/api/webhooks/{id}/deliveries', 'listDeliveries', {
    role: 'operate',
    summary: 'Lists the latest deliveries, the newest first.',
    more: 'The latest 100 deliveries that were taken are kept, and the latest 100 that were not.',
    params,
    query: deliveriesQuery,
    answers: { 200: deliveriesAnswer },
    errors: ['webhook-unknown'],
    handle: ({ params, query }, { app }) => listDeliveries(app.ledger, params.id, query),
  }),
];
