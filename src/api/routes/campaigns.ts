import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { changeCampaign, etagOf } from '../../control/campaigns/change.ts';
import { cloneCampaign } from '../../control/campaigns/clone.ts';
import { createCampaign } from '../../control/campaigns/create.ts';
import { deleteCampaign } from '../../control/campaigns/delete.ts';
import { forecastCampaign } from '../../control/campaigns/forecast.ts';
import { cancelCampaign, pauseCampaign, startCampaign } from '../../control/campaigns/moves.ts';
import { refreshCampaign } from '../../control/campaigns/refresh.ts';
import { reportCampaign } from '../../control/campaigns/report.ts';
import { retryCampaign } from '../../control/campaigns/retry.ts';
import { listCampaigns, type ShownCampaign, showCampaign } from '../../control/campaigns/show.ts';
import { followHangUps } from '../../control/hang-ups.ts';
import { read, readParam, yes } from '../../control/input.ts';
import type { ApiParts } from '../parts.ts';

/** `?hang_up=1` ends the calls in progress too. */
const stopQuery = z.strictObject({ hang_up: yes.optional() });

const idOf = (request: FastifyRequest) => readParam(request.params, 'id');

/** Each answer carries the version of the order, for the next change to name. */
function tell<Shown extends ShownCampaign>(reply: FastifyReply, campaign: Shown): Shown {
  reply.header('etag', etagOf(campaign));
  return campaign;
}

/** Campaigns: created, listed, shown, reported, started, paused and canceled; the background workers dial them. */
export function addCampaigns(server: FastifyInstance, { app, service }: ApiParts): void {
  const { ledger } = app;

  server.post('/api/campaigns', async (request, reply) => {
    const key = request.headers['idempotency-key'];
    const { campaign: made, fresh } = await createCampaign(service, request.body, key);
    reply.code(fresh ? 201 : 200).header('location', `/api/campaigns/${made.id}`);
    return tell(reply, made);
  });
  server.get('/api/campaigns', (request) => listCampaigns(ledger, request.query));
  server.get('/api/campaigns/:id', async (request, reply) =>
    tell(reply, await showCampaign(ledger, idOf(request))),
  );
  server.patch('/api/campaigns/:id', async (request, reply) =>
    tell(reply, await changeCampaign(service, idOf(request), request.body, request.headers['if-match'])),
  );
  const acts = {
    start: (id: string) => startCampaign(service, id),
    resume: (id: string) => startCampaign(service, id),
  };
  for (const [verb, act] of Object.entries(acts)) {
    server.post(`/api/campaigns/:id/${verb}`, async (request, reply) =>
      tell(reply, await act(idOf(request))),
    );
  }
  addStops(server, { app, service });
  server.post('/api/campaigns/:id/retry', (request) => retryCampaign(service, idOf(request), request.body));
  server.post('/api/campaigns/:id/clone', async (request, reply) => {
    const made = await cloneCampaign(service, idOf(request), request.body);
    reply.code(201).header('location', `/api/campaigns/${made.id}`);
    return tell(reply, made);
  });
  server.delete('/api/campaigns/:id', (request) => deleteCampaign(ledger, idOf(request)));
  server.post('/api/campaigns/:id/refresh', (request) => refreshCampaign(ledger, idOf(request)));
  const laneCap = app.config.voice.maxCalls ?? null;
  server.get('/api/campaigns/:id/forecast', (request) =>
    forecastCampaign({ ...app, laneCap }, idOf(request), request.query),
  );
  server.get('/api/campaigns/:id/report', (request) => reportCampaign(ledger, idOf(request), request.query));
}

function addStops(server: FastifyInstance, { app, service }: Pick<ApiParts, 'app' | 'service'>): void {
  const stops = { pause: pauseCampaign, cancel: cancelCampaign };
  for (const [verb, stop] of Object.entries(stops)) {
    server.post(`/api/campaigns/:id/${verb}`, async (request, reply) => {
      const { hang_up: wanted } = read(stopQuery, request.query);
      const hangUp = wanted ? (calls: string[]) => followHangUps(service, calls) : undefined;
      return tell(reply, await stop(app, idOf(request), { hangUp }));
    });
  }
}
