import { PassThrough, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CarillonError } from '../../base/errors.ts';
import { readParam } from '../../control/input.ts';
import { createAdder, type PeopleFormat } from '../../control/people/add.ts';
import { listAttempts } from '../../control/people/attempts.ts';
import { changePerson, removePerson } from '../../control/people/edit.ts';
import { showPerson } from '../../control/people/person.ts';
import { exportResults, listRecipients, listRejects, readFilter } from '../../control/people/show.ts';
import type { ApiParts } from '../parts.ts';

/** The people of a campaign: lists of any length in, pages and whole results out, with flat memory both ways. */
const formats: Record<string, PeopleFormat> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
};

const typeOfResults = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const;

export function addRecipients(server: FastifyInstance, { app }: ApiParts): void {
  const { ledger, clock } = app;
  const addPeople = createAdder(app);

  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(Object.keys(formats), (_request, payload, done) => done(null, payload));

    scope.post('/api/campaigns/:id/recipients', (request) => {
      if (request.body === undefined) throw new CarillonError('request-invalid', 'The body is empty');
      const body = { stream: request.body as Readable, format: formatOf(request) };
      return addPeople(readParam(request.params, 'id'), body, request.query);
    });
  });

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

function formatOf(request: FastifyRequest): PeopleFormat {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return formats[type ?? ''] ?? 'json';
}
