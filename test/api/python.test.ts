import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createSender, makeSecret } from '../../src/control/webhooks/send.ts';
import { canUsePython } from '../support/python.ts';
import { openApi, type TestApi } from './support.ts';

/** The code of docs/guides/python.md, as it stands there, with nothing but Python's standard library. */
const page = readFileSync(fileURLToPath(new URL('../../docs/guides/python.md', import.meta.url)), 'utf8');
const blocks = [...page.matchAll(/^```python\n([\s\S]*?)^```/gm)].map(([, code]) => code!);
const [client, order, stream, receiver] = blocks as [string, string, string, string];

function python(code: string, env: Record<string, string> = {}) {
  const child = spawn('python3', ['-I', '-c', code], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, ended: once(child, 'close'), lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
}

async function printed(code: string): Promise<string[]> {
  const { ended, lines } = python(code);
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  expect((await ended)[0]).toBe(0);
  return all;
}

describe.runIf(canUsePython('the Python guide'))('the Python guide', () => {
  let api: TestApi;
  const token = 'a-token-for-python';
  beforeAll(async () => {
    api = await openApi({ token });
  });
  afterAll(() => api?.close());
  const here = () => `url=${JSON.stringify(api.url)}`;

  it('has a client that makes a campaign once, reads all pages and knows a problem', async () => {
    const program = order.replace('Carillon()', `Carillon(${here()}, token="${token}")`);
    const more = `
carillon.ask("POST", "/api/campaigns", order, key="order-4711")
print(len(list(carillon.all("/api/campaigns", limit=1))))
try:
    carillon.ask("POST", "/api/campaigns", {"name": "x"})
except Problem as problem:
    print(problem.status, problem.code, problem.issues[0]["path"])
`;
    expect(await printed(client + program + more)).toEqual([
      expect.stringMatching(/^\+14155550123 (waiting|queued) None$/),
      '1',
      '422 request-invalid agent',
    ]);
  });

  it('follows the events, and continues after the last one', async () => {
    const ask = (path: string) => api.ask('POST', path, { headers: { authorization: `Bearer ${token}` } });
    const headers = `{"authorization": "Bearer ${token}"}`;
    const follow = (last: string) =>
      python(`${stream}\nprint("ready", flush=True)
for event in follow(${here()}, headers=${headers}, last=${last}):
    print(event["type"], event["id"], flush=True)`);
    const first = follow('None');
    await first.lines.next();
    // It begins with what comes next: asked until the first of them is seen.
    let heard: string | null = null;
    const one = first.lines.next().then(({ value }) => {
      heard = value;
    });
    while (heard === null) {
      await ask('/api/campaigns/spring/pause');
      await ask('/api/campaigns/spring/resume');
      await Promise.race([one, new Promise((resolve) => setTimeout(resolve, 100))]);
    }
    first.child.kill();
    await ask('/api/campaigns/spring/pause');
    const [, id] = String(heard).split(' ');
    const second = follow(JSON.stringify(id));
    await second.lines.next();
    const next = (await second.lines.next()).value as string;
    second.child.kill();
    expect(next).toMatch(/^campaign\.(paused|started|resumed) evt_/);
    expect(next.split(' ')[1]).not.toBe(id);
  });

  it('takes a webhook that is signed with its secret, once, and no other', async () => {
    const secret = makeSecret();
    const { child, ended, lines } = python(receiver, { WEBHOOK_SECRET: secret, PORT: '0' });
    const url = (await lines.next()).value as string;
    const sender = (by: string) => createSender({ url, secret: by, allowPrivate: true, clock: systemClock });
    const [right, wrong] = [sender(secret), sender(makeSecret())];
    const body = JSON.stringify({ id: 'evt_1', type: 'webhook.test', at: 'now', data: {} });
    const message = { id: 'evt_1', body };
    try {
      expect(await wrong.send(message)).toMatchObject({ status: 401 });
      for (let n = 0; n < 2; n++) expect(await right.send(message)).toMatchObject({ status: 204 });
      expect((await lines.next()).value).toBe('webhook.test evt_1');
    } finally {
      await Promise.all([right.close(), wrong.close()]);
      child.kill();
      await ended;
    }
    expect((await lines.next()).done).toBe(true);
  });
});
