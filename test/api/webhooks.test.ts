import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { typeLine } from '../cli/terminal.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { serveApi } from './support.ts';

/** Webhooks by the API and by the command line: the same verbs, the same answers. */
const api = serveApi({ env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.leave());

const typed = (line: string, env: Record<string, string> = {}) =>
  typeLine(`webhook ${line}`, { ...api.env, ...env }, process.cwd());
const list = async () => (await api.ask('GET', '/api/webhooks')).json.items;

describe('a webhook', () => {
  it('is told of a campaign, signed, and each person’s events in order', async () => {
    const made = await api.ask('POST', '/api/webhooks', { body: { url: receiver.url } });
    expect([made.status, made.json]).toEqual([
      201,
      { id: expect.any(String), url: receiver.url, events: null, secret: expect.stringMatching(/^whsec_/) },
    ]);
    const { id, secret } = made.json;
    api.work();
    const recipients = [
      { phone: '+14155550101', name: 'Ann' },
      { phone: '+14155550102' },
      { phone: '+14155550103' },
    ];
    await api.ask('POST', '/api/campaigns', {
      body: { name: 'spring', agent: 'a', recipients, start: true },
    });
    // Its start, and of each person: placed, done, done.
    await receiver.takes(10);
    const events = receiver.taken.map(({ text, headers }) => new Webhook(secret).verify(text, headers)) as {
      id: string;
      type: string;
      data: Record<string, string>;
    }[];
    expect(new Set(events.map((event) => event.id)).size).toBe(10);
    expect(events.map(({ type }) => type)).toContain('campaign.started');
    const done = events.filter(({ type }) => type === 'recipient.done');
    expect(done.map(({ data }) => [data.campaign, data.phone]).sort()).toEqual(
      recipients.map(({ phone }) => ['spring', phone]),
    );
    for (const { phone } of recipients) {
      const types = events.filter(({ data }) => data.phone === phone).map(({ type }) => type);
      expect(types.at(-1)).toBe('recipient.done');
    }
    expect((await list())[0]).toMatchObject({ id, state: 'active', failed: 0 });
    const deliveries = (await api.ask('GET', `/api/webhooks/${id}/deliveries?limit=2`)).json;
    expect(deliveries.items).toHaveLength(2);
    expect(deliveries.next).not.toBeNull();
    // Each says of whom it told, and one of the campaign names that.
    const told = async () => (await api.ask('GET', `/api/webhooks/${id}/deliveries`)).json.items;
    const of = { campaign: 'spring', campaign_id: expect.any(String) };
    const ann = { ...of, recipient: expect.stringMatching(/^\d+$/), phone: '+14155550101', name: 'Ann' };
    const nobody = { recipient: null, phone: null, name: null };
    const annDone = ({ type, name }: Record<string, string>) => type === 'recipient.done' && name === 'Ann';
    await expect.poll(told).toContainEqual(expect.objectContaining({ type: 'recipient.done', ...ann }));
    expect((await told()).filter(annDone)).toHaveLength(1);
    expect(await told()).toContainEqual(
      expect.objectContaining({ type: 'campaign.started', ...of, ...nobody }),
    );
    // One who was erased is nobody here too.
    await api.ask('POST', '/api/erase', { body: { phone: '+14155550101' } });
    const erased = await told();
    expect(erased.filter(annDone)).toEqual([]);
    expect(erased).toContainEqual(expect.objectContaining({ type: 'recipient.done', ...of, ...nobody }));
    await api.ask('DELETE', `/api/webhooks/${id}`);
    expect(await list()).toEqual([]);
  });

  it('is added, listed, tested, replayed and removed alike by the command line', async () => {
    const { json: added } = await typed(`add ${receiver.url} --events recipient.done,key.denied --json`);
    expect(added).toEqual({
      id: expect.any(String),
      url: receiver.url,
      events: ['recipient.done', 'key.denied'],
      secret: expect.stringMatching(/^whsec_/),
    });
    expect((await typed('list --json')).json).toEqual((await api.ask('GET', '/api/webhooks')).json);
    expect((await typed('list')).out).toContain(receiver.url);
    const tried = { id: added.id, delivered: true, status: 204, error: null, state: 'active' };
    expect((await typed(`test ${added.id} --json`)).json).toMatchObject(tried);
    expect((await api.ask('POST', `/api/webhooks/${added.id}/test`)).json).toMatchObject(tried);
    const { text, headers } = receiver.taken[0]!;
    expect(new Webhook(added.secret).verify(text, headers)).toMatchObject({ type: 'webhook.test' });
    receiver.answer = () => 500;
    expect(await typed(`test ${added.id}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('It answered 500'),
    });
    expect((await typed(`replay ${added.id} --since 1h --json`)).json).toMatchObject({
      id: added.id,
      state: 'active',
    });
    const since = { body: { since: '1h' } };
    expect((await api.ask('POST', `/api/webhooks/${added.id}/replay`, since)).json).toMatchObject({
      id: added.id,
    });
    expect((await typed(`deliveries ${added.id} --json`)).json).toMatchObject({ next: null });
    expect((await typed(`remove ${added.id} --json`)).json).toMatchObject({ id: added.id });
    const gone = await api.ask('POST', `/api/webhooks/${added.id}/test`);
    expect([gone.status, gone.json.code]).toEqual([404, 'webhook-unknown']);
    expect(await typed(`test ${added.id}`)).toMatchObject({
      code: 2,
      err: `carillon: ${gone.json.detail}. ${gone.json.remedy}\n`,
    });
    expect((await typed('remove nonsense')).err).toContain('was not found');
  });

  it('goes to another address and is told of other events, by the same secret and without a loss', async () => {
    const { json: made } = await api.ask('POST', '/api/webhooks', {
      body: { url: 'http://localhost:9/gone' },
    });
    const change = async (body: object) => api.ask('PATCH', `/api/webhooks/${made.id}`, { body });
    expect((await change({ url: 'http://localhost:9/', events: ['no.such'] })).status).toBe(422);
    expect((await change({ url: 'nowhere' })).json.code).toBe('webhook-address');
    api.work();
    const recipients = [{ phone: '+14155550141' }];
    await api.ask('POST', '/api/campaigns', { body: { name: 'moved', agent: 'a', recipients, start: true } });
    await expect.poll(async () => (await list()).at(-1)).toMatchObject({ id: made.id, state: 'failing' });
    const told = (await change({ url: receiver.url, events: ['recipient.done'] })).json;
    expect(told).toMatchObject({
      url: receiver.url,
      events: ['recipient.done'],
      state: 'active',
    });
    await receiver.takes(1);
    const [first] = receiver.taken;
    expect(new Webhook(made.secret).verify(first!.text, first!.headers)).toBeTruthy();
    const { items } = (await api.ask('GET', '/api/activity?verb=webhook.change')).json;
    expect(items[0]).toMatchObject({ subject: made.id, before: { events: null } });
    await api.ask('DELETE', `/api/webhooks/${made.id}`);
    expect((await change({})).status).toBe(404);
  });

  it('that rests, or whose secret cannot be opened, is named by the doctor', async () => {
    const { json } = await typed(`add ${receiver.url} --json`);
    const ask = async (env: Record<string, string>) => {
      const { json } = await typeLine('doctor --json', { ...api.env, ...env }, process.cwd());
      return json.checks.find(({ what }: { what: string }) => what === 'webhooks');
    };
    expect(await ask({})).toMatchObject({ state: 'ok', detail: '1 webhook, all active' });
    expect(await ask({ CARILLON_SECRET: 'of another machine' })).toMatchObject({
      state: 'fail',
      remedy: expect.stringContaining('Set the CARILLON_SECRET that sealed them'),
    });
    await api.sql(`update carillon.webhooks set state = 'resting', reason = 'it answered 410'`);
    expect(await ask({})).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining('is resting: it answered 410'),
    });
    await typed(`remove ${json.id}`);
  });

  it('goes only where it may, and wants only events that there are', async () => {
    const refusals: [object, string, string][] = [
      [{ url: 'not a url' }, 'webhook-address', 'is not a URL'],
      [{ url: 'https://me:word@example.com/' }, 'webhook-address', 'a password'],
      [{ url: 'http://169.254.169.254/latest' }, 'webhook-address', 'not an address of a receiver'],
      [{ url: receiver.url, events: ['recipient.gone'] }, 'request-invalid', 'events.0'],
      [{ url: receiver.url, events: [] }, 'request-invalid', 'events'],
      [{}, 'request-invalid', 'url'],
    ];
    for (const [body, code, words] of refusals) {
      const { json } = await api.ask('POST', '/api/webhooks', { body });
      expect(json).toMatchObject({ code, detail: expect.stringContaining(words) });
    }
    const careful = { WEBHOOK_ALLOW_PRIVATE: '' };
    for (const url of [
      'http://example.com/',
      `https://localhost:${receiver.port}/`,
      'https://10.0.0.1/',
      'https://[::1]:8443/',
    ]) {
      const { code, err } = await typed(`add ${url}`, careful);
      expect([code, err]).toEqual([2, expect.stringContaining('WEBHOOK_ALLOW_PRIVATE')]);
    }
    expect(await list()).toEqual([]);
  });
});
