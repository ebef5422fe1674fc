import { createHash, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { country, read, readParam, text } from '../../control/input.ts';
import { readOrder } from '../../control/order/read.ts';
import { campaignFor } from '../../control/single.ts';
import { readJsonRecipients } from '../../intake/json.ts';
import type { AcceptedRow } from '../../intake/recipients.ts';
import type { Ordered } from '../../ledger/calls/verbs.ts';
import type { Order } from '../../rules/order.ts';
import type { ApiParts } from '../parts.ts';
import { callLinks, callShape } from '../shapes.ts';

/** Single calls: ordered once, whatever happens to the request, and looked up by their id. */
const newCall = z.strictObject({
  agent: text(200),
  phone: text(64),
  name: text(500).optional(),
  from: text(64).optional(),
  number_id: text(200).optional(),
  variables: z.record(z.string(), z.unknown()).optional(),
  country: country.optional(),
});

const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, 'is not 1 to 255 visible ASCII characters')
  .optional();

const longestHistory = 500;

/** `fresh` is false when the order was given before, and this is what came of it. */
type Placed = { id: number; fresh: boolean };

export function addCalls(server: FastifyInstance, { app }: ApiParts): void {
  const { ledger, baseUrl } = app;

  server.post('/api/calls', async (request, reply) => {
    const body = read(newCall, request.body);
    const headers = { 'Idempotency-Key': request.headers['idempotency-key'] };
    const { 'Idempotency-Key': key } = read(z.object({ 'Idempotency-Key': idempotencyKey }), headers);
    const order = readOrder({
      agent: body.agent,
      from: body.from === undefined ? [] : [body.from],
      number_ids: body.number_id === undefined ? [] : [body.number_id],
    });
    if (order.callers.length > 1)
      throw new CarillonError('request-invalid', 'number_id: give it or from, not both');
    const person = await readPerson(body);
    const ref = key === undefined ? randomUUID() : digest(baseUrl, key);

    const before = key === undefined ? null : await ledger.calls.byRef(ref);
    const { id, fresh } = before ? sameOrder(before, order, person) : await add(order, person, ref);
    const call = await ledger.calls.find(id);
    if (!call) throw new CarillonError('call-unknown');
    const { self, campaign } = callLinks(String(call.id), call.campaignId);
    reply.code(fresh ? 202 : 200).header('location', self);
    return {
      id: String(call.id),
      state: call.state,
      phone: call.phone,
      campaign: call.campaign,
      links: { self, campaign },
    };
  });

  server.get('/api/calls/:id', async (request) => {
    const id = readParam(request.params, 'id');
    const call = /^\d{1,15}$/.test(id) ? await ledger.calls.find(Number(id)) : null;
    if (!call) throw new CarillonError('call-unknown', `There is no call ${id}`);
    const history = await ledger.calls.history(call.id, longestHistory);
    return { ...callShape(call), history };
  });

  async function add(order: Order, person: AcceptedRow, ref: string): Promise<Placed> {
    const { agentId, callers } = order;
    const campaign = await campaignFor(ledger, baseUrl, { agentId, caller: callers[0] ?? null });
    const added = await ledger.calls.add(campaign.id, { ...person, ref });
    if (added.id !== null) return { id: added.id, fresh: true };
    // Another request with this key came between.
    const other = await ledger.calls.byRef(ref);
    if (other) return sameOrder(other, order, person);
    if (added.suppressed) {
      throw new CarillonError('phone-suppressed', `phone: ${person.phone} is suppressed and was not called`);
    }
    throw resting(campaign.name, added.campaign);
  }
}

async function readPerson(body: z.infer<typeof newCall>): Promise<AcceptedRow> {
  const { phone, name, variables = {} } = body;
  for await (const batch of readJsonRecipients([{ phone, name, variables }], { country: body.country })) {
    const [accepted] = batch.accepted;
    if (accepted) return accepted;
    throw new CarillonError('request-invalid', `phone: ${batch.rejected[0]?.reason}`);
  }
  throw new CarillonError('request-invalid', 'phone: is missing');
}

/** The call that was ordered under this key, when the order is the same. */
function sameOrder(before: Ordered, order: Order, person: AcceptedRow): Placed {
  const was = [before.terms.agentId, before.terms.callers, before.phone, before.name, sorted(before.input)];
  const is = [order.agentId, order.callers, person.phone, person.name, sorted(person.variables)];
  if (JSON.stringify(was) !== JSON.stringify(is)) throw new CarillonError('request-conflict');
  return { id: before.id, fresh: false };
}

/** Postgres keeps a JSON object's keys in an order of its own. */
function sorted(record: Record<string, string>): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function digest(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function resting(name: string, state: string): CarillonError {
  return new CarillonError('campaign-state', `The campaign ${name}, which gathers these calls, is ${state}`, {
    remedy: `POST /api/campaigns/${encodeURIComponent(name)}/resume, then send the call again.`,
  });
}
