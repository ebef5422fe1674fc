import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { carillon } from '../cli/child.ts';
import { typeLine } from '../cli/terminal.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startScript } from '../support/script.ts';
import { openApi, type TestApi } from './support.ts';

/** The addresses of alerts by the API and by the command line: the same verbs, the same answers. */
let api: TestApi;
let receiver: Receiver;
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer('p@ss:word');
  const login = `${encodeURIComponent('alerts@example.com')}:${encodeURIComponent('p@ss:word')}`;
  api = await openApi({
    env: {
      WEBHOOK_ALLOW_PRIVATE: '1',
      ALERT_SMTP_URL: `smtp://${login}@127.0.0.1:${mails.port}`,
      CARILLON_SECRET: 'a secret of sixteen characters',
    },
  });
});
afterAll(async () => {
  await api?.close();
  await mails?.close();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.leave();
  for (const { id } of await list()) await api.ask('DELETE', `/api/alerts/addresses/${id}`);
});

const post = (body: object) => api.ask('POST', '/api/alerts/addresses', { body });
const list = async () => (await api.ask('GET', '/api/alerts/addresses')).json.items;
const typed = (line: string, env: Record<string, string> = {}) =>
  typeLine(`alert ${line}`, { ...api.env, ...env }, process.cwd());
const check = async (what: string, env: Record<string, string> = {}) => {
  const { json } = await typeLine('doctor --json', { ...api.env, ...env }, process.cwd());
  return json.checks.filter((each: { what: string }) => each.what === what);
};

