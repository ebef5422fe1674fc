import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNotify, type Notify, type NotifyOptions } from '../../../src/background/webhooks/notify.ts';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { createLog } from '../../../src/base/log.ts';
import { createMeters } from '../../../src/base/metrics/meters.ts';
import { listDeliveries, replayWebhook, testWebhook } from '../../../src/control/webhooks/deliveries.ts';
import { addWebhook, listWebhooks, removeWebhook } from '../../../src/control/webhooks/manage.ts';
import { shareBooks } from '../../ledger/support.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';

/** Events reach an address whole, in each person's order, once in the usual case; whatever fails meanwhile. */
const minute = 60_000;
const books = await shareBooks();
const home = mkdtempSync(join(tmpdir(), 'carillon-notify-'));
let receiver: Receiver;
let notifiers: Notify[] = [];
/** Time that a test lets pass. */
let ahead = 0;
const clock: Clock = {
  now: () => systemClock.now() + ahead,
  monotonic: () => systemClock.monotonic() + ahead,
  sleep: systemClock.sleep,
};

afterAll(() => rmSync(home, { recursive: true }));
beforeEach(async () => {
  ahead = 0;
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.leave();
  for (const notify of notifiers) await notify.close();
  notifiers = [];
  await books.sql('delete from carillon.webhooks');
});

const config = () => ({ secret: undefined, home, webhookAllowPrivate: true });
const deps = () => ({ ledger: books.ledger, config: config(), clock });
const add = async (events?: string[], url = receiver.url) =>
  (await addWebhook(deps(), { url, ...(events ? { events } : {}) })).answer;
const shown = async (id: string) => (await listWebhooks(books.ledger)).items.find((each) => each.id === id)!;

function open(options: NotifyOptions = {}, secret?: string): Notify {
  const { ledger } = books;
  // Events about people and imports need neither keys nor tokens.
  const engine = { bucket: undefined as never };
  const parts = { ...deps(), config: { ...config(), secret }, lanes: [], engine, meters: createMeters() };
  const notify = createNotify({ ...parts, ledger, log: createLog('silent') }, options);
  notifiers.push(notify);
  return notify;
}

/** One statement's worth of events about these people, who are in no campaign. */
const emit = (...people: number[]) =>
  books.sql(`insert into carillon.outbox (type, recipients) values ('recipient.done', $1)`, [people]);

/** The person of each event that was taken, and its number. */
const told = () =>
  receiver.taken.map(({ event }) => ({
    person: event.data.id as string,
    number: Number.parseInt(event.id.slice(-12), 16),
  }));

