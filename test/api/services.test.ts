import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/control/tokens/manage.ts';
import { typeLine } from '../cli/terminal.ts';
import { until } from '../support/until.ts';
import { serveApi } from './support.ts';

/** Services through the API: those that ship, the one that is driven, whether it answers so, and what was said to it. */
const admin = { authorization: 'Bearer a-token-for-the-admin' };
const agent = 'a1f2b3c4-0000-4000-8000-000000000001';

const api = serveApi({
  token: 'a-token-for-the-admin',
  simulator: { service: 'vapi' },
  env: { VOICE_SERVICE: 'vapi' },
});
let attempt: string;
beforeAll(async () => {
  api.work();
  const body = { agent, phone: '+14155550101', name: "Ann O'Neill", from: '+14155550100' };
  const { json } = await api.ask('POST', '/api/calls', { body, headers: admin });
  const ended = await until(
    async () => (await api.ask('GET', `/api/calls/${json.id}`, { headers: admin })).json,
    ({ state }) => state === 'done',
  );
  attempt = ended.attempt;
});

const get = async (path: string, headers: Record<string, string> = admin) =>
  (await api.ask('GET', path, { headers })).json;
const typed = async (line: string) => (await typeLine(`${line} --json`, api.env, process.cwd())).json;

describe('the services', () => {
  it('are listed as the command lists them, each with what it can and what was read of it', async () => {
    const { items } = await get('/api/services');
    expect(await typed('service list')).toEqual({ items, next: null });
    const vapi = items.find(({ name }: { name: string }) => name === 'vapi');
    expect(vapi).toMatchObject({
      title: 'Vapi',
      base_url: 'https://api.vapi.ai',
      limits: { calls: 10, requests_per_second: null },
      can: { find: true, hang_up: true, agents: true, costs: true },
      facts: { hang_up: { says: expect.stringContaining('while it is live'), source: expect.any(String) } },
      absence_proves: false,
      dials_later: true,
      verified: expect.stringContaining('OpenAPI'),
      unverified: expect.stringContaining('judged'),
    });
    expect(vapi.sources[0]).toMatch(/^https:/);
    const standard = items.find(({ name }: { name: string }) => name === 'standard');
    expect(standard).toMatchObject({ can: { find: false, agents: false }, absence_proves: null });
  });

  it('have one that is driven, at its own address', async () => {
    expect(await get('/api/service')).toMatchObject({
      name: 'vapi',
      title: 'Vapi',
      base_url: api.simulator.url,
      extended: false,
    });
  });

  it('have one that is checked: its lists, and each field of one record', async () => {
    const checked = await api.ask('POST', '/api/service/check', { headers: admin });
    expect(checked.json).toMatchObject({ service: 'vapi', key: 'main', call_id: expect.any(String) });
    const words = checked.json.steps.map(({ what, state }: { what: string; state: string }) => [what, state]);
    expect(words).toEqual([
      ['numbers', 'ok'],
      ['agents', 'ok'],
      ['record', 'ok'],
    ]);
    expect(checked.json.fields).toContainEqual({
      field: 'phone',
      at: ['/customer/number'],
      value: '+14155550101',
    });
    const unknown = await api.ask('POST', '/api/service/check', {
      headers: admin,
      body: { call_id: 'call-of-nobody' },
    });
    expect(unknown.json.steps.at(-1)).toMatchObject({ what: 'record', state: 'fail' });
  });

  it('list their agents with their names', async () => {
    const { json } = await api.ask('GET', '/api/agents', { headers: admin });
    expect(json.listed).toBe(true);
    expect(json.items[0]).toEqual({ key: 'main', id: expect.any(String), name: expect.any(String) });
  });

  it('name the setting that the list of numbers of one of them needs', async () => {
    const env = { ...api.env, VOICE_SERVICE: 'synthflow' };
    const { json } = await typeLine('service check --json', env, process.cwd());
    expect(json.steps[0]).toEqual({
      what: 'numbers',
      state: 'warn',
      detail: expect.stringMatching(/without settings\.workspace in VOICE_PROFILE/),
    });
  });
});

describe('the exchanges of an attempt', () => {
  it('are what was sent and what came back, each as a command without the key', async () => {
    const { exchanges } = await until(
      () => get(`/api/attempts/${attempt}`),
      (told) => told.exchanges.some(({ operation }: { operation: string }) => operation === 'read'),
    );
    const [create] = exchanges;
    expect(create).toMatchObject({ operation: 'create', method: 'POST', url: `${api.simulator.url}/call` });
    expect(JSON.parse(create.body)).toMatchObject({ assistantId: agent });
    expect(create.curl).toContain('-H "authorization: Bearer $VOICE_API_KEY"');
    expect(JSON.stringify(exchanges)).not.toContain('secret-of-main');
    // The last one asks again, and is answered.
    const { curl } = exchanges.findLast(({ operation }: { operation: string }) => operation === 'read');
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} -s`], {
      env: { ...process.env, VOICE_API_KEY: 'secret-of-main' },
    });
    expect(JSON.parse(stdout)).toMatchObject({ customer: { number: '+14155550101' } });
    const shown = await typeLine(`call show ${attempt} --trace`, api.env, process.cwd());
    expect(shown.out).toContain(create.curl);
  });

  it('are hidden from those who may not see people', async () => {
    const { token } = (await createToken(api.app, { name: 'wall', role: 'read' })).answer;
    const headers = { authorization: `Bearer ${token}` };
    expect((await get(`/api/attempts/${attempt}`, headers)).exchanges).toBeNull();
    expect((await api.ask('POST', '/api/service/check', { headers })).status).toBe(403);
    expect(await get('/api/service', headers)).toMatchObject({ name: 'vapi' });
  });
});

it('takes no override that would send the service’s words elsewhere, in calls, campaigns and changes', async () => {
  const override = { server: { url: 'https://else.example' } };
  const refuses = async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const { status, json } = await api.ask(method, path, { body, headers: admin });
    expect([path, status]).toEqual([path, 422]);
    expect(json.detail).toContain('The override may not set server');
  };
  await refuses('POST', '/api/calls', { agent, phone: '+14155550109', override });
  await refuses('POST', '/api/campaigns', { name: 'odd', agent, override });
  await api.ask('POST', '/api/campaigns', {
    body: { name: 'even', agent, override: { language: 'en' } },
    headers: admin,
  });
  await refuses('PATCH', '/api/campaigns/even', { override });
});
