import type { FastifyReply } from 'fastify';
import { campaignChange, changeCampaign, etagOf } from '../../control/campaigns/change.ts';
import { campaignInput, cloneCampaign, cloneInput, createCampaign } from '../../control/campaigns/create.ts';
import { deleteCampaign, deletedCampaign } from '../../control/campaigns/delete.ts';
import {
  campaignAnswer,
  campaignsAnswer,
  listCampaigns,
  listQuery,
  type ShownCampaign,
  showCampaign,
} from '../../control/campaigns/show.ts';
import { type Route, routesOf, tellOnce } from '../route.ts';

/** Campaigns: created, listed, shown, changed and deleted. */
const unknown = ['campaign-unknown'] as const;
const another = [...unknown, 'campaign-elsewhere', 'campaign-state'] as const;

/** Each answer has the order's version, for the next change to name. */
export function tell<Shown extends ShownCampaign>(reply: FastifyReply, campaign: Shown): Shown {
  reply.header('etag', etagOf(campaign));
  return campaign;
}

const { get, post, patch, remove } = routesOf('campaigns');

export const campaignRoutes: Route[] = [
  post('/api/campaigns', 'createCampaign', {
    role: 'operate',
    summary: 'Makes a campaign for the background workers.',
    more: 'With `start`, the order is checked as before a `run`, and nothing is created if a check fails. With an `Idempotency-Key`, the same request again answers the same campaign with 200 while that campaign exists. A service that cannot be reached does not fail the check. Without `retry`, `max_attempts` has no effect, as `notes` says.',
    idempotent: true,
    body: campaignInput,
    answers: { 201: campaignAnswer, 200: campaignAnswer },
    errors: [
      'campaign-exists',
      'nothing-to-dial',
      'window-empty',
      'caller-unknown',
      'agent-unknown',
      'key-denied',
    ],
    example: {
      body: {
        name: 'spring',
        agent: 'agent_123',
        from: ['+14155550100'],
        window: 'mon-fri=09:00-20:00',
        max_attempts: 3,
        retry: { 'no-answer': '30m/2h', busy: '10m' },
        recipients: [{ phone: '+14155550123', name: 'Ann' }],
        start: true,
      },
    },
    handle: async ({ body, request, reply }, { service }) => {
      const made = await createCampaign(service, body, request.headers['idempotency-key']);
      reply.header('location', `/api/campaigns/${made.answer.id}`);
      return tell(reply, tellOnce(reply, made, 201));
    },
  }),
  get('/api/campaigns', 'listCampaigns', {
    role: 'read',
    summary: 'Lists the campaigns of every service, the newest first.',
    query: listQuery,
    shared: true,
    answers: { 200: campaignsAnswer },
    handle: ({ query }, { app }) => listCampaigns(app.ledger, query),
  }),
  get('/api/campaigns/{id}', 'getCampaign', {
    role: 'read',
    summary: 'A campaign: its order, its state, its balance, and why its rows wait.',
    more: '`waits` is kept in steps of five minutes: a row whose retry became due a moment ago may still count as a retry.',
    answers: { 200: campaignAnswer },
    errors: unknown,
    handle: async ({ params, reply }, { app }) => tell(reply, await showCampaign(app.ledger, params.id)),
  }),
  patch('/api/campaigns/{id}', 'changeCampaign', {
    role: 'operate',
    summary: 'Changes the order for everything that is not yet planned.',
    more: 'A field that is left out does not change; null restores the default. With the `ETag` of an answer as `If-Match`, only that version is changed. `timezone` was settled at import. If `max_attempts` is lowered, everyone who waits and has already had that many is settled before the answer. A campaign that a `run` dials cannot be renamed.',
    ifMatch: true,
    body: campaignChange,
    answers: { 200: campaignAnswer },
    errors: [...another, 'campaign-busy', 'campaign-exists', 'campaign-changed', 'window-empty'],
    example: { body: { window: '10:00-18:00', max_calls: null, weight: 3 } },
    handle: async ({ params, body, request, reply }, { service }) =>
      tell(reply, await changeCampaign(service, params.id, body, request.headers['if-match'])),
  }),
  remove('/api/campaigns/{id}', 'deleteCampaign', {
    role: 'operate',
    summary: 'Deletes a campaign with its people, attempts, rejects and results.',
    more: 'The contact rules’ counts by phone stay. A campaign that runs, or has calls in progress or unknown, is 409. `done` is false while workers still delete rows. Single calls cannot be deleted, as their `Idempotency-Key` must stay known.',
    answers: { 200: deletedCampaign },
    errors: [...unknown, 'campaign-state', 'campaign-busy'],
    handle: ({ params }, { app }) => deleteCampaign(app.ledger, params.id),
  }),
  post('/api/campaigns/{id}/clone', 'cloneCampaign', {
    role: 'operate',
    summary: 'Makes a draft with the order of the campaign, and with `people` also with its list.',
    more: 'The people count as not called. People who were removed from the list stay off it, and suppressed people are skipped.',
    idempotent: true,
    body: cloneInput,
    answers: { 201: campaignAnswer, 200: campaignAnswer },
    errors: [...another, 'campaign-exists'],
    example: { body: { name: 'april', people: true } },
    handle: async ({ params, body, request, reply }, { service }) => {
      const made = await cloneCampaign(service, params.id, body, request.headers['idempotency-key']);
      reply.header('location', `/api/campaigns/${made.answer.id}`);
      return tell(reply, tellOnce(reply, made, 201));
    },
  }),
];
