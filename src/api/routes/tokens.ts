import { activityAnswer, activityQuery, listActivity } from '../../control/activity/list.ts';
import {
  createToken,
  listTokens,
  madeToken,
  meAnswer,
  revokeToken,
  showMe,
  shownToken,
  tokenInput,
  tokensAnswer,
  tokensQuery,
} from '../../control/tokens/manage.ts';
import { activityVerbs } from '../../ledger/activity/activity.ts';
import { type Route, routesOf, tellOnce } from '../route.ts';

/** Tokens, who sent a request, and the record of who changed what. */
const { get, post, remove } = routesOf('tokens');

export const tokenRoutes: Route[] = [
  get('/api/tokens', 'listTokens', {
    role: 'admin',
    summary: 'Lists the named tokens, with their roles and last use.',
    query: tokensQuery,
    answers: { 200: tokensAnswer },
    handle: ({ query }, { app }) => listTokens(app.ledger, query),
  }),
  post('/api/tokens', 'createToken', {
    role: 'admin',
    summary: 'Makes a token, which only this answer shows.',
    more: 'With an `Idempotency-Key`, the same request again answers the same token with 200 for 30 days, while it is not revoked.',
    idempotent: true,
    body: tokenInput,
    answers: { 201: madeToken, 200: madeToken },
    errors: ['token-exists', 'secret-other'],
    example: { body: { name: 'reporting', role: 'read', ends: '90d' } },
    handle: async ({ body, request, reply }, { app }) => {
      const { config } = app;
      return tellOnce(
        reply,
        await createToken(app, body, { key: request.headers['idempotency-key'], config }),
        201,
      );
    },
  }),
  remove('/api/tokens/{id}', 'revokeToken', {
    role: 'admin',
    summary: 'Revokes a token: it stops working in every process within seconds.',
    params: { id: 'The token’s id or its name.' },
    answers: { 200: shownToken },
    errors: ['token-unknown'],
    handle: ({ params }, { app }) => revokeToken(app.ledger, params.id),
  }),
  get('/api/activity', 'listActivity', {
    role: 'operate',
    summary: 'Lists who changed what, from where and when, the newest first.',
    more: `It has ids and no people: phones are masked. The verbs are ${activityVerbs.map((verb) => `\`${verb}\``).join(', ')}.`,
    query: activityQuery,
    answers: { 200: activityAnswer },
    errors: ['campaign-unknown'],
    handle: ({ query }, { app }) => listActivity(app.ledger, query),
  }),
  get('/api/me', 'getMe', {
    role: 'read',
    summary: 'Tells who asks: the token’s name and its role.',
    answers: { 200: meAnswer },
    handle: async ({ request }) => showMe(request.actor!, request.isLogin),
  }),
];
