import { currentActor, isEnough } from '../../base/actor.ts';
import { followQuery, readFollow } from '../../control/events/follow.ts';
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
import { endWhenRefused, openStream } from '../events/stream.ts';
import { type Route, raw, routesOf, tellOnce } from '../route.ts';

/** Events, as they happen, and addresses that are told of them: of people too, so adding one needs an admin. */
const params = { id: 'The webhook’s id.' };

const { get, post, patch, remove } = routesOf('webhooks');
const events = routesOf('events');

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
  events.get('/api/events', 'followEvents', {
    role: 'read',
    summary: 'Follows what happens, as server-sent events.',
    more: 'The answer stays open. `id:` and `event:` carry the id and the type of an event, `data:` an Event as JSON. With `Last-Event-ID` it continues after that event, without a gap; without it, it begins with the next event, and the answer’s header `Last-Event-ID` is the place before it: with it, a connection that was lost before the first event continues without a gap. A comment every 15 seconds shows that the connection lives. A reader who is too slow is cut off, and can continue in the same way. An id that is no longer kept is 410 `event-gone`.',
    query: followQuery,
    answers: {
      200: raw(
        'text/event-stream',
        'id: evt_019aab5c1e2f00000000002a\nevent: recipient.done\ndata: {"id":"evt_019aab5c1e2f00000000002a","type":"recipient.done","at":"2026-11-22T14:03:11.215Z","data":{"id":"7","campaign":"spring","state":"done","outcome":"answered"}}\n\n',
      ),
    },
    errors: ['campaign-unknown', 'event-gone', 'too-many-readers', 'stopping'],
    async handle({ query, request, reply }, { app, feed }) {
      const last = request.headers['last-event-id'];
      const { from, ...wish } = await readFollow(app.ledger, query, Array.isArray(last) ? last[0] : last);
      reply.header('last-event-id', from);
      const { name, token, role } = currentActor();
      const who = token ?? name;
      feed.makeRoom(who);
      const stream = openStream(reply);
      endWhenRefused(stream, request.isStill);
      feed.follow(stream, { ...wish, who, seesPeople: isEnough(role, 'read_people') });
      return reply;
    },
  }),
];
