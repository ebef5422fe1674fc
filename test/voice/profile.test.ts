import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CarillonError, errorLine } from '../../src/base/errors.ts';
import {
  buildCreateBody,
  cancelBody,
  defaultProfile,
  loadProfile,
  outcomeOf,
  stampBody,
} from '../../src/voice/profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-profile-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(content: unknown): string {
  const path = join(folder, 'profile.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const load = (content: unknown) => loadProfile(write(content));
const person = { agentId: 'a1', phone: '+14155550123' };

test('without a file the built-in profile applies', () => {
  expect(loadProfile(undefined)).toBe(defaultProfile);
  expect(load({})).toEqual(defaultProfile);
});

test('an opt-out is read as paths and values, and a path that leads nowhere is refused', () => {
  expect(load({ optOut: { 'structured_data.opt_out': true, 'metadata.dnc': 1 } }).optOut).toEqual([
    { path: 'structured_data.opt_out', value: 'true' },
    { path: 'metadata.dnc', value: '1' },
  ]);
  expect(load({ optOut: null }).optOut).toEqual([]);
  for (const optOut of [{}, 'x', { 'a..b': true }, { 'status.x': true }, { a: null }, { a: '' }])
    expect(() => load({ optOut }), JSON.stringify(optOut)).toThrow('optOut');
});

test('by default the body has only fields that the interface names', () => {
  expect(buildCreateBody(defaultProfile, { ...person, variables: { city: 'Bonn' } })).toEqual({
    agent_id: 'a1',
    customer: { phone_number: '+14155550123' },
  });
  expect(buildCreateBody(defaultProfile, { ...person, name: 'Ann', from: { number: '+4930123' } })).toEqual({
    agent_id: 'a1',
    customer: { phone_number: '+14155550123', name: 'Ann' },
    from_number: '+4930123',
  });
  expect(buildCreateBody(defaultProfile, { ...person, name: '', from: { numberId: 'pn_1' } })).toEqual({
    agent_id: 'a1',
    customer: { phone_number: '+14155550123' },
    phone_number_id: 'pn_1',
  });
});

test('variables are sent in the customer field if the profile names a field for them', () => {
  const profile = load({ customer: { field: 'contact', phone: 'number', variables: 'data' } });
  expect(buildCreateBody(profile, { ...person, name: 'Ann', variables: { city: 'Bonn' } })).toEqual({
    agent_id: 'a1',
    contact: { number: '+14155550123', name: 'Ann', data: { city: 'Bonn' } },
  });
});

test('an override goes out as it was given, and a row’s variables are laid over it where the profile names them', () => {
  const override = { voice: 'ada', variables: { city: 'Rome', plan: 'a' } };
  const input = { ...person, override, variables: { city: 'Bonn' } };
  expect(buildCreateBody(load({}), input)).toMatchObject({ agent_overrides: override });
  const named = load({ override: { field: 'overrides', variables: 'variables' } });
  expect(buildCreateBody(named, input)).toMatchObject({
    overrides: { voice: 'ada', variables: { city: 'Bonn', plan: 'a' } },
  });
  expect(buildCreateBody(load({}), { ...person, override: {} })).not.toHaveProperty('agent_overrides');
});

test('variables are sent in the override only if the profile names override.variables', () => {
  const input = { ...person, variables: { city: 'Bonn' } };
  const named = load({ override: { variables: 'variables' } });
  expect(buildCreateBody(named, input)).toMatchObject({ agent_overrides: { variables: { city: 'Bonn' } } });
  expect(buildCreateBody(named, { ...person, variables: {} })).not.toHaveProperty('agent_overrides');
  expect(buildCreateBody(named, person)).not.toHaveProperty('agent_overrides');
  const unnamed = load({ override: { field: 'assistantOverrides' } });
  expect(buildCreateBody(unnamed, input)).not.toHaveProperty('assistantOverrides');
});

test('a profile whose customer has no name sends none', () => {
  const profile = load({ customer: { name: null } });
  expect(buildCreateBody(profile, { ...person, name: 'Ann' })).toEqual({
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
  expect(outcomeOf(defaultProfile, status)).toBe(outcome);
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
  expect(outcomeOf(defaultProfile, status)).toBeNull();
});

test('statuses in the file are added to the built-in ones and override them', () => {
  const profile = load({ statuses: { 'Customer Hung Up': 'answered', FAILED: 'no-answer', stopped: null } });
  expect(outcomeOf(profile, 'customer_hung_up')).toBe('answered');
  expect(outcomeOf(profile, 'failed')).toBe('no-answer');
  expect(outcomeOf(profile, 'stopped')).toBeNull();
  expect(outcomeOf(profile, 'completed')).toBe('answered');
});

test('the cancel body in the file replaces the built-in one as a whole', () => {
  expect(cancelBody(defaultProfile)).toEqual({ status: 'canceled' });
  expect(cancelBody(load({ cancel: { state: 'ended', hard: true } }))).toEqual({
    state: 'ended',
    hard: true,
  });
});

test('a stamp names the metadata keys, and is off by default', () => {
  const ids = { campaign: 'c1', attempt: 'a1' };
  expect(stampBody(defaultProfile, ids)).toBeNull();
  expect(stampBody(load({ stamp: { campaign: 'campaign_id', attempt: 'attempt_id' } }), ids)).toEqual({
    metadata: { campaign_id: 'c1', attempt_id: 'a1' },
  });
  expect(stampBody(load({ stamp: { attempt: 'ref' } }), ids)).toEqual({ metadata: { ref: 'a1' } });
});

test('a profile cannot be changed', () => {
  const profile = load({ createdNothing: [503] });
  expect(() => (profile.createdNothing as number[]).push(500)).toThrow(TypeError);
  expect(() => Object.assign(profile.customer, { phone: 'x' })).toThrow(TypeError);
});

test('a byte order mark before the file is accepted', () => {
  expect(load('\uFEFF{"createdNothing": [503]}').createdNothing).toEqual([503]);
});

test.each([
  [{ custommer: {} }, 'custommer is not a field of a profile; it has customer, override, statuses'],
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
    loadProfile(path);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(CarillonError);
  expect((caught as CarillonError).code).toBe('config-invalid');
  expect((caught as CarillonError).message).toContain(`VOICE_PROFILE ${path}: ${message}`);
  expect(errorLine(caught)).not.toContain('\n');
});

test('a file that does not exist is reported by name', () => {
  expect(() => loadProfile(join(folder, 'nowhere.json'))).toThrow(
    /VOICE_PROFILE .*nowhere\.json: the file does not exist/,
  );
  expect(() => loadProfile(folder)).toThrow(/VOICE_PROFILE .*: the file cannot be read/);
});
