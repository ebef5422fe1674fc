import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { outcomes } from '../../src/voice/outcomes.ts';
import { openApi, serveApi } from '../api/support.ts';
import { typeLine } from '../cli/terminal.ts';

/** The command line and the API share their verbs: both give the same answers. */
const api = serveApi();
let name: string;
let id: string;
let made = 0;

const people = [{ phone: '+14155550101', name: 'Ann' }, { phone: '+14155550102' }, { phone: 'x' }];

beforeEach(async () => {
  name = `march-${++made}`;
  const answer = await api.ask('POST', '/api/campaigns', {
    body: { name, agent: 'agent-1', weight: 2, retry: { busy: '10m' }, max_attempts: 2, recipients: people },
  });
  id = answer.json.id;
});

const type = (line: string | string[]) => typeLine(line, api.env, process.cwd());
const typed = async (line: string) => {
  const done = await type(`${line} --json`);
  expect(done.code, done.err).toBe(0);
  return done.json;
};
const get = async (path: string) => (await api.ask('GET', path)).json;
const post = async (path: string) => (await api.ask('POST', path)).json;

describe('the command line and the API answer the same', () => {
  it('when asked what exists', async () => {
    expect(await typed(`campaign show ${name}`)).toEqual(await get(`/api/campaigns/${id}`));
    expect(await typed('campaign list')).toEqual(await get('/api/campaigns?limit=1000'));
    expect(await typed(`report ${name} --by hour`)).toEqual(await get(`/api/campaigns/${id}/report?by=hour`));
    const changed = await typed(`campaign forecast ${name} --with max_calls=1 --with retry_first=true`);
    const told = await get(`/api/campaigns/${id}/forecast?with=max_calls=1&with=retry_first=true`);
    expect(Object.keys(changed)).toEqual(Object.keys(told));
    expect(changed).toMatchObject({ calls: told.calls, limited_by: told.limited_by });
    const byNumbers = '--with from=+12125550100 --with per_number_day=1';
    expect(await typed(`campaign forecast ${name} ${byNumbers}`)).toMatchObject({ limited_by: 'number' });
    expect(await typed('unknown list')).toEqual(await get('/api/unknown'));
    expect(await typed('alerts')).toEqual(await get('/api/alerts'));
    expect(await typed('suppress list')).toEqual(await get('/api/suppressions'));
    expect((await typed('keys')).items.map(Object.keys)).toEqual(
      (await get('/api/keys')).items.map(Object.keys),
    );
    expect(await typed('numbers')).toEqual(await get('/api/numbers'));
    const [ann] = (await get(`/api/campaigns/${id}/recipients`)).items;
    expect(ann).toMatchObject({ id: expect.any(String), campaign: name, input: { name: 'Ann' } });
    expect(await typed(`call show ${ann.id}`)).toEqual(await get(`/api/calls/${ann.id}`));
  });

  it('to where a person is, and says what to try when there is nobody', async () => {
    const found = await typed('find 415-555-0101');
    expect(found).toEqual(await get('/api/calls?phone=+14155550101'));
    expect(found.items.map((each: { campaign: string }) => each.campaign)).toContain(name);
    expect(found.items[0]).toMatchObject({ phone: '+14155550101', name: 'Ann', attempts: [] });
    expect((await type(`find ${found.items[0].phone}`)).out).toContain(`${name}, row 1: +14155550101 Ann`);
    expect(await typed('find nobody')).toEqual({ items: [], next: null });
    const { id: recipient } = found.items[0];
    expect((await typed(`find --id ${recipient}`)).items).toEqual(found.items);
    expect((await get(`/api/find?id=${recipient}`)).items).toEqual(found.items);
    for (const part of [recipient, `0${recipient}`]) {
      expect(await typed(`find ${part}`)).toEqual({ items: [], next: null });
      expect(await get(`/api/find?q=${part}`)).toEqual({ items: [], next: null });
    }
    expect((await type('find')).code).toBe(2);
    expect((await api.ask('GET', '/api/find')).status).toBe(422);
    const none = await type('find +14155559999');
    expect([none.code, none.err]).toEqual([0, '']);
    expect(none.out).toMatch(/^\+14155559999 was not found\. Try the phone with its "\+".*\n$/);
  });

  it('to a question for the rejected rows, all of them', async () => {
    const bad = Array.from({ length: 1_200 }, (_, n) => ({ phone: `x${n}`, plan: n }));
    await api.ask('POST', `/api/campaigns/${id}/recipients`, { body: bad });
    const folder = mkdtempSync(join(tmpdir(), 'carillon-doors-'));
    try {
      const out = join(folder, 'results.csv');
      const file = join(folder, 'rejected.csv');
      expect(await typed(`campaign export ${name} --out ${out} --rejected ${file}`)).toMatchObject({
        rejected: 1_201,
      });
      const first = await get(`/api/campaigns/${id}/rejects?limit=1000`);
      const second = await get(`/api/campaigns/${id}/rejects?limit=1000&cursor=${first.next}`);
      expect(second.next).toBeNull();
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      expect(lines.shift()).toBe('phone,name,plan,line,reason');
      type Item = { row: number; input: { phone: string; plan?: number } };
      const items: Item[] = [...first.items, ...second.items];
      expect(lines.map((line) => line.split(',').slice(0, 4).join())).toEqual(
        items.map(({ row, input }) => `${input.phone},,${input.plan ?? ''},${row}`),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('to each act that moves a campaign, said twice as well', async () => {
    for (const verb of ['resume', 'resume', 'pause', 'pause', 'cancel', 'cancel', 'cancel --hang-up']) {
      const line = verb.startsWith('cancel') ? `campaign ${verb} ${name} --yes` : `campaign ${verb} ${name}`;
      const path = verb.replace(' --hang-up', '?hang_up=1');
      expect(await typed(line)).toEqual(await post(`/api/campaigns/${id}/${path}`));
    }
  });

  it('when something cannot be done, with the same code', async () => {
    await typed(`campaign cancel ${name} --yes`);
    for (const verb of ['resume', 'pause']) {
      const refused = await post(`/api/campaigns/${id}/${verb}`);
      expect(refused.code).toBe('campaign-state');
      const { code, err } = await type(`campaign ${verb} ${name}`);
      expect([code, err]).toEqual([2, `carillon: ${refused.detail}. ${refused.remedy}\n`]);
    }
  });

  it('to a name that a campaign cannot have', async () => {
    for (const wrong of ['..', 'a/b', '--', 'a\u0007b']) {
      const refused = await api.ask('POST', '/api/campaigns', { body: { name: wrong, agent: 'agent-1' } });
      const { code, err } = await type(['run', 'people.csv', '--agent', 'agent-1', `--name=${wrong}`]);
      expect([refused.status, code]).toEqual([422, 2]);
      expect(err).toBe(`carillon: The campaign’s ${refused.json.detail}. Give another with --name.\n`);
    }
  });

  it('to the people who are tried again', async () => {
    const body = { outcomes: ['NO_ANSWER', 'failed', 'no-answer'] };
    const { json } = await api.ask('POST', `/api/campaigns/${id}/retry`, { body });
    expect(json).toEqual({ campaign: name, state: 'draft', outcomes: ['no-answer', 'failed'], retried: 0 });
    expect(await typed(`campaign retry ${name} --outcome no-answer,failed`)).toEqual(json);
    const refused = await api.ask('POST', `/api/campaigns/${id}/retry`, { body: { outcomes: ['gone'] } });
    const { code, err } = await type(`campaign retry ${name} --outcome gone`);
    // A mistyped word is told by the option that takes it, with the same words to choose from.
    expect([refused.status, code]).toEqual([422, 2]);
    for (const words of [`${refused.json.detail} ${refused.json.remedy}`, err]) {
      expect(words).toContain('"gone"');
      expect(words.replace(' or ', ', ')).toContain(outcomes.join(', '));
    }
    expect((await type(`campaign retry ${name}`)).err).toContain('--outcome <outcomes> is missing');
  });

  it('when a token is made and revoked, and to who did it', async () => {
    const made = await typed(`token create --name ${name} --role read --ends 90d`);
    expect(made).toMatchObject({ name, role: 'read', made_by: 'cli', token: expect.stringMatching(/^car_/) });
    expect(await typed('token list')).toEqual(await get('/api/tokens'));
    const shown = await type(`token create --name ${name}-2 --role admin`);
    expect(shown.out).toMatch(/^car_[\w-]{43}\n$/);
    expect(shown.err).toContain('The token is not shown again.');
    expect((await type('token list')).out).toMatch(
      new RegExp(`^${name}-2 +admin +never +never +20.* by cli$`, 'm'),
    );
    const twice = await api.ask('POST', '/api/tokens', { body: { name, role: 'read' } });
    const { code, err } = await type(`token create --name ${name} --role read`);
    expect([code, err]).toEqual([2, `carillon: ${twice.json.detail}. ${twice.json.remedy}\n`]);
    expect(Object.keys(await typed(`token revoke ${name}`))).toEqual(
      Object.keys(made).filter((key) => key !== 'token'),
    );
    const unknown = await type(`token revoke ${name}`);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('was not found')]);
    expect((await type(`token create --name x --role root`)).code).toBe(2);
    expect((await typed('activity --limit 5')).items).toEqual((await get('/api/activity?limit=5')).items);
  });

  it('when a phone is suppressed', async () => {
    const body = { phones: ['+14155550177', '+14155550178'] };
    const { json } = await api.ask('POST', '/api/suppressions', { body });
    expect(json).toEqual({ phones: 2, added: 2, known: 0, skipped: 0 });
    expect(await typed(`suppress add ${body.phones.join(' ')}`)).toEqual({ ...json, added: 0, known: 2 });
    const none = { calls: 0, hung_up: 0, ended: 0, refused: 0, waiting: 0, refusals: [] };
    const more = await api.ask('POST', '/api/suppressions', { body: { ...body, hang_up: true } });
    expect(more.json).toEqual({ ...json, added: 0, known: 2, hang_ups: none });
    expect(await typed(`suppress add ${body.phones.join(' ')} --hang-up`)).toEqual(more.json);
    const refused = await api.ask('POST', '/api/calls', { body: { agent: 'a', phone: '+14155550177' } });
    expect(refused.json.code).toBe('phone-suppressed');
    const { code, err } = await type('call create --agent a --to +14155550177');
    expect([code, err]).toEqual([2, `carillon: ${refused.json.detail}. ${refused.json.remedy}\n`]);
  });
});

describe('a campaign that is started', () => {
  it('is refused by both when its caller number is not the account’s, and dials nobody', async () => {
    const body = {
      name: `${name}-from`,
      agent: 'a',
      from: ['+14155559999'],
      recipients: people,
      start: true,
    };
    const refused = await api.ask('POST', '/api/campaigns', { body });
    expect(refused).toMatchObject({ status: 422, json: { code: 'caller-unknown' } });
    expect((await get(`/api/campaigns/${name}-from`)).code).toBe('campaign-unknown');
    const draft = await api.ask('POST', '/api/campaigns', { body: { ...body, start: false } });
    expect(draft.status).toBe(201);
    expect((await post(`/api/campaigns/${name}-from/start`)).code).toBe('caller-unknown');
    expect(await type(`campaign resume ${name}-from`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('+14155559999 is not among the account’s phone numbers'),
    });
    expect((await get(`/api/campaigns/${name}-from`)).state).toBe('draft');
  });

  it('is refused when the service accepts none of the keys', async () => {
    api.simulator.control({ revokeKeys: ['secret-of-main'] });
    const refused = await api.ask('POST', `/api/campaigns/${id}/start`);
    expect(refused).toMatchObject({ status: 502, json: { code: 'key-denied' } });
    expect((await get(`/api/campaigns/${id}`)).state).toBe('draft');
    api.simulator.control({ restoreKeys: ['secret-of-main'] });
    // A key that is accepted again opens again.
    expect((await post(`/api/campaigns/${id}/start`)).state).toBe('running');
    expect((await get('/api/keys')).items[0].state).toBe('open');
  });

  it('waits for a service that is away', async () => {
    const away = await openApi({ env: { VOICE_BASE_URL: 'http://127.0.0.1:9/v1' } });
    try {
      const body = { name, agent: 'a', from: ['+14155559999'], recipients: people, start: true };
      expect((await away.ask('POST', '/api/campaigns', { body })).json.state).toBe('running');
    } finally {
      await away.close();
    }
  });

  it('reports when it has nobody to call', async () => {
    await api.ask('POST', '/api/campaigns', { body: { name: `${name}-empty`, agent: 'a' } });
    expect((await post(`/api/campaigns/${name}-empty/start`)).code).toBe('nothing-to-dial');
    expect((await type(`campaign resume ${name}-empty`)).err).toContain('has nobody to call');
    // An evergreen one waits for its people.
    const body = { name: `${name}-evergreen`, agent: 'a', evergreen: true, start: true };
    expect((await api.ask('POST', '/api/campaigns', { body })).json).toMatchObject({ state: 'running' });
    expect((await post(`/api/campaigns/${name}-evergreen/pause`)).state).toBe('paused');
    expect((await typed(`campaign resume ${name}-evergreen`)).state).toBe('running');
  });
});

describe('a row that waits', () => {
  const reasons = async (of = id) =>
    (await get(`/api/campaigns/${of}/recipients`)).items.map(
      (each: { state: string; reason: string | null; until: string | null }) => [
        each.state,
        each.reason,
        each.until,
      ],
    );

  it('says that its campaign is not running', async () => {
    expect(await reasons()).toEqual([
      ['waiting', 'draft', null],
      ['waiting', 'draft', null],
    ]);
    await post(`/api/campaigns/${id}/start`);
    expect(await reasons()).toEqual([
      ['waiting', 'rate', null],
      ['waiting', 'rate', null],
    ]);
    await post(`/api/campaigns/${id}/pause`);
    expect(await reasons()).toEqual([
      ['waiting', 'paused', null],
      ['waiting', 'paused', null],
    ]);
    await post(`/api/campaigns/${id}/cancel`);
    expect(await reasons()).toEqual([
      ['skipped', null, null],
      ['skipped', null, null],
    ]);
  });

  it('says until when its window is closed', async () => {
    const now = new Date();
    const closed = ((now.getUTCHours() + 12) % 24).toString().padStart(2, '0');
    const night = `${name}-night`;
    const order = { agent: 'a', timezone: 'Etc/UTC', window: `${closed}:00-${closed}:59` };
    await api.ask('POST', '/api/campaigns', {
      body: { name: night, ...order, recipients: people, start: true },
    });
    for (const [state, reason, until] of await reasons(night)) {
      expect([state, reason]).toEqual(['waiting', 'window']);
      expect(Date.parse(until)).toBeGreaterThan(now.getTime());
      expect(until).toMatch(/:00:00\.000Z$/);
    }
    const lines = (await api.ask('GET', `/api/campaigns/${night}/results.ndjson`)).text.trim().split('\n');
    expect(JSON.parse(lines[0]!)).toMatchObject({ state: 'waiting', reason: 'window', in_name: 'Ann' });
  });

  it('says that another call has its phone', async () => {
    await post(`/api/campaigns/${id}/start`);
    await api.sql('insert into carillon.live_phones (phone, attempt_id) values ($1, gen_random_uuid())', [
      '+14155550101',
    ]);
    expect(await reasons()).toEqual([
      ['waiting', 'phone-in-use', null],
      ['waiting', 'rate', null],
    ]);
    await api.sql('delete from carillon.live_phones');
  });
});
