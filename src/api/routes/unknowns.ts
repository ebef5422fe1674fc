import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { read, readParam, text } from '../../control/input.ts';
import { createResolver } from '../../control/resolve.ts';
import { showUnknown } from '../../control/unknown.ts';
import { ask } from '../../lane/ask.ts';
import { outcomeOf } from '../../voice/profile.ts';
import type { ApiParts } from '../parts.ts';

/** What nobody can know by asking the service: listed, and settled by a person who has found out. */
const as = z.enum(['called', 'not-called']);
const resolution = z.strictObject({ as, call_id: text(200).optional(), reason: text(500).optional() });

const bulk = z.strictObject({
  as,
  reason: text(500).optional(),
  campaign: text(300).optional(),
  all: z.literal(true).optional(),
  attempts: z
    .array(z.strictObject({ attempt: text(100), call_id: text(200).optional() }))
    .min(1)
    .max(1_000)
    .optional(),
});

const listQuery = z.strictObject({
  campaign: text(300).optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
});

/** So many are settled by one request; whoever has more asks again. */
const most = 1_000;
/** A key that rests longer than this is not waited for while somebody waits for an answer. */
const patienceMs = 10_000;

export function addUnknowns(server: FastifyInstance, { app, stations }: ApiParts): void {
  const { ledger, config, clock } = app;
  const lanes = () => stations.lanes();
  const resolver = createResolver({
    ledger,
    async fetch(attempt, callId) {
      const lane = lanes().find((each) => each.id === attempt.laneId) ?? lanes()[0];
      if (!lane || attempt.baseUrl !== app.baseUrl) return null;
      const deps = { clock, note: () => undefined, patienceMs };
      return { key: lane.name, answer: await ask(lane, deps, (client) => client.getCall(callId)) };
    },
    outcomeOf: (status) => outcomeOf(app.profile, status),
    async follow(placed) {
      const lane = lanes().find((each) => each.id === placed.laneId);
      // Without a queue at hand the reconciler makes the job.
      if (lane) await stations.queues.add(lane.bucket, 'track', [placed.id]).catch(() => undefined);
    },
    deadlineMs: config.voice.callDeadlineMs,
    clock,
    note: (line) => app.log.info(line),
  });

  server.get('/api/unknown', async (request) => {
    const query = read(listQuery, request.query);
    const found = await ledger.unknowns.list(await campaignId(query.campaign), query.limit);
    return { items: found.map((each) => showUnknown(each)) };
  });

  server.post('/api/unknown/:attempt/resolve', async (request) => {
    const body = read(resolution, request.body);
    const attempt = readParam(request.params, 'attempt');
    const after = await resolver.one(attempt, { as: body.as, callId: body.call_id, reason: body.reason });
    return {
      attempt,
      campaign: after.campaign,
      recipient: String(after.recipientId),
      state: after.state,
      call_id: after.callId,
      outcome: after.outcome,
    };
  });

  server.post('/api/unknown/resolve', async (request) => {
    const body = read(bulk, request.body);
    const chosen = [body.campaign, body.all, body.attempts].filter((each) => each !== undefined);
    if (chosen.length !== 1) {
      throw new CarillonError('request-invalid', 'It is not clear which attempts are meant', {
        remedy: 'Send one of `campaign`, `attempts` and `"all": true`.',
      });
    }
    const found = body.attempts ?? (await findAll(body.campaign, body.as));
    const { resolved, failed } = await resolver.many(
      found.slice(0, most).map((each) => ({
        attempt: each.attempt,
        as: body.as,
        callId: each.call_id,
        reason: body.reason,
      })),
    );
    return { as: body.as, matched: found.length, resolved: resolved.length, failed };
  });

  async function campaignId(name: string | undefined): Promise<string | null> {
    return name === undefined ? null : (await ledger.campaigns.get(name)).id;
  }

  /** A call that the service took cannot have been left unmade: such are passed over when all are called not called. */
  async function findAll(name: string | undefined, what: 'called' | 'not-called') {
    const found = await ledger.unknowns.list(await campaignId(name), 1_000_000);
    return found
      .filter((each) => what === 'called' || each.callId === null)
      .map((each) => ({ attempt: each.attempt, call_id: undefined }));
  }
}
