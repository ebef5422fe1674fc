/** The service that Carillon was written for, with the interface of its documentation. */
import { z } from 'zod';
import { isAgent, linesOf } from '../account.ts';
import { type Call, hasEnded, statusOf } from '../calls.ts';
import {
  answering,
  bearerOf,
  type Dialect,
  headerOf,
  listing,
  ofCall,
  type Prepared,
  type Request,
  showsCall,
} from '../dialect.ts';
import { cancel, placeCall } from '../placing.ts';
import { soundOf, stamped } from '../recording.ts';
import { json, refusal } from '../reply.ts';
import type { Settings } from '../settings.ts';
import {
  anyObject,
  detailOf,
  e164,
  type Flaw,
  filled,
  holdBody,
  type Json,
  readObject,
  readQuery,
  textAt,
  whole,
  wrongAt,
} from '../shape.ts';
import { iso, viewCall } from '../view.ts';
import type { World } from '../world.ts';

export const standard: Dialect = {
  base: '/v1',
  secrets: (headers) => [bearerOf(headers), headerOf(headers, 'x-api-key')],
  routes: [
    { method: 'POST', path: '/call', operation: 'create', prepare: prepareCreate },
    { method: 'GET', path: '/phone-number', operation: 'list', prepare: prepareNumbers },
    showsCall('/call/{id}', () => unknown, showCall),
    { method: 'GET', path: '/recordings/{file}', operation: 'get', prepare: prepareRecording },
    {
      method: 'PATCH',
      path: '/call/{id}',
      operation: 'update',
      prepare: (world, request) =>
        ofCall(world, request, unknown, (call) => prepareUpdate(world, request, call)),
    },
  ],
  refuse: (why, status, text) =>
    refusal(status, text, why === 'key' || why === 'no-key' ? { 'www-authenticate': 'Bearer' } : undefined),
  spots: {
    id: ['/id'],
    status: ['/status'],
    phone: ['/phone_number'],
    nobody: '00000000-0000-4000-8000-000000000000',
  },
  newId: (world) => world.newId(),
};

const unknown = refusal(404, 'Call not found');
const invalid = (flaws: readonly Flaw[]) => json(422, { detail: detailOf(flaws) });

const forms = new Map<string, z.ZodType>();

/** The form of a create, with the names that the interface leaves open. */
function formOf({ customer, override }: Settings): z.ZodType {
  const { field, phone, name, variables } = customer;
  const names = JSON.stringify([field, phone, name, variables, override]);
  let form = forms.get(names);
  if (!form) {
    form = z
      .strictObject({
        agent_id: filled,
        phone_number_id: z.string().optional(),
        from_number: e164.optional(),
        [override]: anyObject.optional(),
        [field]: z.strictObject({
          [phone]: e164,
          [name]: z.string().optional(),
          ...(variables !== null && { [variables]: anyObject.optional() }),
        }),
      })
      .refine((body) => !('phone_number_id' in body && 'from_number' in body), {
        path: ['from_number'],
        error: 'cannot be given with phone_number_id',
      });
    forms.set(names, form);
  }
  return form;
}

function prepareCreate(world: World, request: Request): Prepared {
  const { settings } = world;
  const { field, phone: phoneField, name, variables } = settings.customer;
  const phoneAt = [field, phoneField];
  return placeCall(world, request, {
    form: formOf(settings),
    phoneAt,
    invalid,
    kept(body) {
      const tellsMore =
        settings.override in body || (variables !== null && variables in ((body[field] ?? {}) as Json));
      return tellsMore ? body : null;
    },
    order(body, phone) {
      const agentId = body.agent_id as string;
      const fromId = textAt(body, 'phone_number_id');
      const from = textAt(body, 'from_number');
      const lines = linesOf(settings, lineId);
      if (settings.refused.includes(phone)) return invalid([wrongAt(phoneAt, 'cannot be called', phone)]);
      if (!isAgent(settings, agentId)) return refusal(404, 'Agent not found');
      if (fromId !== undefined && !lines.some(({ id }) => id === fromId))
        return refusal(404, 'Phone number not found');
      if (from !== undefined && !lines.some(({ number }) => number === from))
        return invalid([wrongAt(['from_number'], 'is not a number of the organization', from)]);
      return {
        id: standard.newId(world),
        name: textAt(body, field, name),
        agentId,
        from: from ?? fromId,
        // Retry-After is left out, because the end of a call cannot be predicted.
        noRoom: refusal(429, 'Too many calls at once'),
        noCredit: refusal(402, 'Insufficient credits'),
        answer: (call) => json(settings.createStatus, showCreated(world, call)),
      };
    },
  });
}

