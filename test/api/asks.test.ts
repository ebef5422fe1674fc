import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { serveApi } from './support.ts';

const admin = { authorization: 'Bearer admin-token-admin-token' };
const reader = 'reader-token-reader-token';

const api = serveApi({
  token: 'admin-token-admin-token',
  readToken: reader,
  simulator: {
    rate: 50,
    // A create to this phone is not answered in a way that can be read.
    faults: [{ kind: 'html', phone: '8', when: 'after' }],
  },
  env: { VOICE_RATE: '50' },
});
beforeAll(async () => {
  api.work();
});

/** Sends a request and closes the connection without waiting for an answer. */
async function askAndLeave(path: string): Promise<void> {
  const socket = connect(api.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.end(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${api.port}\r\nauthorization: Bearer ${reader}\r\n\r\n`,
  );
  await once(socket, 'finish');
  socket.destroy();
}

const arrived = (path: RegExp) =>
  [...api.simulator.journal()].filter((entry) => path.test(entry.path)).length;
const call = async (phone: string) =>
  (await api.ask('POST', '/api/calls', { headers: admin, body: { agent: 'a', phone } })).json.id;
const look = async (id: string) => (await api.ask('GET', `/api/calls/${id}`, { headers: admin })).json;

describe('questions to the service', () => {
  it('of many who do not wait for the answer are one listing, and a call’s end is seen meanwhile', async () => {
    for (let sent = 0; sent < 600; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => askAndLeave('/api/numbers')));
    const id = await call('+14155550301');
    await until(
      () => look(id),
      ({ state }) => state === 'done',
    );
    expect(arrived(/numbers/)).toBeLessThan(10);
  });

  it('are few at a time for each token, and end with the one who asks', async () => {
    const id = await call('+14155550303');
    const { call_id } = await until(
      () => look(id),
      ({ state }) => state === 'done',
    );
    await call('+14155550308');
    const list = async () => (await api.ask('GET', '/api/unknown', { headers: admin })).json.items;
    const [{ attempt }] = await until(list, (items) => items.length > 0);
    const ask = async (callId: string, signal?: AbortSignal) => {
      const headers = { authorization: `Bearer ${reader}` };
      const url = `${api.url}/api/unknown/${attempt}?call_id=${callId}`;
      const answer = await fetch(url, { headers, ...(signal ? { signal } : {}) });
      const { at_service } = (await answer.json()) as { at_service?: unknown };
      return { status: answer.status, after: answer.headers.get('retry-after'), at_service };
    };
    api.simulator.control({ faults: [{ kind: 'hang', on: 'get' }] });
    const left = new AbortController();
    const refused: unknown[] = [];
    const asks = Array.from({ length: 25 }, () =>
      ask(call_id, left.signal).then(
        (answer) => refused.push(answer),
        () => undefined,
      ),
    );
    await until(
      () => refused,
      (all) => all.length === 5,
      8_000,
    );
    expect(refused[0]).toMatchObject({ status: 429, after: '1' });
    left.abort();
    await Promise.all(asks);
    expect(refused).toHaveLength(5);
    api.simulator.control({ faults: [] });
    const other = await until(
      () => ask('nobodys-call'),
      ({ status }) => status !== 429,
    );
    expect(other).toMatchObject({ status: 200, at_service: { found: false } });
  });
});
