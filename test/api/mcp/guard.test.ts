import { beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../../src/control/tokens/manage.ts';
import { connectAssistant } from '../../support/assistant.ts';
import { openApi, serveApi } from '../support.ts';

/** `/mcp` is guarded as the API is, and keeps no session. */
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const accept = 'application/json, text/event-stream';
const api = serveApi({ token: 'a-token-for-the-admin' });
let bearer: Record<string, string>;

beforeAll(async () => {
  const { answer } = await createToken(api.app, { name: 'reader', role: 'read' });
  bearer = { authorization: `Bearer ${answer.token}` };
});

async function send(method: string, headers: Record<string, string>, body: unknown = list, at = api) {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${at.url}/mcp`, {
    method,
    headers: { accept, 'content-type': 'application/json', ...headers },
    ...(method === 'POST' ? { body: sent } : {}),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe('the guard of /mcp', () => {
  it('wants a token, and a right one', async () => {
    expect((await send('POST', {})).status).toBe(401);
    expect((await send('POST', { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await send('POST', bearer)).status).toBe(200);
    const client = connectAssistant(api.url, 'wrong');
    await expect(client).rejects.toThrow(/401|authoriz/i);
  });

  it('refuses pages of other sites', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const { status, text } = await send('POST', { ...bearer, 'sec-fetch-site': site });
      expect([site, status]).toEqual([site, 403]);
      expect(text).toContain('another origin');
    }
    expect((await send('POST', { ...bearer, origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await send('POST', { ...bearer, 'sec-fetch-site': 'none' })).status).toBe(200);
  });

  it('takes those that CORS_ORIGINS names, with the headers that an assistant in a page sends', async () => {
    const origin = 'https://chat.example';
    const named = await openApi({ token: 'a-token-for-the-admin', env: { CORS_ORIGINS: origin } });
    try {
      const asks = { origin, 'access-control-request-method': 'POST' };
      const preflight = await send('OPTIONS', asks, list, named);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('Mcp-Protocol-Version');
      const authorization = 'Bearer a-token-for-the-admin';
      const asked = { origin, 'sec-fetch-site': 'cross-site', authorization };
      expect((await send('POST', asked, list, named)).status).toBe(200);
    } finally {
      await named.close();
    }
  });

  it('has no session to open or end: GET and DELETE are 405', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await send(method, bearer);
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'OPTIONS, POST']);
    }
  });

  it('answers each request alone, without a handshake before', async () => {
    const { headers, text } = await send('POST', { ...bearer, 'mcp-protocol-version': '2025-06-18' });
    expect(text).toContain('"show_campaign"');
    expect(headers.get('mcp-session-id')).toBeNull();
  });

  it('refuses a body that is no message, is too long or is not JSON', async () => {
    expect((await send('POST', bearer, { hello: 1 })).status).toBe(400);
    expect((await send('POST', bearer, '')).status).toBe(400);
    expect((await send('POST', bearer, '{')).status).toBe(422);
    expect((await send('POST', bearer, [list, list])).status).toBe(422);
    expect((await send('POST', bearer, { ...list, more: 'x'.repeat(1_100_000) })).status).toBe(413);
    expect((await send('POST', { ...bearer, 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send('POST', { ...bearer, accept: 'application/json' })).status).toBe(406);
  });

  it('opens no stream to subscribe to', async () => {
    const modern = await connectAssistant(api.url, bearer.authorization!.slice(7), true);
    await expect(modern.client.listen({ toolsListChanged: true })).rejects.toThrow();
    await modern.client.close();
  });

  it('takes this machine as an admin where no token is set', async () => {
    const plain = await openApi();
    try {
      expect((await send('POST', {}, list, plain)).text).toContain('"list_activity"');
      const { port } = plain;
      const rebound = await plain.raw('POST', '/mcp', { host: `elsewhere.example:${port}` });
      expect(rebound.status).toBe(403);
    } finally {
      await plain.close();
    }
  });
});
