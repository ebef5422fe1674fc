import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { openApi } from '../api/support.ts';
import { until } from '../support/until.ts';
import { openBehindProxy, token } from './support.ts';

/** What the client does when an answer is lost, or it is told to come later. */
const site = openBehindProxy();

/** Through the proxy, with every request that it sends. */
function connect() {
  const sent: string[] = [];
  const client = createClient({
    baseUrl: site.url(),
    token,
    fetch(input, init) {
      sent.push(`${init?.method} ${new URL(String(input)).pathname}`);
      return fetch(input, init);
    },
  });
  return { client, sent };
}

describe('a lost answer', () => {
  it('is asked for again, and what it made is made once', async () => {
    const { client, sent } = connect();
    await client.campaigns.list();
    site.proxy.deafen();
    const made = client.campaigns.create({
      name: 'once',
      agent: 'agent-1',
      recipients: [{ phone: '+14155552001' }],
    });
    const { id } = (await until(
      () => site.api.app.ledger.campaigns.get('once').catch(() => null),
      (campaign) => campaign !== null,
    )) as { id: string };
    site.proxy.reset();
    expect((await made).id).toBe(id);
    expect(sent.filter((each) => each === 'POST /api/campaigns').length).toBe(2);
    expect((await client.campaigns.list({ name: 'once' })).items.length).toBe(1);
  });

  it('of what may not come twice is told, and it is not sent again', async () => {
    const { client, sent } = connect();
    await client.campaigns.create({
      name: 'begun',
      agent: 'agent-1',
      recipients: [{ phone: '+14155552002' }],
    });
    site.proxy.deafen();
    const started = client.campaigns.start('begun').then(
      () => null,
      (error) => error,
    );
    await until(
      () => site.api.app.ledger.campaigns.get('begun'),
      ({ state }) => state === 'running',
    );
    site.proxy.reset();
    expect(await started).toMatchObject({ code: 'unreachable', status: 0 });
    expect(sent.filter((each) => each.endsWith('/start')).length).toBe(1);
  });

  it('of a stop is asked for until the stop is sure', async () => {
    const { client } = connect();
    await client.campaigns.list();
    await site.proxy.cut();
    const paused = client.campaigns.pause('begun');
    await site.proxy.restore();
    expect(await paused).toMatchObject({ state: 'paused' });
  });
});

describe('a request without an answer', () => {
  it('ends after its time, and when it is told to', async () => {
    const { client } = connect();
    await client.campaigns.list();
    site.proxy.freeze();
    try {
      const hasty = createClient({
        baseUrl: site.url(),
        token,
        timeoutMs: 200,
        retries: 1,
      });
      await expect(hasty.keys.list()).rejects.toMatchObject({
        code: 'unreachable',
        message: 'Carillon does not answer: no answer within 0.2 s',
      });
      const stop = new AbortController();
      const asked = client.keys.list({ signal: stop.signal });
      stop.abort(new Error('enough'));
      await expect(asked).rejects.toThrow('enough');
    } finally {
      site.proxy.thaw();
    }
  });

  it('is told where it is redirected', async () => {
    const answer = async () =>
      new Response(null, { status: 301, headers: { location: 'https://carillon.example/api' } });
    const client = createClient({ baseUrl: 'http://carillon.example', fetch: answer });
    await expect(client.campaigns.create({ name: 'x', agent: 'a' })).rejects.toMatchObject({
      status: 301,
      message: 'The address redirects to https://carillon.example/api',
    });
  });
});

describe('a list whose source is slow', () => {
  it('is sent as it comes, before the source has the next person', async () => {
    let tellArrived = () => {};
    const arrived = new Promise<void>((resolve) => {
      tellArrived = resolve;
    });
    const server = createServer((request, response) => {
      request.once('data', () => tellArrived());
      request.once('end', () => response.setHeader('content-type', 'application/json').end('{"new": 2}'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    async function* slow() {
      yield { phone: '+14155552001' };
      await arrived;
      yield { phone: '+14155552002' };
    }
    try {
      const { port } = server.address() as AddressInfo;
      const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
      expect(await client.people.add('slow', slow())).toEqual({ new: 2 });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('a client that is told to come later', () => {
  it('comes later, and every request is answered', async () => {
    const slow = await openApi({ token, env: { API_RATE: '1' } });
    try {
      const statuses: number[] = [];
      const client = createClient({
        baseUrl: slow.url,
        token,
        retries: 30,
        async fetch(input, init) {
          const answer = await fetch(input, init);
          statuses.push(answer.status);
          return answer;
        },
      });
      const pages = await Promise.all(Array.from({ length: 5 }, () => client.campaigns.list()));
      expect(pages.map(({ items }) => items.length)).toEqual(Array(5).fill(0));
      expect(statuses).toContain(429);
      const impatient = createClient({ baseUrl: slow.url, token, retries: 0 });
      const refused = await Promise.all(
        Array.from({ length: 8 }, () => impatient.campaigns.list().catch((error) => error)),
      );
      expect(refused).toContainEqual(expect.objectContaining({ code: 'too-many-requests', retryAfter: 1 }));
    } finally {
      await slow.close();
    }
  });
});
