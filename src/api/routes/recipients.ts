import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { readParam } from '../../control/input.ts';
import { listAttempts } from '../../control/people/attempts.ts';
import { changePerson, removePerson } from '../../control/people/edit.ts';
import { showPerson } from '../../control/people/person.ts';
import { exportResults, listRecipients, listRejects, readFilter } from '../../control/people/show.ts';
import type { ApiParts } from '../parts.ts';

/** The people of a campaign: pages and whole results out, with flat memory. */
const typeOfResults = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const;

export function addRecipients(server: FastifyInstance, { app }: ApiParts): void {
  const { ledger, clock } = app;

  server.get('/api/campaigns/:id/recipients', (request) =>
    listRecipients(ledger, clock.now(), readParam(request.params, 'id'), request.query),
  );

  server.get('/api/campaigns/:id/recipients/:rid', (request) =>
    showPerson(app, readParam(request.params, 'id'), readParam(request.params, 'rid')),
  );

  server.patch('/api/campaigns/:id/recipients/:rid', (request) =>
    changePerson(app, readParam(request.params, 'id'), readParam(request.params, 'rid'), request.body),
  );
  server.delete('/api/campaigns/:id/recipients/:rid', (request) =>
    removePerson(app, readParam(request.params, 'id'), readParam(request.params, 'rid')),
  );

  server.get('/api/campaigns/:id/attempts', (request) =>
    listAttempts(ledger, readParam(request.params, 'id'), request.query),
  );

  server.get('/api/campaigns/:id/rejects', (request) =>
    listRejects(ledger, readParam(request.params, 'id'), request.query),
  );

  for (const format of ['csv', 'ndjson'] as const) {
    server.get(`/api/campaigns/:id/results.${format}`, async (request, reply) => {
      const campaign = await ledger.campaigns.get(readParam(request.params, 'id'));
      const filter = readFilter(campaign, request.query);
      const stream = new PassThrough();
      const name = `${campaign.name.replace(/[^\w.-]+/g, '_').slice(0, 80)}.results.${format}`;
      reply.header('content-type', typeOfResults[format]);
      reply.header('content-disposition', `attachment; filename="${name}"`);
      exportResults(ledger, clock.now(), campaign, { stream }, format, filter).then(
        () => stream.end(),
        // Break the connection: a truncated file must not look complete.
        (error: Error) => stream.destroy(error),
      );
      return reply.send(stream);
    });
  }
}
