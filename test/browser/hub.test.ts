import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HubMessage, Port, TabMessage, Want } from '../../dashboard/src/live/protocol.ts';

/** The hub of a browser's tabs, against a server that answers when the test says so. */
type Hub = { receive(port: Port, message: TabMessage): void };
type Asked = { url: string; response: ServerResponse };
const asked: Asked[] = [];
const server = createServer((request, response) => void asked.push({ url: request.url!, response }));
const ownFetch = globalThis.fetch;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // In a browser an address without a host is the page's.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalThis.fetch = (path, init) => ownFetch(new URL(String(path), origin), init);
});
afterAll(() => {
  globalThis.fetch = ownFetch;
  server.close();
  server.closeAllConnections();
});

async function theNext(path: string): Promise<ServerResponse> {
  await expect.poll(() => asked.some(({ url }) => url.startsWith(path))).toBe(true);
  const [found] = asked.splice(
    asked.findIndex(({ url }) => url.startsWith(path)),
    1,
  );
  return found!.response;
}

const refuse = (response: ServerResponse) =>
  response.writeHead(401, { 'content-type': 'application/problem+json' }).end('{"code":"token-missing"}');

// Its sources are checked with a browser's types, which the tests do not have.
const source = new URL('../../dashboard/src/live/hub.ts', import.meta.url).href;
const { createHub } = (await import(source)) as { createHub(): Hub };

function openTab(wants: Want[]) {
  const heard: HubMessage[] = [];
  const tab = { post: (message: HubMessage) => void heard.push(message) };
  const link = () => heard.flatMap((each) => (each.kind === 'link' ? [each.link] : [])).at(-1);
  const hub = createHub();
  hub.receive(tab, { kind: 'state', visible: true, wants });
  return {
    heard,
    link,
    tell: (message: TabMessage) => hub.receive(tab, message),
    close() {
      hub.receive(tab, { kind: 'state', visible: false, wants: [] });
      hub.receive(tab, { kind: 'bye' });
    },
  };
}

const list: Want = { path: '/api/campaigns', everyMs: null, on: ['campaign.'] };
const answer = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[]}');
const stream = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');

it('a refusal that was on its way while the person logged in does not log them out again', async () => {
  const tab = openTab([list]);
  const [events, items] = [await theNext('/api/events'), await theNext('/api/campaigns')];

  tab.tell({ kind: 'refresh', path: null });
  refuse(items);
  refuse(events);
  stream(await theNext('/api/events'));
  answer(await theNext('/api/campaigns'));
  await expect
    .poll(() => tab.heard.find(({ kind }) => kind === 'data'))
    .toMatchObject({ body: { items: [] } });
  await expect.poll(() => tab.link()?.state).toBe('live');
  tab.close();
});

it('a shown value is stale since its last answer, also where something else was never answered', async () => {
  const tab = openTab([list, { path: '/api/lanes', everyMs: null, on: ['key.'] }]);
  const events = await theNext('/api/events');
  stream(events);
  answer(await theNext('/api/campaigns'));
  const never = await theNext('/api/lanes');
  await expect.poll(() => tab.link()?.state).toBe('live');

  for (const response of [events, never]) response.destroy();
  (await theNext('/api/campaigns')).destroy();
  await expect.poll(() => tab.link()).toMatchObject({ state: 'silent', okAt: expect.any(Number) });
  tab.close();
});

it('reads at once more often what a page wants that comes after one which seldom wants it', async () => {
  const seldom: Want = { ...list, everyMs: 3_600_000 };
  const tab = openTab([seldom]);
  const events = await theNext('/api/events');
  stream(events);
  // A stream that falls silent would be opened again, and everything read.
  const beat = setInterval(() => events.write(': beat\n\n'), 5_000);
  answer(await theNext('/api/campaigns'));
  await expect.poll(() => tab.heard.some(({ kind }) => kind === 'data')).toBe(true);
  tab.tell({ kind: 'state', visible: true, wants: [seldom, { ...list, everyMs: 10 }] });
  answer(await theNext('/api/campaigns'));
  clearInterval(beat);
  tab.close();
});

it('reads again, once its events come, what it read before', async () => {
  asked.length = 0;
  const path = '/api/first';
  const tab = openTab([{ ...list, path }]);
  answer(await theNext(path));
  await expect.poll(() => tab.heard.some(({ kind }) => kind === 'data')).toBe(true);
  stream(await theNext('/api/events'));
  answer(await theNext(path));
  tab.close();
});
