import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { ListPage, ServiceAgent, ServiceNumber } from '../../voice/call.ts';
import { abilities, description, facts, type ServiceDescription } from '../../voice/description.ts';
import {
  describeService,
  descriptionSchema,
  type LoadedService,
  serviceNames,
} from '../../voice/load-service.ts';
import { explainRecord } from '../../voice/read-answer.ts';
import { read, text } from '../requests/input.ts';
import { wholeOf } from '../requests/page.ts';
import { ask, faultError, type ServiceAccess } from './access.ts';

/** The services that Carillon can drive, by their descriptions; and whether one answers as described. */
const serviceShape = z
  .object({
    name: z.string(),
    title: z.string(),
    base_url: z.string().nullable().describe('Null where each user has an address of their own.'),
    read_on: z.string().nullable().describe('When the description was read from what the service publishes.'),
    verified: z.string().nullable().describe('The facts that were read there.'),
    unverified: z.string().nullable().describe('The facts that are not published: the service may differ.'),
    sources: z.array(z.string()).describe('Where it was read.'),
    limits: z
      .object({ calls: z.int().nullable(), requests_per_second: z.number().nullable() })
      .describe('The published limits, to begin with; null where nothing is known.'),
    facts: facts.describe('For each ability, how far it holds and where that was read.'),
    can: z.object(Object.fromEntries(abilities.map((name) => [name, z.boolean()]))),
    absence_proves: z
      .boolean()
      .nullable()
      .describe('Whether a call missing from its list was surely never made; null if it lists no calls.'),
    dials_later: z.boolean().describe('Whether it may dial some time after it answers a create.'),
  })
  .meta({ id: 'Service' });
export const servicesAnswer = wholeOf(serviceShape);
type ShownService = z.output<typeof serviceShape>;

export function listServices(): z.output<typeof servicesAnswer> {
  return { items: serviceNames().map((name) => shape(name, describeService(name))), next: null };
}

export function showService(name: string): ServiceDescription {
  if (!serviceNames().includes(name)) {
    throw new CarillonError('usage-invalid', `The service ${name} is not known`, {
      remedy: `There are ${serviceNames().join(', ')}.`,
    });
  }
  return describeService(name);
}

export { description, descriptionSchema };

/** The service of this process: its description with VOICE_PROFILE laid over it. */
export const serviceInUse = serviceShape
  .extend({
    base_url: z.string(),
    extended: z.boolean().describe('A file of VOICE_PROFILE changes what ships.'),
  })
  .meta({ id: 'ServiceInUse' });
type InUse = {
  described: LoadedService;
  config: { voice: { baseUrl?: string | undefined; profilePath?: string | undefined } };
};

export function showServiceInUse({ described, config: { voice } }: InUse): z.output<typeof serviceInUse> {
  return {
    ...shape(described.name, described.description),
    base_url: voice.baseUrl ?? '',
    extended: voice.profilePath !== undefined,
  };
}

function shape(name: string, described: ServiceDescription): ShownService {
  const { list, limits, get } = described;
  const { cost, recording_url, transcript } = get.fields;
  return {
    name,
    title: described.title,
    base_url: described.base_url,
    read_on: described.read_on ?? null,
    verified: described.verified ?? null,
    unverified: described.unverified ?? null,
    sources: described.sources ?? [],
    facts: described.facts ?? {},
    limits: { calls: limits?.calls ?? null, requests_per_second: limits?.requests_per_second ?? null },
    can: {
      find: Boolean(list),
      hang_up: Boolean(described.hang_up),
      numbers: Boolean(described.numbers),
      agents: Boolean(described.agents),
      webhook: Boolean(described.webhook),
      transcripts: Boolean(transcript ?? described.transcript),
      recordings: Boolean(recording_url),
      costs: Boolean(cost),
      live_calls: Boolean(described.live_calls),
    },
    absence_proves: list ? list.absence_proves : null,
    dials_later: described.queue_seconds !== undefined,
  };
}

