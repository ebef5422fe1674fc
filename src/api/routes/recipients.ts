import { PassThrough, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { country, limit, read, readCursor, readParam, text, writeCursor } from '../../control/input.ts';
import { type ResultFormat, writeResults } from '../../export/results.ts';
import type { Mapping } from '../../intake/columns.ts';
import { openCsv } from '../../intake/csv.ts';
import { readJsonRecipients } from '../../intake/json.ts';
import { readJsonArray, readNdjson } from '../../intake/json-items.ts';
import { openSource } from '../../intake/source.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import { type ImportAnswer, importBatches } from '../import.ts';
import type { ApiParts } from '../parts.ts';
import { recipientShape } from '../shapes.ts';
import { jsonRoles, ours } from './campaigns.ts';

/** The people of a campaign: lists of any length in, pages and whole results out; flat in memory both ways. */
const importQuery = z.strictObject({
  country: country.optional(),
  // Columns of a CSV that have names of their own.
  phone: text(500).optional(),
  name: text(500).optional(),
  timezone: text(500).optional(),
});

const pageQuery = z.strictObject({ limit, cursor: z.string().max(500).optional() });

const types = ['application/json', 'application/x-ndjson', 'text/csv'];

export function addRecipients(server: FastifyInstance, { app }: ApiParts): void {
  const { ledger } = app;
  const inTurn = createTurns();

  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(types, (_request, payload, done) => done(null, payload));

    scope.post('/api/campaigns/:id/recipients', async (request) => {
      const campaign = await ours(app, request.params);
      checkAdding(campaign);
      if (request.body === undefined) throw new CarillonError('request-invalid', 'The body is empty');
      const answer = await importFrom(request, campaign);
      const { state } = await ledger.campaigns.get(campaign.id);
      return { campaign: campaign.name, state, ...answer };
    });
  });

  async function importFrom(request: FastifyRequest, campaign: Campaign): Promise<ImportAnswer> {
    const query = read(importQuery, request.query);
    const stream = request.body as Readable;
    const options = {
      country: query.country,
      timezone: campaign.timezone ?? undefined,
      hours: campaign.hours,
      now: app.clock.now(),
    };
    // The body is on disk before a connection to the ledger is taken: a slow sender holds up nobody.
    if (typeOf(request) === 'text/csv') {
      const map = { phone: query.phone, name: query.name, timezone: query.timezone };
      const intake = await openCsv({ stream }, { ...options, map: given(map) }).catch(asColumnFault);
      const columns = { columns: intake.columns, mapped: rolesOf(intake.mapping) };
      try {
        return await inTurn(() => importBatches(ledger, campaign.id, intake.batches, columns));
      } finally {
        await intake.close();
      }
    }
    const { handle } = await openSource({ stream });
    try {
      const chunks = handle.createReadStream({ start: 0, autoClose: false });
      const values = typeOf(request) === 'application/json' ? readJsonArray(chunks) : readNdjson(chunks);
      const batches = readJsonRecipients(values, options);
      const columns = { columns: [], mapped: jsonRoles };
      return await inTurn(() => importBatches(ledger, campaign.id, batches, columns));
    } finally {
      await handle.close();
    }
  }

  server.get('/api/campaigns/:id/recipients', async (request) => {
    const query = read(pageQuery, request.query);
    const campaign = await ledger.campaigns.get(readParam(request.params, 'id'));
    const place = readCursor(z.tuple([z.int(), z.int().min(0)]), query.cursor);
    const after = place ? { row: place[0], id: place[1] } : { row: -1, id: -1 };
    const lines = await ledger.reports.page(campaign.id, after, query.limit + 1);
    const items = lines.slice(0, query.limit);
    const last = items.at(-1);
    const next = last && lines.length > items.length ? writeCursor([last.row, last.id]) : null;
    return { items: items.map(recipientShape), next };
  });

  for (const format of ['csv', 'ndjson'] as const) {
    server.get(`/api/campaigns/:id/results.${format}`, async (request, reply) => {
      const campaign = await ledger.campaigns.get(readParam(request.params, 'id'));
      const stream = new PassThrough();
      const name = `${campaign.name.replace(/[^\w.-]+/g, '_').slice(0, 80)}.results.${format}`;
      reply.header('content-type', typeOfResults[format]);
      reply.header('content-disposition', `attachment; filename="${name}"`);
      writeResults({ stream }, format, campaign.columns, ledger.reports.results(campaign.id)).then(
        () => stream.end(),
        // The connection breaks: a file that is cut must not look whole.
        (error: Error) => stream.destroy(error),
      );
      return reply.send(stream);
    });
  }
}

const typeOfResults: Record<ResultFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

function checkAdding(campaign: Campaign): void {
  if (campaign.kind === 'calls') {
    throw new CarillonError('campaign-state', `The campaign ${campaign.name} gathers single calls`, {
      remedy: 'Order single calls with POST /api/calls.',
    });
  }
  if (campaign.state === 'canceled') {
    throw new CarillonError('campaign-state', `The campaign ${campaign.name} was canceled and takes nobody`);
  }
  if (campaign.runLives) {
    throw new CarillonError(
      'campaign-busy',
      `The campaign ${campaign.name} is dialled by a run, whose file is its list`,
    );
  }
}

/** One import at a time: the ledger's connections belong to the calls first. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

function typeOf(request: FastifyRequest): string | undefined {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}

function rolesOf(mapping: Mapping): string[] {
  return [mapping.phone, mapping.name, mapping.timezone].filter((column) => column !== null);
}

function given(map: {
  phone?: string | undefined;
  name?: string | undefined;
  timezone?: string | undefined;
}) {
  return Object.fromEntries(Object.entries(map).filter(([, column]) => column !== undefined));
}

/** What the command line calls --map is the query here. */
function asColumnFault(error: unknown): never {
  if (error instanceof CarillonError && error.code === 'usage-invalid') {
    throw new CarillonError('request-invalid', error.message, {
      remedy: 'Give a header row, and say which column is which with ?phone=COL&name=COL&timezone=COL.',
    });
  }
  throw error;
}