/** Each of so many events, in the order of its person; `again`: some of them more than once, but never one before another. */
function expectInOrder(count: number, again = false): void {
  const all = told().filter(
    ({ number }, at, whole) => !again || whole.findIndex((each) => each.number === number) === at,
  );
  expect(all).toHaveLength(count);
  expect(new Set(all.map(({ number }) => number)).size).toBe(count);
  for (const person of new Set(all.map((each) => each.person))) {
    const numbers = all.filter((each) => each.person === person).map(({ number }) => number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }
}

describe('an address', () => {
  it('is told what it wants from its addition on, without a restart, until it is removed', async () => {
    const notify = open();
    await emit(1);
    await notify.settle(120_000);
    const { id, secret, events } = await add(['recipient.done']);
    expect([events, secret.startsWith('whsec_')]).toEqual([['recipient.done'], true]);
    await emit(2, 3);
    await books.ledger.events.emit({ type: 'import.done', subject: 'x', data: { id: 'x' } });
    await notify.settle(120_000);
    expect(
      told()
        .map(({ person }) => person)
        .sort(),
    ).toEqual(['2', '3']);
    const [{ text, headers, event }] = receiver.taken as [(typeof receiver.taken)[0]];
    expect(new Webhook(secret).verify(text, headers)).toEqual(event);
    expect(event).toEqual({
      id: headers['webhook-id'],
      type: 'recipient.done',
      at: expect.stringMatching(/Z$/),
      data: { id: expect.any(String), deleted: true },
    });
    expect(await shown(id)).toMatchObject({ state: 'active', delivered: 2, failed: 0, behind: 0, held: 0 });
    const log = (await listDeliveries(books.ledger, id, {})).items;
    expect(log).toHaveLength(2);
    expect(log[0]).toMatchObject({
      type: 'recipient.done',
      try: 1,
      delivered: true,
      status: 204,
      error: null,
    });
    await removeWebhook(deps(), id);
    await emit(4);
    await notify.settle(120_000);
    expect(receiver.requests).toBe(2);
  });

  it('that is away for an hour under load gets everything at once when it is back, in each person’s order', async () => {
    const notify = open();
    const { id, secret } = await add();
    let sent = 0;
    const load = async () => {
      await emit(...Array.from({ length: 10 }, (_, i) => (sent + i) % 7));
      sent += 10;
    };
    await load();
    await notify.settle(120_000);
    await receiver.leave();
    for (let passed = 0; passed < 60; passed += 1) {
      await load();
      await notify.settle(120_000);
      ahead += minute;
    }
    expect(await shown(id)).toMatchObject({ state: 'failing', reason: expect.stringContaining('refused') });
    const [{ n }] = (await books.sql('select count(*)::integer as n from carillon.webhook_blocked')) as [
      { n: number },
    ];
    expect(n).toBeLessThan(200);
    const before = receiver.requests;
    await receiver.come();
    ahead += 7 * minute;
    await notify.settle(120_000);
    expect(receiver.requests - before).toBe(sent - 10);
    expectInOrder(sent);
    const { text, headers } = receiver.taken.at(-1)!;
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    expect(new Webhook(secret).sign(headers['webhook-id']!, at, text)).toBe(headers['webhook-signature']);
    expect(await shown(id)).toMatchObject({
      state: 'active',
      reason: null,
      behind: 0,
      held: 0,
      delivered: sent,
    });
  });

  it('that does not take one person’s event still takes the others’, and the person’s later ones wait', async () => {
    const notify = open();
    const { id } = await add();
    let refuses = true;
    receiver.answer = ({ event }) => (refuses && event.data.id === '1' ? 500 : 204);
    await emit(1, 2, 3);
    await emit(1, 2, 3);
    await notify.settle(120_000);
    expect(
      told()
        .map(({ person }) => person)
        .sort(),
    ).toEqual(['2', '2', '3', '3']);
    expect(await shown(id)).toMatchObject({
      state: 'active',
      reason: 'it answered 500',
      held: 2,
      held_people: 1,
      held_since: expect.any(Date),
    });
    expect((await listDeliveries(books.ledger, id, { delivered: '0' })).items[0]).toMatchObject({
      status: 500,
    });
    refuses = false;
    ahead += 10 * minute;
    await notify.settle(120_000);
    expectInOrder(6);
    expect(await shown(id)).toMatchObject({ reason: null, held: 0, held_since: null, behind: 0 });
  });

  it('that takes a test gets what waits at once, also when it did not count as failing', async () => {
    const notify = open();
    const { id } = await add();
    receiver.answer = () => 500;
    await emit(1, 1);
    for (let passed = 0; passed < 5; passed++) {
      await notify.settle(120_000);
      ahead += 15_000;
    }
    await notify.settle(120_000);
    const { since, ...before } = await shown(id);
    expect(before).toMatchObject({ state: 'active', held: 2 });
    receiver.answer = () => 204;
    expect(await testWebhook(deps(), id)).toMatchObject({ delivered: true, state: 'active' });
    await notify.settle(120_000);
    expect(receiver.taken.map(({ event }) => event.type)).toEqual([
      'webhook.test',
      'recipient.done',
      'recipient.done',
    ]);
    expect(await shown(id)).toMatchObject({ held: 0, since });
  });

  it('that answers slowly is told again what it did not answer in time, and nothing is left out', async () => {
    const notify = open({ timeoutMs: 100 });
    await add();
    const late = new Set<string>();
    receiver.answer = ({ event }) => {
      if (late.has(event.id)) return 204;
      late.add(event.id);
      return event.data.id === '2' ? null : 204;
    };
    await emit(1, 2, 3, 2);
    for (let passed = 0; passed < 4; passed++) {
      await notify.settle(120_000);
      ahead += 5_000;
    }
    // On a busy machine other answers may be late too.
    expectInOrder(4, true);
    expect(receiver.requests).toBeGreaterThanOrEqual(6);
  });

  it('is not told anything when its name leads elsewhere since the last delivery', async () => {
    let address = '127.0.0.1';
    const notify = open({ resolve: async () => [{ address, family: 4 }] });
    const { id } = await add();
    await emit(1);
    await notify.settle(120_000);
    address = '169.254.169.254';
    await emit(1);
    await notify.settle(120_000);
    expect(receiver.requests).toBe(1);
    expect(await shown(id)).toMatchObject({
      state: 'failing',
      reason: expect.stringContaining('169.254.169.254'),
    });
    address = '127.0.0.1';
    ahead += minute;
    await notify.settle(120_000);
    expectInOrder(2);
  });

  it('that answers 410 rests until a test reaches it, and then gets what waited', async () => {
    const notify = open();
    const { id } = await add();
    receiver.answer = () => 410;
    await emit(1, 2);
    await notify.settle(120_000);
    ahead += 60 * minute;
    await notify.settle(120_000);
    expect(await shown(id)).toMatchObject({
      state: 'resting',
      reason: expect.stringContaining('no more events'),
    });
    expect(receiver.requests).toBe(2);
    expect(await testWebhook(deps(), id)).toMatchObject({ delivered: false, status: 410, state: 'resting' });
    receiver.answer = () => 204;
    expect(await testWebhook(deps(), id)).toMatchObject({ delivered: true, status: 204, state: 'active' });
    await notify.settle(120_000);
    expect(receiver.taken.map(({ event }) => event.type)).toEqual([
      'webhook.test',
      'recipient.done',
      'recipient.done',
    ]);
  });

  it('is told again from an event or a time on, with the same ids', async () => {
    const notify = open();
    const { id } = await add();
    for (let i = 0; i < 3; i++) await emit(1);
    await notify.settle(120_000);
    const ids = receiver.ids();
    await replayWebhook(deps(), id, { event: ids[1] });
    await notify.settle(120_000);
    expect(receiver.ids().slice(3)).toEqual(ids.slice(1));
    await books.sql(
      `update carillon.events set numbered_at = numbered_at - interval '1 day' where last < $1`,
      [told()[2]!.number],
    );
    expect(await replayWebhook(deps(), id, { since: '1h' })).toMatchObject({ behind: 1 });
    await notify.settle(120_000);
    expect(receiver.ids().slice(5)).toEqual(ids.slice(2));
    const refused = [
      {},
      { since: '1h', event: ids[0] },
      { since: 'soon' },
      { since: '2999-01-01' },
      { event: 'evt_1' },
    ];
    for (const body of refused) await expect(replayWebhook(deps(), id, body)).rejects.toThrow();
  });
});

describe('several processes', () => {
  it('share the addresses, and tell each once', async () => {
    const [one, two] = [open(), open()];
    const others = await Promise.all([1, 2, 3].map(() => startReceiver()));
    for (const { url } of [receiver, ...others]) await add(undefined, url);
    for (let i = 0; i < 10; i++) {
      await emit(1, 2, 3);
      await Promise.all([one.settle(120_000), two.settle(5_000)]);
    }
    for (const each of [receiver, ...others]) {
      await each.takes(30);
      expect(each.requests).toBe(30);
      await each.leave();
    }
    expectInOrder(30);
  });

  it('take over what a killed one had, and nothing is lost or out of order', async () => {
    const { id } = await add();
    await emit(...Array.from({ length: 60 }, (_, i) => i % 9));
    receiver.answer = () => (receiver.requests > 20 ? null : 204);
    const program = fileURLToPath(new URL('../../../bin/carillon.js', import.meta.url));
    const child = spawn(process.execPath, [program, 'worker', '--only', 'notifier'], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: books.url,
        CARILLON_HOME: home,
        WEBHOOK_ALLOW_PRIVATE: '1',
        // It asks for nothing there.
        VOICE_BASE_URL: 'http://127.0.0.1:9/v1',
        VOICE_API_KEYS: 'none',
      },
      stdio: 'ignore',
    });
    const died = once(child, 'exit');
    await receiver.takes(20);
    child.kill('SIGKILL');
    await died;
    receiver.answer = () => 204;
    // Its time is over.
    await books.sql(`update carillon.webhooks set claimed_until = now() - interval '1 second'`);
    await open().settle(10_000);
    expectInOrder(60, true);
    expect(await shown(id)).toMatchObject({ state: 'active', behind: 0, held: 0 });
  });

  it('with another secret leave an address to those that can sign for it', async () => {
    const { id } = await add();
    const other = open({}, 'the secret of another machine');
    await emit(1);
    await other.settle(120_000);
    expect(receiver.requests).toBe(0);
    const { ledger } = books;
    const elsewhere = { ledger, clock, config: { ...config(), secret: 'the secret of another machine' } };
    await expect(addWebhook(elsewhere, { url: receiver.url })).rejects.toMatchObject({
      code: 'secret-other',
    });
    await expect(testWebhook(elsewhere, id)).rejects.toMatchObject({ code: 'secret-other' });
    await open().settle(120_000);
    expectInOrder(1);
  });
});
