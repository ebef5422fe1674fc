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

it('a refusal that was on its way while the person logged in does not log them out again', async () => {
  const heard: HubMessage[] = [];
  const tab = { post: (message: HubMessage) => void heard.push(message) };
  const state = () => heard.flatMap((each) => (each.kind === 'link' ? [each.link.state] : [])).at(-1);
  const wants: Want[] = [{ path: '/api/campaigns', everyMs: null, on: ['campaign.'] }];
  // Its sources are checked with a browser's types, which the tests do not have.
  const source = new URL('../../dashboard/src/live/hub.ts', import.meta.url).href;
  const { createHub } = (await import(source)) as { createHub(): Hub };
  const hub = createHub();
  hub.receive(tab, { kind: 'state', visible: true, wants, follows: [] });
  const [stream, list] = [await theNext('/api/events'), await theNext('/api/campaigns')];

  hub.receive(tab, { kind: 'refresh', path: null });
  refuse(list);
  refuse(stream);
  (await theNext('/api/events')).writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
  (await theNext('/api/campaigns'))
    .writeHead(200, { 'content-type': 'application/json' })
    .end('{"items":[]}');
  await expect.poll(() => heard.find(({ kind }) => kind === 'data')).toMatchObject({ body: { items: [] } });
  await expect.poll(state).toBe('live');

  hub.receive(tab, { kind: 'state', visible: false, wants: [], follows: [] });
  hub.receive(tab, { kind: 'bye' });
});
