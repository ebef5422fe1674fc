import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changeCampaign, etagOf } from '../../control/campaigns/change.ts';
import { createCampaign } from '../../control/campaigns/create.ts';
import { cancelCampaign, pauseCampaign, startCampaign } from '../../control/campaigns/moves.ts';
import { refreshCampaign } from '../../control/campaigns/refresh.ts';
import { listCampaigns, type ShownCampaign, showCampaign } from '../../control/campaigns/show.ts';
import { readParam } from '../../control/input.ts';
import type { ApiParts } from '../parts.ts';

/** Campaigns: created, listed, shown, started, paused and canceled; the background workers dial them. */
export function addCampaigns(server: FastifyInstance, { app, service }: ApiParts): void {
  const { ledger } = app;
  const idOf = (request: FastifyRequest) => readParam(request.params, 'id');

  /** Each answer carries the version of the order, for the next change to name. */
  const tell = (reply: FastifyReply, campaign: ShownCampaign) => {
    reply.header('etag', etagOf(campaign));
    return campaign;
  };

  server.post('/api/campaigns', async (request, reply) => {
    const made = await createCampaign(service, request.body);
    reply.code(201).header('location', `/api/campaigns/${made.id}`);
    return tell(reply, made);
  });
  server.get('/api/campaigns', (request) => listCampaigns(ledger, request.query));
  server.get('/api/campaigns/:id', (request) => showCampaign(ledger, idOf(request)));
  server.patch('/api/campaigns/:id', (request) => changeCampaign(service, idOf(request), request.body));
  server.post('/api/campaigns/:id/start', (request) => startCampaign(service, idOf(request)));
  server.post('/api/campaigns/:id/resume', (request) => startCampaign(service, idOf(request)));
  server.post('/api/campaigns/:id/pause', (request) => pauseCampaign(ledger, idOf(request)));
  server.post('/api/campaigns/:id/refresh', (request) => refreshCampaign(ledger, idOf(request)));
  server.post('/api/campaigns/:id/cancel', (request) => cancelCampaign(ledger, idOf(request)));
}
