import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi, type TestApi } from '../api/support.ts';
import { type Got, type Receiver, startReceiver } from '../support/receiver.ts';

/**
 * The steps for n8n and Zapier, given what these hand to them: real deliveries of a real campaign, and requests that reach a
 * real Carillon. They are run as n8n and Zapier document it; neither program is here.
 */
const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const read = (path: string) => readFileSync(examples + path, 'utf8');
const require = createRequire(import.meta.url);
// biome-ignore lint/complexity/useArrowFunction: an arrow function is of another class.
const AsyncFunction = async function () {}.constructor as FunctionConstructor;

let api: TestApi;
let receiver: Receiver;
let secret: string;
let delivery: Got;
beforeAll(async () => {
  api = await openApi({
    env: { WEBHOOK_ALLOW_PRIVATE: '1' },
    token: 'a-token-for-the-admin',
    simulator: { shares: { answered: 1 } },
  });
  receiver = await startReceiver();
  const body = { url: receiver.url, events: ['recipient.done'] };
  ({ secret } = (await api.ask('POST', '/api/webhooks', { body, headers })).json);
  api.work();
  const recipients = [{ phone: '+14155550101', name: 'Ann Lee', deal: '1017' }];
  const order = { name: 'deals', agent: 'a', recipients, evergreen: true, start: true };
  await api.ask('POST', '/api/campaigns', { body: order, headers });
  await receiver.takes(1);
  delivery = receiver.taken[0]!;
});
afterAll(async () => {
  await api?.close();
  await receiver?.leave();
});
const headers = { authorization: 'Bearer a-token-for-the-admin' };
const people = async () => (await api.ask('GET', '/api/campaigns/deals/recipients', { headers })).json.items;
const told = {
  type: 'recipient.done',
  campaign: 'deals',
  phone: '+14155550101',
  name: 'Ann Lee',
  outcome: 'answered',
  deal: '1017',
};

describe('the workflow for n8n', () => {
  // biome-ignore lint/suspicious/noExplicitAny: parameters have every shape.
  type Node = { name: string; type: string; typeVersion: number; parameters: Record<string, any> } & Record<
    string,
    unknown
  >;
  const flow = JSON.parse(read('n8n/carillon.json')) as {
    nodes: Node[];
    connections: Record<string, { main: { node: string; type: string; index: number }[][] }>;
  };
  const node = (type: string) => flow.nodes.find((each) => each.type === `n8n-nodes-base.${type}`)!;

  it('has the shape that n8n imports: nodes with a place each, and connections between them', () => {
    const names = flow.nodes.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const each of flow.nodes) {
      expect(each).toMatchObject({
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        type: expect.stringMatching(/^n8n-nodes-base\.\w+$/),
        typeVersion: expect.any(Number),
        position: [expect.any(Number), expect.any(Number)],
      });
    }
    for (const [from, { main }] of Object.entries(flow.connections)) {
      expect(names).toContain(from);
      for (const to of main.flat())
        expect([names.includes(to.node), to.type, to.index]).toEqual([true, 'main', 0]);
    }
    // A failure in any step is answered with 500: Carillon sends it again.
    expect(node('webhook').parameters).toMatchObject({
      responseMode: 'lastNode',
      options: { rawBody: true },
    });
  });

  it('takes a delivery, and refuses one that is forged', async () => {
    const code = node('code').parameters.jsCode.replace('whsec_REPLACE_ME', secret);
    const step = new AsyncFunction('$input', 'require', code);
    const run = (text: string) =>
      step.call(
        { helpers: { getBinaryDataBuffer: async () => Buffer.from(text) } },
        { first: () => ({ json: { headers: delivery.headers, body: JSON.parse(text) } }) },
        require,
      );
    const [item] = await run(delivery.text);
    expect(item.json).toMatchObject({ ...told, event: delivery.event.id, person: delivery.event.data.id });
    await expect(run(delivery.text.replace('answered', 'busy'))).rejects.toThrow('not from Carillon');
  });

  it('adds a person once, however often n8n tries', async () => {
    const { parameters, retryOnFail } = node('httpRequest');
    expect(retryOnFail).toBe(true);
    const $json = { body: { phone: '(415) 555-0102', name: 'Bo', deal: '1018' } };
    // An expression begins with =, and what stands between {{ }} is JavaScript.
    const value = (text: string) =>
      text.startsWith('=')
        ? text
            .slice(1)
            .replace(/\{\{(.+?)\}\}(?!\})/gs, (_, js) =>
              String(new Function('$json', `return (${js})`)($json)),
            )
        : text;
    const [{ name, value: key }] = parameters.headerParameters.parameters;
    const send = () =>
      fetch(value(parameters.url).replace('https://calls.example', api.url), {
        method: parameters.method,
        headers: { ...headers, 'content-type': 'application/json', [name]: value(key) },
        body: value(parameters.jsonBody),
      });
    const answers = [await send(), await send()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]!.headers.get('idempotency-replayed')).toBe('true');
    expect((await people()).filter((each: { phone: string }) => each.phone === '+14155550102')).toMatchObject(
      [{ name: 'Bo', input: { deal: '1018' } }],
    );
  });
});

describe('the code steps for Zapier', () => {
  const step = (path: string) =>
    new AsyncFunction('inputData', 'fetch', 'require', `let output;\n${read(path)}\nreturn output;`);

  it('take a delivery, and refuse one that is forged', async () => {
    const { text: body } = delivery;
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
      (each) => delivery.headers[`webhook-${each}`],
    );
    const input = { body, id, timestamp, signature, secret };
    const run = (more: object) => step('zapier/verify.js')({ ...input, ...more }, fetch, require);
    expect(await run({})).toMatchObject({ ...told, event: id, person: delivery.event.data.id });
    await expect(run({ body: body.replace('answered', 'busy') })).rejects.toThrow('not from Carillon');
  });

  it('add a person once, however often the step is replayed, and fail with Carillon’s words', async () => {
    const input = {
      url: api.url,
      token: 'a-token-for-the-admin',
      campaign: 'deals',
      phone: '(415) 555-0103',
      name: 'Cy',
      deal: '1019',
    };
    const run = (more: object = {}) => step('zapier/add-person.js')({ ...input, ...more }, fetch, require);
    expect([await run(), await run()]).toEqual([1, 2].map(() => ({ new: 1, known: 0, rejected: '' })));
    expect((await people()).filter((each: { phone: string }) => each.phone === '+14155550103')).toHaveLength(
      1,
    );
    await expect(run({ campaign: 'nope', deal: '1020' })).rejects.toThrow('campaign-unknown');
  });
});

it('the formula for Make is that of the signature', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/recipes/make.md', import.meta.url)), 'utf8');
  expect(page).toContain('sha256(id + "." + timestamp + "." + value; base64; KEY; base64)');
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  } = delivery.headers;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const made = createHmac('sha256', key).update(`${id}.${timestamp}.${delivery.text}`).digest('base64');
  expect(signature).toBe(`v1,${made}`);
});
