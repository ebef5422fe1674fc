import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi, type TestApi } from './support.ts';

let api: TestApi;
const token = 'a-token-of-16-chars';
const headers = { authorization: `Bearer ${token}` };
beforeAll(async () => {
  api = await openApi({ token, env: { CORS_ORIGINS: 'https://app.example' } });
});
afterAll(() => api?.close());

const ask = (method: string, path: string, more: Record<string, string> = {}, body?: unknown) =>
  api.ask(method, path, { headers: { ...headers, ...more }, body });

/** The bytes as they come: fetch would unpack them. */
function fetchRaw(path: string, more: Record<string, string>) {
  return new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
    const sent = request({ port: api.port, path, headers: { ...headers, ...more } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () =>
        resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject).end();
  });
}

describe('an answer', () => {
  beforeAll(async () => {
    const recipients = Array.from({ length: 40 }, (_, n) => ({
      phone: `+141555503${10 + n}`,
      name: `P${n}`,
    }));
    const made = await ask('POST', '/api/campaigns', {}, { name: 'spring', agent: 'a', recipients });
    expect(made.status).toBe(201);
  });

  it('that the client has already is 304, and comes again once it has changed', async () => {
    const path = '/api/campaigns/spring/recipients/+14155550310';
    const first = await ask('GET', path);
    const tag = first.headers.get('etag')!;
    const same = await ask('GET', path, { 'if-none-match': tag });
    expect([same.status, same.text]).toEqual([304, '']);
    await ask('PATCH', path, {}, { name: 'Ann' });
    const changed = await ask('GET', path, { 'if-none-match': tag });
    expect([changed.status, changed.json.name]).toEqual([200, 'Ann']);
  });

  it('is compressed for those who take it: pages and streamed results alike', async () => {
    for (const path of ['/api/campaigns/spring/recipients', '/api/campaigns/spring/results.csv']) {
      const plain = await fetchRaw(path, {});
      const packed = await fetchRaw(path, { 'accept-encoding': 'br, gzip' });
      expect([plain.encoding, packed.encoding]).toEqual([undefined, 'gzip']);
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
      expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    }
    expect(
      (await fetchRaw('/api/campaigns/spring/recipients', { 'accept-encoding': 'gzip;q=0' })).encoding,
    ).toBe(undefined);
  });
});

describe('If-Match', () => {
  it('holds a change of a person to the version that was read', async () => {
    await ask(
      'POST',
      '/api/campaigns',
      {},
      { name: 'may', agent: 'a', recipients: [{ phone: '+14155550401' }] },
    );
    const path = '/api/campaigns/may/recipients/+14155550401';
    const tag = (await ask('GET', path)).headers.get('etag')!;
    const change = (name: string, etag: string) => ask('PATCH', path, { 'if-match': etag }, { name });
    const first = await change('Ann', tag);
    expect([first.status, first.json.name]).toEqual([200, 'Ann']);
    expect(await change('Bob', tag)).toMatchObject({ status: 412, json: { code: 'version-changed' } });
    expect((await change('Bob', first.headers.get('etag')!)).status).toBe(200);
    expect(await ask('DELETE', path, { 'if-match': tag })).toMatchObject({ status: 412 });
  });

  it('holds a change of the contact rules to the version that was read: of two at once one holds', async () => {
    const tag = (await ask('GET', '/api/policy')).headers.get('etag')!;
    const answers = await Promise.all(
      ['4h', '5h'].map((gap) => ask('PUT', '/api/policy', { 'if-match': tag }, { gap })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const latest = answers.find(({ status }) => status === 200)!.headers.get('etag')!;
    expect((await ask('PUT', '/api/policy', { 'if-match': latest }, {})).status).toBe(200);
  });
});

describe('a page of another origin', () => {
  it('may ask with a token if a setting names it, and no other may', async () => {
    const named = await ask('GET', '/api/keys', {
      origin: 'https://app.example',
      'sec-fetch-site': 'cross-site',
    });
    expect(named.status).toBe(200);
    expect(named.headers.get('access-control-allow-origin')).toBe('https://app.example');
    const question = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const before = await api.ask('OPTIONS', '/api/calls', { headers: question });
    expect(before.status).toBe(204);
    expect(before.headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
    const other = await ask('GET', '/api/keys', { origin: 'https://evil.example' });
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const without = await api.ask('GET', '/api/keys', { headers: { origin: 'https://app.example' } });
    expect(without.status).toBe(401);
    const login = await api.ask('POST', '/login', {
      headers: { origin: 'https://app.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: `token=${token}`,
    });
    expect(login.status).toBe(403);
  });
});
