import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { CarillonError } from '../../base/errors.ts';
import { limit, read, readCursor, readParam, writeCursor } from '../../control/input.ts';
import { readOrder } from '../../control/order/read.ts';
import { changeOrder } from '../../control/order/tell.ts';
import { readJsonRecipients } from '../../intake/json.ts';
import type { Batch } from '../../intake/recipients.ts';
import type { Campaign } from '../../ledger/campaigns/verbs.ts';
import type { Order } from '../../rules/order.ts';
import { importBatches } from '../import.ts';
import { change, newCampaign } from '../order.ts';
import type { ApiParts } from '../parts.ts';
import { campaignLineShape, campaignShape } from '../shapes.ts';

/** Campaigns: made, listed, shown, and started, rested and ended by hand; the background workers dial them. */
const listQuery = z.strictObject({ limit, cursor: z.string().max(500).optional() });

export function addCampaigns(server: FastifyInstance, { app }: ApiParts): void {
  const { ledger, baseUrl } = app;

  server.post('/api/campaigns', async (request, reply) => {
    const body = read(newCampaign, request.body);
    const options = readOrder(body);
    const { accepted, batches } = await readPeople(body, options, app.clock.now());
    // Whoever asks for calls learns at once that there is nobody to call, and nothing is made.
    if (body.start && accepted === 0) throw nobody(body.name, batches);
    const { name } = body;
    const id = await ledger.campaigns.create({
      order: options,
      name,
      baseUrl,
      state: 'draft',
      driver: 'background',
    });
    if (id === null) throw new CarillonError('campaign-exists', `There is a campaign named ${name} already`);
    if (batches.length > 0) {
      try {
        await importBatches(ledger, id, batches, { columns: [], mapped: jsonRoles });
      } catch (error) {
        await ledger.campaigns.forget(id).catch(() => undefined);
        throw error;
      }
    }
    if (body.start) await ledger.campaigns.resume(id);
    reply.code(201).header('location', `/api/campaigns/${id}`);
    return show(app, id);
  });

  server.get('/api/campaigns', async (request) => {
    const query = read(listQuery, request.query);
    const after = readCursor(z.tuple([z.uuid()]), query.cursor);
    const lines = await ledger.campaigns.page(baseUrl, after?.[0] ?? null, query.limit + 1);
    const items = lines.slice(0, query.limit);
    const next = lines.length > items.length ? writeCursor([items.at(-1)!.id]) : null;
    return { items: items.map(campaignLineShape), next };
  });

  server.get('/api/campaigns/:id', async (request) => show(app, readParam(request.params, 'id')));

  server.patch('/api/campaigns/:id', async (request) => {
    const campaign = await ours(app, request.params);
    const wanted = read(change, request.body);
    if (campaign.state === 'canceled') throw canceled(campaign);
    if (campaign.kind === 'calls') {
      throw new CarillonError('campaign-state', `${campaign.name} gathers single calls, each its own order`, {
        remedy: 'Order the next call otherwise.',
      });
    }
    await ledger.campaigns.change(campaign.id, changeOrder(campaign, wanted));
    return show(app, campaign.id);
  });

  for (const verb of ['start', 'resume'] as const) {
    server.post(`/api/campaigns/:id/${verb}`, async (request) => {
      const campaign = await ours(app, request.params);
      // A campaign that is dialled already goes on as it is.
      const dialled = campaign.driver === 'background' || campaign.runLives;
      if (campaign.state !== 'running' || !dialled) {
        await checkPeople(app, campaign);
        await ledger.campaigns.unpark(campaign.id);
        if ((await ledger.campaigns.resume(campaign.id)) === null) throw canceled(campaign);
      }
      return show(app, campaign.id);
    });
  }

  server.post('/api/campaigns/:id/pause', async (request) => {
    const campaign = await ours(app, request.params);
    const paused = await ledger.campaigns.pause([campaign.id], 'paused by hand');
    const after = await ledger.campaigns.get(campaign.id);
    if (paused.length === 0 && after.state !== 'paused') {
      throw new CarillonError(
        'campaign-state',
        `The campaign ${after.name} is ${after.state} and dials nobody`,
      );
    }
    return show(app, campaign.id);
  });

  server.post('/api/campaigns/:id/cancel', async (request) => {
    const campaign = await ours(app, request.params);
    await ledger.campaigns.cancel(campaign.id);
    return show(app, campaign.id);
  });
}

/** The keys of a recipient in JSON that are no variables. */
export const jsonRoles: readonly string[] = ['phone', 'phone_number', 'name', 'timezone'];

async function show(app: App, nameOrId: string) {
  const campaign = await app.ledger.campaigns.get(nameOrId);
  return campaignShape(campaign, await app.ledger.reports.standing(campaign.id));
}

/** A campaign of another service may be read, but it is not dialled from here. */
export async function ours(app: App, params: unknown): Promise<Campaign> {
  const campaign = await app.ledger.campaigns.get(readParam(params, 'id'));
  if (campaign.baseUrl === app.baseUrl) return campaign;
  throw new CarillonError(
    'campaign-elsewhere',
    `The campaign ${campaign.name} belongs to another VOICE_BASE_URL`,
    {
      remedy: 'Ask the Carillon that is set to that service, or make a campaign of another name.',
    },
  );
}

async function checkPeople(app: App, campaign: Campaign): Promise<void> {
  if (campaign.state === 'canceled') throw canceled(campaign);
  if (campaign.kind === 'calls') return;
  const { counts } = await app.ledger.reports.standing(campaign.id);
  if (counts.waiting + counts.queued + counts.calling + counts.parked + counts.unknown > 0) return;
  throw new CarillonError('nothing-to-dial', `The campaign ${campaign.name} has nobody to call`, {
    remedy: `Add people with POST /api/campaigns/${campaign.id}/recipients first.`,
  });
}

async function readPeople(
  body: z.infer<typeof newCampaign>,
  { timezone, hours }: Order,
  now: number,
): Promise<{ accepted: number; batches: Batch[] }> {
  const batches: Batch[] = [];
  let accepted = 0;
  const options = { country: body.country, timezone: timezone ?? undefined, hours, now };
  for await (const batch of readJsonRecipients(body.recipients ?? [], options)) {
    batches.push(batch);
    accepted += batch.accepted.length;
  }
  return { accepted, batches };
}

function nobody(name: string, batches: Batch[]): CarillonError {
  const first = batches[0]?.rejected[0];
  const why = first ? `: its first recipient ${first.reason}` : '';
  return new CarillonError('nothing-to-dial', `The campaign ${name} would have nobody to call${why}`, {
    remedy: 'Send `recipients` that can be called, or leave `start` out and add them later.',
  });
}

function canceled(campaign: Campaign): CarillonError {
  return new CarillonError('campaign-state', `The campaign ${campaign.name} was canceled and stays so`, {
    remedy: 'Make a campaign of another name.',
  });
}
