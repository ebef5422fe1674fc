import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CarillonError, errorLine } from '../../src/base/errors.ts';
import type { CallInput } from '../../src/voice/call.ts';
import { describeCreate } from '../../src/voice/clients.ts';
import type { ServiceDescription } from '../../src/voice/description.ts';
import { loadService, standard } from '../../src/voice/load-service.ts';
import { optOutRules } from '../../src/voice/opt-out.ts';
import { describeProfile } from '../../src/voice/profile.ts';
import { createReader } from '../../src/voice/read-answer.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-profile-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(content: unknown): string {
  const path = join(folder, 'profile.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const load = (content: unknown) => loadService(undefined, write(content)).description;
const person = { agentId: 'a1', phone: '+14155550123' };

const base = 'http://127.0.0.1/v1';
/** The create as it is sent, without the key. */
function bodyOf(service: ServiceDescription, input: CallInput): unknown {
  const { method, url, body } = describeCreate(service, base, input);
  expect(`${method} ${url}`).toBe(`POST ${base}/call`);
  return body;
}

function outcomeOf(service: ServiceDescription, status: string | null | undefined): string | null {
  const call = createReader(service, (path) => path).call({ id: 'c-1', status }, '', Date.now())!;
  return call.stage.kind === 'ended' ? call.stage.outcome : null;
}

test('without a file the built-in profile applies', () => {
  expect(loadService(undefined, undefined)).toEqual({ name: 'standard', description: standard() });
  expect(load({})).toEqual(standard());
  expect(describeProfile(standard(), {})).toEqual(standard());
});

test('an opt-out is read as paths and values, and a path that leads nowhere is refused', () => {
  const rulesOf = (optOut: unknown) => optOutRules(load({ optOut }).opt_out);
  expect(rulesOf({ 'structured_data.opt_out': true, 'metadata.dnc': 1 })).toEqual([
    { path: 'structured_data.opt_out', value: 'true' },
    { path: 'metadata.dnc', value: '1' },
  ]);
  expect(rulesOf(null)).toEqual([]);
  for (const optOut of [{}, 'x', { 'a..b': true }, { 'status.x': true }, { a: null }, { a: '' }])
    expect(() => load({ optOut }), JSON.stringify(optOut)).toThrow('optOut');
});

test('by default the body has only fields that the interface names', () => {
  expect(bodyOf(standard(), { ...person, variables: { city: 'Bonn' } })).toEqual({
    agent_id: 'a1',
    customer: { phone_number: '+14155550123' },
  });
  expect(bodyOf(standard(), { ...person, name: 'Ann', from: { number: '+4930123' } })).toEqual({
    agent_id: 'a1',
    customer: { phone_number: '+14155550123', name: 'Ann' },
    from_number: '+4930123',
  });
  expect(bodyOf(standard(), { ...person, name: '', from: { numberId: 'pn_1' } })).toEqual({
    agent_id: 'a1',
    customer: { phone_number: '+14155550123' },
    phone_number_id: 'pn_1',
  });
});

test('variables are sent in the customer field if the profile names a field for them', () => {
  const profile = load({ customer: { field: 'contact', phone: 'number', variables: 'data' } });
  expect(bodyOf(profile, { ...person, name: 'Ann', variables: { city: 'Bonn' } })).toEqual({
    agent_id: 'a1',
    contact: { number: '+14155550123', name: 'Ann', data: { city: 'Bonn' } },
  });
});

test('an override goes out as it was given, and a row’s variables are laid over it where the profile names them', () => {
  const override = { voice: 'ada', variables: { city: 'Rome', plan: 'a' } };
  const input = { ...person, override, variables: { city: 'Bonn' } };
  expect(bodyOf(load({}), input)).toMatchObject({ agent_overrides: override });
  const named = load({ override: { field: 'overrides', variables: 'variables' } });
  expect(bodyOf(named, input)).toMatchObject({
    overrides: { voice: 'ada', variables: { city: 'Bonn', plan: 'a' } },
  });
  expect(bodyOf(load({}), { ...person, override: {} })).not.toHaveProperty('agent_overrides');
});

test('variables are sent in the override only if the profile names override.variables', () => {
  const input = { ...person, variables: { city: 'Bonn' } };
  const named = load({ override: { variables: 'variables' } });
  expect(bodyOf(named, input)).toMatchObject({ agent_overrides: { variables: { city: 'Bonn' } } });
  expect(bodyOf(named, { ...person, variables: {} })).not.toHaveProperty('agent_overrides');
  expect(bodyOf(named, person)).not.toHaveProperty('agent_overrides');
  const unnamed = load({ override: { field: 'assistantOverrides' } });
  expect(bodyOf(unnamed, input)).not.toHaveProperty('assistantOverrides');
});

test('a profile whose customer has no name sends none', () => {
  const profile = load({ customer: { name: null } });
  expect(bodyOf(profile, { ...person, name: 'Ann' })).toEqual({
    agent_id: 'a1',
    customer: { phone_number: '+14155550123' },
  });
});

test.each([
  ['completed', 'answered'],
  ['ENDED', 'answered'],
  ['No Answer', 'no-answer'],
  ['no_answer', 'no-answer'],
  ['not_connected', 'no-answer'],
  ['busy', 'busy'],
  ['Failed', 'failed'],
  ['cancelled', 'canceled'],
  ['canceled', 'canceled'],
  ['voicemail', 'voicemail'],
  ['error', 'failed'],
  ['stopped', 'canceled'],
  ['balance-low', 'failed'],
])('status %s ended as %s', (status, outcome) => {
  expect(outcomeOf(standard(), status)).toBe(outcome);
});

test.each([
  'scheduled',
  'queued',
  'ringing',
  'in_progress',
  'ongoing',
  'answered',
  'forwarding',
  'processing',
  'call-disconnected',
  'rescheduled',
  'constructor',
  '__proto__',
  '',
  null,
  undefined,
])('status %s is still going', (status) => {
  expect(outcomeOf(standard(), status)).toBeNull();
});

test('statuses in the file are added to the built-in ones and override them', () => {
  const profile = load({ statuses: { 'Customer Hung Up': 'answered', FAILED: 'no-answer', stopped: null } });
  expect(outcomeOf(profile, 'customer_hung_up')).toBe('answered');
  expect(outcomeOf(profile, 'failed')).toBe('no-answer');
  expect(outcomeOf(profile, 'stopped')).toBeNull();
  expect(outcomeOf(profile, 'completed')).toBe('answered');
});

test('the cancel body in the file replaces the built-in one as a whole', () => {
  expect(load({}).hang_up).toMatchObject({
    method: 'PATCH',
    path: '/call/{call}',
    body: { status: 'canceled' },
  });
  expect(load({ cancel: { state: 'ended', hard: true } }).hang_up!.body).toEqual({
    state: 'ended',
    hard: true,
  });
});

test('a stamp names the metadata keys, and is off by default', () => {
  expect(standard()).not.toHaveProperty('stamp');
  expect(load({ stamp: null })).not.toHaveProperty('stamp');
  const both = { campaign: 'campaign_id', attempt: 'attempt_id' };
  expect(load({ stamp: both }).stamp).toEqual(both);
  expect(load({ stamp: { attempt: 'ref' } }).stamp).toEqual({ attempt: 'ref' });
});

test('a profile cannot be changed', () => {
  const service = load({ createdNothing: [503] });
  expect(() => service.create.answers!.push({ when: {}, is: 'refused' })).toThrow(TypeError);
  expect(() => Object.assign(service.create.body as object, { phone: 'x' })).toThrow(TypeError);
});

test('a byte order mark before the file is accepted', () => {
  expect(load('\uFEFF{"createdNothing": [503]}').create.answers).toEqual([
    { when: { http: [503] }, is: 'nothing-made' },
  ]);
});

test.each([
  [{ custommer: {} }, 'custommer is not a field of a description'],
  [
    { custommer: {}, cancel: { state: 'ended' } },
    'custommer is not a field of a profile; it has customer, override, statuses',
  ],
  [{ customer: { fone: 'x' } }, 'customer.fone is not a field of a profile; customer has field, phone, name'],
  [{ customer: { phone: '' } }, 'customer.phone must be a non-empty string'],
  [{ customer: { name: 7 } }, 'customer.name must be a non-empty string or null'],
  [{ customer: 'x' }, 'customer must be an object'],
  [{ statuses: { gone: 'vanished' } }, 'statuses.gone must be one of answered, voicemail'],
  [{ cancel: {} }, 'cancel must be an object with at least one field'],
  [{ cancel: null }, 'cancel must be an object with at least one field'],
  [{ stamp: {} }, 'stamp must be null or an object with the metadata keys'],
  [{ stamp: { run: 'x' } }, 'stamp.run is not a field of a profile; stamp has campaign, attempt'],
  [{ stamp: true }, 'stamp must be null or an object'],
  [{ createdNothing: [200] }, 'createdNothing.0 must be an HTTP status from 400 to 599'],
  [{ createdNothing: 503 }, 'createdNothing must be a list of HTTP statuses from 400 to 599'],
  [{ customer: { field: 'agent_id' } }, 'customer.field must not be agent_id'],
  [{ override: { field: 'customer' } }, 'override.field must not be customer'],
  [{ customer: { name: 'phone_number' } }, 'customer.name must differ from customer.phone'],
  [{ customer: { variables: 'name' } }, 'customer.variables must differ from'],
  [[], 'the file must be a JSON object'],
  ['{"customer": ', 'the file is not JSON'],
])('a wrong file is reported in one line: %j', (content, message) => {
  const path = write(content);
  let caught: unknown;
  try {
    loadService(undefined, path);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(CarillonError);
  expect((caught as CarillonError).code).toBe('config-invalid');
  expect((caught as CarillonError).message).toContain(`VOICE_PROFILE ${path}: ${message}`);
  expect(errorLine(caught)).not.toContain('\n');
});

test('a file that does not exist is reported by name', () => {
  expect(() => loadService(undefined, join(folder, 'nowhere.json'))).toThrow(
    /VOICE_PROFILE .*nowhere\.json: the file does not exist/,
  );
  expect(() => loadService(undefined, folder)).toThrow(/VOICE_PROFILE .*: the file cannot be read/);
});