function showCreated({ settings, orgId }: World, call: Call): Json {
  return {
    id: call.id,
    status: settings.statuses.queued ?? 'queued',
    provider_call_sid: `CA${call.id.replaceAll('-', '')}`,
    phone_number: call.phone,
    agent_id: call.agentId,
    message: 'Call queued',
    org_id: orgId,
  };
}

function showCall(world: World, call: Call, { origin }: Request): Json {
  const { settings, timescale, orgId } = world;
  const { seconds, phase, told, cost, createdAt, updatedAt } = viewCall(world, call, 0);
  const status = statusOf(call, timescale.now());
  const said = told?.transcript;
  return {
    id: call.id,
    phone_number: call.phone,
    status: settings.statuses[status] ?? status,
    direction: 'outbound',
    org_id: orgId,
    agent_id: call.agentId,
    duration: phase === 'ended' ? seconds : null,
    transcript: said ? stamped(said, seconds) : null,
    recording_url: said ? `${origin}${standard.base}/recordings/${call.id}.wav` : null,
    cost: cost ?? null,
    metadata: call.metadata,
    structured_data: told?.data ?? null,
    contact_id: null,
    created_at: iso(createdAt),
    updated_at: iso(Math.max(call.patchedAt, updatedAt)),
  };
}

function prepareRecording(world: World, request: Request): Prepared {
  const id = (request.params.file as string).replace(/\.wav$/, '');
  const none = refusal(404, 'Recording not found');
  return ofCall(world, { ...request, params: { id } }, none, (call) => {
    const { told, seconds } = viewCall(world, call, 0);
    const said = told?.transcript;
    if (!said) return { refused: none };
    const headers = { 'content-type': 'audio/wav' };
    return answering(call, () => ({ status: 200, body: soundOf(said, seconds), headers }));
  });
}

const changes = z.strictObject({ metadata: anyObject.optional(), status: z.string().optional() });

function prepareUpdate(world: World, request: Request, call: Call): Prepared {
  const refused = (flaws: readonly Flaw[]) => ({ refused: invalid(flaws), phone: call.phone });
  const read = readObject(request.contentType, request.body);
  if ('flaws' in read) return refused(read.flaws);
  const flaws = holdBody(changes, read.value, world.settings.strict);
  if (flaws.length > 0) return refused(flaws);
  const { metadata, status } = read.value as z.output<typeof changes>;
  // Null counts as absent where the service is not strict.
  const wanted = status ?? undefined;
  if (wanted !== undefined) {
    if (!['canceled', 'cancelled', world.settings.statuses.canceled].includes(wanted))
      return refused([wrongAt(['status'], 'can only be canceled', wanted)]);
    if (hasEnded(call, world.timescale.now()))
      return refused([wrongAt(['status'], 'cannot change: the call has already ended', wanted)]);
  }
  return answering(call, () => {
    if (metadata) call.metadata = { ...call.metadata, ...metadata };
    if (wanted !== undefined) cancel(world, call);
    call.patchedAt = world.clock.now();
    return json(200, showCall(world, call, request));
  });
}

const page = z.object({ limit: whole(1, 1000).default(100), offset: whole(0, 1e15).default(0) });
const lineId = (_number: string, nth: number) => `number-${nth + 1}`;

function prepareNumbers({ settings, orgId }: World, { query }: Request): Prepared {
  const read = readQuery(page, query, false);
  if ('flaws' in read) return { refused: json(422, { detail: detailOf(read.flaws, 'query') }) };
  const { limit, offset } = read.value;
  const lines = linesOf(settings, lineId).slice(offset, offset + limit);
  return listing(() =>
    lines.map(({ id, number, label }) => ({
      id,
      user_id: null,
      org_id: orgId,
      phone_number: number,
      country_code: null,
      provider: 'simulated',
      label,
      is_verified: true,
      capabilities: { voice: true, sms: false },
      inbound_agent_id: null,
      outbound_agent_id: null,
      sms_enabled: false,
      server_url: null,
      fallback_phone_number: null,
      provider_account_sid: null,
      created_at: '2025-01-06T09:00:00.000Z',
      updated_at: '2025-01-06T09:00:00.000Z',
    })),
  );
}