const stepShape = z.object({
  what: z.string(),
  state: z.enum(['ok', 'warn', 'fail']),
  detail: z.string(),
});
export const checkedService = z.object({
  service: z.string(),
  key: z.string(),
  steps: z.array(stepShape),
  call_id: z.string().nullable(),
  fields: z
    .array(z.object({ field: z.string(), at: z.array(z.string()), value: z.unknown() }))
    .describe(
      'Each field that the description maps, where it looks, and what stands there; null for nothing.',
    ),
});
export type CheckedService = z.output<typeof checkedService>;

export const checkInput = z.strictObject({
  call_id: text(300)
    .optional()
    .describe('The service’s id of a call whose record is read; by default a recent one of the ledger.'),
});

/** Asks the service as it is described: numbers, agents, and one record, reporting every mapped field. */
export async function askService(
  service: ServiceAccess,
  described: { name: string; description: ServiceDescription },
  input: unknown,
): Promise<CheckedService> {
  const { call_id: callId } = read(checkInput, input);
  const lane = service.lanes[0]!;
  const steps: CheckedService['steps'] = [];
  const tell = (what: string, state: 'ok' | 'warn' | 'fail', detail: string) =>
    steps.push({ what, state, detail });
  const list = async (what: 'numbers' | 'agents') => {
    if (!lane.client.can[what]) {
      // Nothing is sent: the client says what the service lacks, or which setting is missing.
      const none = await lane.client[what]();
      tell(what, 'warn', none.ok ? 'none' : none.fault.message);
      return;
    }
    const answer = await ask<ListPage<ServiceNumber | ServiceAgent>>(lane, service, (client) =>
      client[what](),
    );
    if (!answer.ok) {
      tell(what, 'fail', answer.fault.message);
      return;
    }
    const { items, next } = answer.value;
    const names = items
      .slice(0, 5)
      .map((item) =>
        'phone' in item ? item.phone : item.name === null ? item.id : `${item.name} (${item.id})`,
      );
    const more = next === null && items.length <= 5 ? '' : ', ...';
    const shown =
      items.length === 0 ? 'none' : `${items.length}${next ? ' or more' : ''}: ${names.join(', ')}${more}`;
    tell(what, items.length === 0 ? 'warn' : 'ok', shown);
  };
  await list('numbers');
  await list('agents');
  if (lane.client.can.liveCalls) {
    const counted = await ask(lane, service, (client) => client.liveCalls());
    if (counted.ok) tell('calls in progress', 'ok', String(counted.value));
    else tell('calls in progress', 'fail', counted.fault.message);
  }
  const id = callId ?? (await service.ledger.calls.latestCallId(lane.id));
  const base = { service: described.name, key: lane.name, steps };
  if (id === null) {
    tell('record', 'warn', 'no call is known yet: give --call ID to read one');
    return { ...base, call_id: null, fields: [] };
  }
  await lane.directory.learn({ agentId: '' });
  const answer = await ask(lane, service, (client) => client.get({ id }));
  if (!answer.ok) {
    if (answer.fault.kind === 'denied')
      throw faultError(answer.fault, lane.name, 'The record cannot be read');
    tell('record', 'fail', answer.fault.message);
    return { ...base, call_id: id, fields: [] };
  }
  const fields = explainRecord(described.description, answer.value.record);
  const found = fields.filter(({ value }) => value !== null).length;
  const { stage } = answer.value;
  const stands =
    stage.kind === 'ended'
      ? stage.outcome
      : stage.kind === 'live'
        ? 'in progress'
        : `nobody was dialled: ${stage.why}`;
  tell('record', 'ok', `${id}: ${stands}; ${found} of ${fields.length} fields found`);
  if (answer.value.isNewReason)
    tell('reason', 'warn', `no rule knows the reason ${answer.value.endedReason}`);
  return { ...base, call_id: id, fields };
}
