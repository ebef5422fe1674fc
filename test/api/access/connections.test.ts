import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limitConnections, usualLimits } from '../../../src/api/access/connections.ts';
import { until } from '../../support/until.ts';
import { openApi, serveApi, type TestApi } from '../support.ts';

/** Limits on what a client may take of the API, over sockets of its own: no client library keeps to less. */
const token = 'a-token-of-some-length';
const own = { authorization: `Bearer ${token}` };
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

type Line = { socket: Socket; text(): string; closed: Promise<void> };

async function open({ port }: Pick<TestApi, 'port'>, first = ''): Promise<Line> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  if (first) socket.write(first);
  return { socket, text: () => text, closed };
}

const head = (line: string, headers: Record<string, string> = {}) =>
  `${line} HTTP/1.1\r\nhost: localhost\r\n${Object.entries({ ...own, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** Two thousand may wait at once: nobody asks again and again whether it has come. */
async function told(line: Line, words: string): Promise<string> {
  const gone = line.closed.then(() => null);
  while (!line.text().includes(words))
    if ((await Promise.race([once(line.socket, 'data'), gone])) === null)
      throw new Error(`closed without ${words}: ${line.text()}`);
  return line.text();
}

/** A request that the server has begun to answer, and whose body does not come. */
async function openStuck(api: TestApi, line: string, headers: Record<string, string>): Promise<Line> {
  const stuck = await open(api, head(line, { 'content-length': '4000', expect: '100-continue', ...headers }));
  await Promise.race([once(stuck.socket, 'data'), stuck.closed]);
  return stuck;
}

it('a stop leaves each connection the answer that is under way, and takes no new one, while others are still answered', async () => {
  const answers: ServerResponse[] = [];
  const server = createServer((_, response) => void answers.push(response));
  const connections = limitConnections(server, usualLimits);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const [first, second, silent] = [
      await open({ port }, head('GET /')),
      await open({ port }, head('GET /')),
      await open({ port }),
    ];
    await until(
      async () => answers.length,
      (many) => many === 2,
    );
    connections.end();
    await silent.closed;
    await (await open({ port })).closed;
    answers[0]!.end('whole');
    await Promise.race([first.closed, second.closed]);
    const texts = [first.text(), second.text()];
    expect(texts.filter((text) => text.includes('whole'))).toHaveLength(1);
    answers[1]!.end('whole');
    await Promise.all([first.closed, second.closed]);
    expect([first.text(), second.text()].every((text) => text.includes('whole'))).toBe(true);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };

describe('a request that comes too slowly', () => {
  let api: TestApi;
  beforeAll(async () => {
    // A machine that is busy for a second has not stopped to send.
    const limits = { headersMs: 400, bodyMs: 400, openBodyMs: 400, pieceMs: 2_000, idleMs: 400 };
    api = await openApi({ token, limits });
    await api.ask('POST', '/api/campaigns', { headers: own, body: { name: 'list', agent: 'a' } });
  });
  afterAll(() => api?.close());

  it('is ended, also one that never begins or never ends its headers', async () => {
    const silent = await open(api);
    const slow = await open(api, 'GET /api/keys HTTP/1.1\r\nhost: local');
    const idle = await open(api, head('GET /api/keys'));
    await Promise.all([silent.closed, slow.closed, idle.closed]);
    expect(slow.text()).toMatch(/^HTTP\/1.1 408 /);
    expect(idle.text()).toMatch(/^HTTP\/1.1 200 /);
  });

  it.each([
    ['POST /api/campaigns', 'application/json'],
    ['POST /api/campaigns/list/recipients', 'text/csv'],
    ['POST /login', 'application/x-www-form-urlencoded'],
  ])('%s with a body that stops is ended', async (line, type) => {
    const headers = { 'content-type': type, 'content-length': '1000' };
    const half = await open(api, `${head(line, headers)}half`);
    await half.closed;
    expect(half.text()).not.toContain(' 200 ');
  });

  it('a list that keeps coming may take longer than all of these', async () => {
    const headers = { 'content-type': 'text/csv', 'transfer-encoding': 'chunked' };
    const line = await open(api, head('POST /api/campaigns/list/recipients', headers));
    const send = (text: string) => line.socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    send('phone\n');
    for (let n = 0; n < 4; n++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      send(`+1415555010${n}\n`);
    }
    line.socket.write('0\r\n\r\n');
    expect(await told(line, 'accepted')).toContain('"accepted":4');
  });

  it('someone who follows the events is not ended by it', async () => {
    const reader = await open(api, head('GET /api/events'));
    await told(reader, 'text/event-stream');
    // A request that began later and is ended for its slowness.
    const half = await open(api, 'GET /api/campaigns HTTP/1.1\r\n');
    await half.closed;
    expect(reader.socket.destroyed).toBe(false);
  });
});

describe('when all connections are taken', () => {
  const api = serveApi({ token, limits: { most: 8, spare: 2 } });

  it('one that asks nothing makes room, the longest first, and one at work does not', async () => {
    const reader = await open(api, head('GET /api/events'));
    await told(reader, 'text/event-stream');
    const idle: Line[] = [];
    for (let n = 0; n < 9; n++) idle.push(await open(api));
    const kept = await open(api, head('GET /api/keys'));
    await told(kept, '200 OK');
    await idle[0]!.closed;
    for (let n = 0; n < 30; n++) idle.push(await open(api));
    const asked = await open(api, head('GET /api/keys', { connection: 'close' }));
    await asked.closed;
    expect(asked.text()).toContain('200 OK');
    expect(reader.socket.destroyed).toBe(false);
  });

  it('a request whose body does not come makes room, with a token and without', async () => {
    for (let n = 0; n < 12; n++) {
      await openStuck(api, 'POST /login', form);
      await openStuck(api, 'POST /api/policy/check', { 'content-type': 'application/json' });
    }
    const stop = await open(api, head('POST /api/pause', { connection: 'close' }));
    await stop.closed;
    expect(stop.text()).toMatch(/^HTTP\/1.1 200 /);
  });

  it('those whose token is wrong make room while they wait for their answer', async () => {
    const wrong = { authorization: 'Bearer wrong' };
    const guesses: Line[] = [];
    for (let n = 0; n < 24; n++) guesses.push(await open(api, head('GET /api/keys', wrong)));
    const asked = await open(api, head('GET /api/keys', { connection: 'close' }));
    await asked.closed;
    expect(asked.text()).toContain('200 OK');
  });

  it('where all are at work, two more are heard, for one answer each, and the next is closed at once', async () => {
    const readers: Line[] = [];
    const follow = async () => {
      const reader = await open(api, head('GET /api/events'));
      await told(reader, 'text/event-stream');
      readers.push(reader);
    };
    for (let n = 0; n < 8; n++) await follow();
    const stop = await open(api, head('POST /api/pause'));
    await stop.closed;
    expect(stop.text()).toMatch(/^HTTP\/1.1 200 /);
    await follow();
    await follow();
    await (await open(api)).closed;
    expect(readers.some(({ socket }) => socket.destroyed)).toBe(false);
  });
});

describe('as it is', () => {
  let api: TestApi;
  const lines: string[] = [];
  beforeAll(async () => {
    const logTo = { write: (line: string) => lines.push(line) } as never;
    api = await openApi({ token, logTo, env: { TRUSTED_PROXIES: '192.0.2.0/24' } });
  });
  afterAll(() => api?.close());

  it('four thousand logins without a body do not shut out the stop button', async () => {
    for (let n = 0; n < 42; n++)
      await Promise.all(Array.from({ length: 100 }, () => openStuck(api, 'POST /login', form)));
    const stop = await open(api, head('POST /api/pause', { connection: 'close' }));
    await stop.closed;
    expect(stop.text()).toMatch(/^HTTP\/1.1 200 /);
    expect((await api.raw('GET', '/healthz', {})).status).toBe(200);
  });

  it('two thousand readers of one token follow the events, others are answered, and one of them makes room', async () => {
    // Its own server: that of the test before may still close four thousand connections.
    const fresh = await openApi({ token });
    try {
      await crowd(fresh);
    } finally {
      await fresh.close();
    }
  });

  async function crowd(api: TestApi): Promise<void> {
    const made = await api.ask('POST', '/api/tokens', { headers: own, body: { name: 'bob', role: 'read' } });
    const theirs = { authorization: `Bearer ${made.json.token}` };
    const readers: Line[] = [];
    // The kernel holds some hundreds that were not taken yet.
    for (let n = 0; n < 20; n++) {
      const some = Array.from({ length: 100 }, () => open(api, head('GET /api/events', theirs)));
      readers.push(...(await Promise.all(some)));
    }
    await Promise.all(readers.map((reader) => told(reader, 'text/event-stream')));
    expect((await api.ask('GET', '/api/keys', { headers: own })).status).toBe(200);
    expect(readers.filter(({ socket }) => socket.destroyed)).toEqual([]);
    const more = await open(api, head('GET /api/events', theirs));
    expect(await told(more, '\r\n\r\n')).toMatch(/^HTTP\/1.1 503 /);
    const admin = await open(api, head('GET /api/events'));
    expect(await told(admin, '\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
  }

  it('a refused request closes its connection, and its answer arrives though much of a body was sent', async () => {
    for (const authorization of ['Bearer wrong', '']) {
      const headers = { authorization, 'content-type': 'application/json', 'content-length': '900000' };
      const line = await open(api, head('POST /api/campaigns', headers));
      line.socket.write('x'.repeat(900_000));
      await line.closed;
      expect(line.text()).toMatch(/^HTTP\/1.1 401 [\s\S]*\r\nconnection: close\r\n/i);
      expect(line.text()).toContain('"code":"unauthorized"');
    }
  });

  it('wrong tokens are counted by the address that the proxy names, and the log has it without the token', async () => {
    const wrong = (address: string) => ({ authorization: 'Bearer guess-77', 'x-forwarded-for': address });
    for (const address of ['203.0.113.9', '203.0.113.9', '2001:db8::1', '2001:db8::2'])
      await api.ask('GET', '/api/keys', { headers: wrong(address) });
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '198.51.100.4' };
    await api.ask('POST', '/login', { headers: form, body: 'token=guess-78' });
    const seen = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /wrong token/.test(msg));
    expect(seen.map(({ address, times }) => [address, times])).toEqual(
      expect.arrayContaining([
        ['203.0.113.9', 2],
        ['2001:db8:0:0::/64', 2],
        ['198.51.100.4', 1],
      ]),
    );
    expect(lines.join('')).not.toMatch(/guess-7/);
  });

  it('a login ends where its token is revoked or someone logs out, with what it keeps open', async () => {
    const made = await api.ask('POST', '/api/tokens', { headers: own, body: { name: 'ann', role: 'read' } });
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: api.url };
    const login = async (given: string, more: Record<string, string> = {}) => {
      const answer = await api.ask('POST', '/login', {
        headers: { ...form, ...more },
        body: `token=${given}`,
      });
      return answer.headers.get('set-cookie')!;
    };
    const given = await login(token);
    expect(given).toMatch(/^carillon=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await login(token, { 'x-forwarded-proto': 'https' })).toMatch(/; Secure;/);
    const cookie = given.split(';')[0]!;
    const theirs = (await login(made.json.token)).split(';')[0]!;
    const status = async (held: string) =>
      (await api.ask('GET', '/api/keys', { headers: { cookie: held } })).status;
    expect([await status(cookie), await status(theirs)]).toEqual([200, 200]);
    const follow = (held: string) =>
      open(api, `GET /api/events HTTP/1.1\r\nhost: 127.0.0.1:${api.port}\r\ncookie: ${held}\r\n\r\n`);
    const [ours, anns] = [await follow(cookie), await follow(theirs)];
    await told(ours, 'text/event-stream');
    await told(anns, 'text/event-stream');
    await api.ask('DELETE', '/api/tokens/ann', { headers: own });
    await api.ask('POST', '/logout', { headers: { ...form, cookie } });
    await Promise.all([told(ours, '\r\n0\r\n'), told(anns, '\r\n0\r\n')]);
    expect([await status(cookie), await status(theirs)]).toEqual([401, 401]);
  });
});