describe('an address of alerts', () => {
  it('is added, listed, tested and removed alike by the command line', async () => {
    const added = await typed('add email ops@example.com --only critical,budget-near --at-most 5m --json');
    expect(added.err).toBe('');
    const made = added.json;
    expect(made).toEqual({
      id: expect.any(String),
      kind: 'email',
      address: 'ops@example.com',
      only: ['critical', 'budget-near'],
      at_most: '5m',
      secret: null,
    });
    expect((await typed('list --json')).json).toEqual((await api.ask('GET', '/api/alerts/addresses')).json);
    expect((await typed('list')).out).toMatch(
      /email\s+active\s+ops@example\.com\s+critical,budget-near\s+5m/,
    );
    // In a process of its own, which no connection to the mail server holds open.
    const tried = await startScript(carillon, ['alert', 'test', made.id], api.env).ended;
    expect([tried.code, tried.stdout]).toEqual([0, expect.stringContaining('250 taken')]);
    expect((await typed(`remove ${made.id}`)).out).toBe(`The address ${made.id} is removed.\n`);
    expect(await list()).toEqual([]);
  });

  it('that is tested says what happened there, and the mail comes from the user of the server', async () => {
    mails.taken.length = 0;
    const { json: made } = await post({ kind: 'email', address: 'ops@example.com' });
    const tried = await api.ask('POST', `/api/alerts/addresses/${made.id}/test`);
    expect(tried.json).toMatchObject({ id: made.id, delivered: true, answer: '250 taken', error: null });
    expect((await typed(`test ${made.id}`)).out).toMatch(/^The test arrived in \d+ ms: 250 taken\.\n$/);
    expect(mails.taken).toMatchObject([
      { from: 'alerts@example.com', to: ['ops@example.com'], user: 'alerts@example.com' },
      { mail: { subject: 'Carillon: a test' } },
    ]);
    const wrong = { ALERT_SMTP_URL: `smtp://me:wrong@127.0.0.1:${mails.port}`, ALERT_FROM: 'a@b.example' };
    expect(await typed(`test ${made.id}`, wrong)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^carillon: The test did not arrive: .*Invalid login/),
    });
  });

  it('of a program is sent an event that its secret verifies', async () => {
    const { out, err } = await typed(`add url ${receiver.url}`);
    expect(out).toMatch(/^whsec_\S+\n$/);
    expect(err).toContain('It is not shown again.');
    const [{ id, address }] = await list();
    expect(address).toBe(`http://localhost:${receiver.port}/•••`);
    expect((await typed(`test ${id}`)).out).toContain('it answered 204');
    const { text, headers } = receiver.taken[0]!;
    expect(new Webhook(out.trim()).verify(text, headers)).toMatchObject({
      type: 'alert.test',
      data: { address: id },
    });
    receiver.answer = () => 500;
    expect(await typed(`test ${id}`)).toMatchObject({
      code: 1,
      err: 'carillon: The test did not arrive: it answered 500\n',
    });
  });

  it('that is a monitor is asked without a word, told of no alert, and known to the doctor', async () => {
    await typed(`add monitor ${receiver.url}/ping/secret`);
    const [made] = await list();
    expect(made).toMatchObject({ kind: 'monitor', only: [], at_most: '1m', held: 0 });
    expect((await typed(`test ${made.id}`)).out).toContain('it answered 204');
    expect(receiver.taken).toMatchObject([{ text: '' }]);
    expect(await check('alerts')).toMatchObject([{ detail: expect.stringContaining('no address is told') }]);
    expect(await check('heartbeat')).toMatchObject([
      { state: 'warn', detail: expect.stringContaining('no worker runs') },
    ]);
    expect((await typed('list')).out).not.toContain('ping/secret');
  });

  it('that cannot be is refused in one line that says what to do', async () => {
    const refusals: [object, string, string][] = [
      [{ kind: 'slack', address: 'hooks' }, 'alert-address', 'is not a URL'],
      [
        { kind: 'url', address: 'http://169.254.169.254/' },
        'alert-address',
        'is not an address of a receiver',
      ],
      [{ kind: 'email', address: 'Ops <ops@example.com>' }, 'alert-address', 'not one e-mail address'],
      [{ kind: 'pager', address: 'x' }, 'request-invalid', 'kind'],
      [{ kind: 'url', address: receiver.url, only: ['nothing'] }, 'request-invalid', 'only'],
      [{ kind: 'url', address: receiver.url, at_most: 'often' }, 'request-invalid', 'at_most'],
      [{ kind: 'monitor', address: receiver.url, only: ['critical'] }, 'request-invalid', 'told of no alert'],
      [{ kind: 'monitor', address: receiver.url, at_most: '5m' }, 'request-invalid', 'told of no alert'],
    ];
    for (const [body, code, words] of refusals) {
      const { status, json } = await post(body);
      expect([status, json.code, json.detail]).toEqual([422, code, expect.stringContaining(words)]);
    }
    const without = { ALERT_SMTP_URL: '' };
    expect((await typed('add email ops@example.com', without)).err).toContain(
      'Set ALERT_SMTP_URL and ALERT_FROM',
    );
    expect((await typed('add email nobody')).err).toBe(
      'carillon: This is not one e-mail address. Give one, such as ops@example.com.\n',
    );
    expect((await typed('add slack https://hooks.slack.com/x --only key-denid')).err).toContain('key-denied');
    expect(await list()).toEqual([]);
    const gone = await api.ask('DELETE', '/api/alerts/addresses/nothing');
    expect([gone.status, gone.json.code]).toEqual([404, 'alert-address-unknown']);
  });

  it('is told of by the doctor: none, whether they work, and what is missing', async () => {
    expect(await check('alerts')).toMatchObject([
      { state: 'ok', detail: expect.stringContaining('no address') },
    ]);
    const { json: made } = await post({ kind: 'email', address: 'ops@example.com' });
    expect(await check('alerts')).toMatchObject([{ state: 'ok', detail: '1 address is told of them' }]);
    expect(await check('alerts', { ALERT_SMTP_URL: '' })).toMatchObject([
      { state: 'warn', detail: '1 address is of e-mail, and ALERT_SMTP_URL is not set here' },
    ]);
    expect(await check('alerts', { CARILLON_SECRET: 'of another machine' })).toMatchObject([
      { state: 'fail', remedy: expect.stringContaining('Set the CARILLON_SECRET that sealed them') },
    ]);
    await api.sql(`update carillon.alert_addresses set reason = 'it answered 404'`);
    expect(await check('alerts')).toMatchObject([
      { state: 'warn', detail: `they do not reach ${made.id} (email): it answered 404` },
    ]);
  });

  it('to which nobody sends what has long been due is told of by the list and the doctor', async () => {
    const { json: made } = await post({ kind: 'email', address: 'ops@example.com' });
    await api.sql(
      `insert into carillon.alert_notices (address_id, code, subject, type, at, alert)
        values ($1, 'budget-near', 'march', 'alert.raised', now() - interval '6 minutes', '{}')`,
      [made.id],
    );
    await api.sql(`update carillon.alert_addresses set next_at = now() - interval '1 day'`);
    const reason = expect.stringContaining('no process sends it: none runs, or none has the CARILLON_SECRET');
    expect(await list()).toMatchObject([{ state: 'failing', reason, held: 1 }]);
    expect((await typed('list')).out).toMatch(/email\s+failing\s+ops@example\.com.*no process sends it/);
    expect(await check('alerts')).toMatchObject([{ state: 'warn', detail: reason }]);
  });
});

it('the doctor tells of the heartbeat: none, why there is none, and when the last was', async () => {
  expect(await check('heartbeat')).toMatchObject([
    { state: 'ok', detail: 'none; `carillon alert add monitor URL` adds one' },
  ]);
  const env = { HEARTBEAT_URL: 'https://monitor.example/ping/secret' };
  const [silent] = await check('heartbeat', env);
  expect(silent).toMatchObject({ state: 'warn', detail: expect.stringContaining('no worker runs') });
  const settings = await typeLine('doctor --json', { ...api.env, ...env }, process.cwd());
  expect(settings.out).not.toContain('ping/secret');
});
