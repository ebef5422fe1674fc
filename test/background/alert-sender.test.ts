import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAlertSender } from '../../src/background/alerts.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { addAlertAddress, listAlertAddresses } from '../../src/control/alerts/addresses.ts';
import { postAlerts, testAlertAddress } from '../../src/control/alerts/send.ts';
import type { SeenAlert } from '../../src/ledger/alerts/alerts.ts';
import { alertKinds } from '../../src/rules/alert-kinds.ts';
import { unsentReason } from '../../src/rules/alerts.ts';
import { shareBooks } from '../ledger/support.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

/** Alerts on their way to people: a real ledger, real receivers, and the times of the ledger moved by hand. */
const books = await shareBooks();
const mails = await startMailServer();
afterAll(() => mails.close());
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  receiver.answer = () => 200;
});
afterEach(async () => {
  await receiver.leave();
  mails.taken.length = 0;
  await books.sql('delete from carillon.alert_addresses');
  await books.sql('delete from carillon.alerts');
});

const depsOf = (allowPrivate = true) => ({
  ledger: books.ledger,
  clock: systemClock,
  log: createLog('silent'),
  config: {
    secret: 'a secret of sixteen characters',
    home: '/nowhere',
    webhookAllowPrivate: allowPrivate,
    publicUrl: 'https://calls.example',
    alertMail: { url: mails.url, from: 'carillon@example.com' },
  },
});
const add = async (body: object) => (await addAlertAddress(depsOf(), body)).answer;
const send = (allowPrivate?: boolean) => createAlertSender(depsOf(allowPrivate))();
const seen = (code: SeenAlert['code'], subject: string, message: string): SeenAlert => {
  const { severity, title, remedy } = alertKinds[code];
  return { code, subject, severity, title, message, remedy, after: 0, unseen: 45 };
};
const denied = seen('key-denied', 'main', 'The key main is denied <by> the service & closed');
const stuck = seen(
  'loop-stuck',
  'planner of one:1',
  'The loop planner of one:1 has not ended a round for 60 s',
);
const failing = seen('key-failing', 'main', 'The key main is resting <by> the service & closed');
const near = seen('budget-near', 'march', 'march has spent 80.00 of 100.00');
const raise = (...alerts: SeenAlert[]) => books.ledger.alerts.watch(alerts);
/** A process that was given another secret than the one that sealed the addresses. */
const sendFromElsewhere = () => {
  const deps = depsOf();
  deps.config.secret = 'a secret of another machine';
  return createAlertSender(deps)();
};
/** So much time passes without anybody seeing an alert, and for the addresses. */
const pass = async (seconds: number) => {
  await books.sql('update carillon.alerts set seen_at = seen_at - make_interval(secs => $1)', [seconds]);
  await books.sql(
    `update carillon.alert_addresses set next_at = next_at - make_interval(secs => $1),
      claimed_until = claimed_until - make_interval(secs => $1), sent_at = sent_at - make_interval(secs => $1)`,
    [seconds],
  );
  await books.sql('update carillon.alert_notices set at = at - make_interval(secs => $1)', [seconds]);
};
const list = async () => (await listAlertAddresses(books.ledger)).items;
/** The texts of Slack’s blocks, each held to what Slack takes. */
const said = (got: Receiver['taken'][number]) => {
  const { text, blocks, ...rest } = got.event;
  expect(rest).toEqual({});
  expect(typeof text).toBe('string');
  expect(blocks.length).toBeLessThanOrEqual(50);
  return blocks.map((block: { type: string; text?: object; elements?: { text: string }[] }) => {
    if (block.type === 'context') return block.elements![0]!.text;
    expect(block).toEqual({ type: 'section', text: { type: 'mrkdwn', text: expect.any(String) } });
    const words = (block.text as { text: string }).text;
    expect(words.length).toBeLessThanOrEqual(3_000);
    return words;
  });
};

describe('an address at Slack', () => {
  it('is told once of what is raised when it is added and later, and when that is over', async () => {
    await raise(near);
    const made = await add({ kind: 'slack', address: receiver.url, at_most: '15m' });
    expect(made).toEqual({
      id: expect.any(String),
      kind: 'slack',
      address: `http://localhost:${receiver.port}/•••`,
      only: null,
      at_most: '15m',
      secret: null,
    });
    await Promise.all([send(), send(), send()]);
    expect(receiver.taken).toHaveLength(1);
    expect(receiver.taken[0]!.headers['webhook-signature']).toBeUndefined();
    expect(receiver.taken[0]!.event.text).toBe('Carillon: warning: A budget is nearly spent');
    expect(said(receiver.taken[0]!)).toEqual([
      expect.stringMatching(/^\*warning: A budget is nearly spent\*\nmarch has spent .*\nWhat to do: /),
      '<https://calls.example/|Open Carillon>',
    ]);

    // Held back for a quarter of an hour, and told together.
    await raise(near, failing);
    await pass(60);
    await raise(failing);
    await send();
    expect(receiver.taken).toHaveLength(1);
    expect(await list()).toMatchObject([{ state: 'active', held: 2, sent: 1, next_at: expect.any(Date) }]);
    await pass(900);
    await raise(failing);
    await send();
    expect(receiver.taken).toHaveLength(2);
    expect(receiver.taken[1]!.event.text).toBe('Carillon: 2 alerts (1 raised, 1 over)');
    const [second, first] = said(receiver.taken[1]!).sort();
    expect(first).toContain('*warning: The service fails on a key*');
    expect(first).toContain('&lt;by&gt; the service &amp; closed');
    expect(second).toMatch(/^\*over: A budget is nearly spent\*\nIt was: march has spent/);
    expect(await list()).toMatchObject([{ held: 0, sent: 2, failed: 0, next_at: null }]);
  });

  it('hears of a critical alert at once, with what was held, and of one that comes and goes only then', async () => {
    await add({ kind: 'slack', address: receiver.url });
    await raise(failing);
    await send();
    await raise(failing, near);
    await send();
    expect(receiver.taken).toHaveLength(1);
    await raise(failing, near, denied);
    await send();
    await raise(failing, near, denied, stuck);
    await send();
    expect(receiver.taken.map(({ event }) => event.text)).toEqual([
      'Carillon: warning: The service fails on a key',
      'Carillon: 2 alerts (2 raised)',
      'Carillon: critical: The background work of a process is stuck',
    ]);
    await books.sql(`update carillon.alerts set seen_at = seen_at - interval '1 minute'`);
    await raise(failing, near);
    await raise(failing, near, denied, stuck);
    await send();
    expect(receiver.taken).toHaveLength(3);
    expect(await list()).toMatchObject([{ held: 2, sent: 3 }]);
  });

  it('hears of an alert that comes and goes once a message, with how often', async () => {
    await add({ kind: 'slack', address: receiver.url });
    await raise(denied);
    await send();
    for (let n = 0; n < 3; n++) {
      await books.sql(`update carillon.alerts set seen_at = seen_at - interval '1 minute'`);
      await raise();
      await raise(denied);
    }
    await pass(900);
    await send();
    expect(receiver.taken).toHaveLength(2);
    expect(said(receiver.taken[1]!)[0]).toContain('It came and went: this is the latest of 6 changes.');
  });

  it('hears only of the kinds that it wants, and never a phone or the rest of its own address', async () => {
    await add({
      kind: 'slack',
      address: `${receiver.url}/T00000000/B00000000/abcdefghij`,
      only: ['critical', 'key-failing'],
    });
    await raise(
      near,
      denied,
      seen('key-failing', 'main', 'The key main is resting: no route to +14155550123'),
    );
    await send();
    const [got] = receiver.taken;
    expect(got!.event.text).toBe('Carillon: 2 alerts (2 raised)');
    expect(got!.text).toContain('+1415•••23');
    expect(got!.text).not.toContain('5550123');
    const shown = JSON.stringify([await list(), await books.sql('select * from carillon.alert_addresses')]);
    expect(shown).toContain('•••ghij');
    expect(shown).not.toContain('abcdefghij');
    expect(JSON.stringify(await books.sql('select * from carillon.activity'))).not.toContain('abcdefghij');
  });

  it('that takes nothing is tried again, is an alert for the others, and has lost nothing when it is back', async () => {
    receiver.answer = () => 404;
    const { id } = await add({ kind: 'slack', address: receiver.url });
    await raise(denied);
    await send();
    await send();
    expect(receiver.requests).toBe(1);
    const failing = { state: 'failing', reason: 'it answered 404', held: 1, sent: 0, failed: 1 };
    expect(await list()).toMatchObject([failing]);
    expect((await books.ledger.alerts.facts()).addresses).toEqual([
      { id, kind: 'slack', reason: 'it answered 404' },
    ]);
    await pass(5);
    await send();
    expect(receiver.requests).toBe(2);
    // Of itself it is told nothing.
    await raise(denied, seen('alerts-unsent', id, 'Alerts do not reach it'));
    expect(await list()).toMatchObject([{ held: 1, failed: 2 }]);
    expect(await testAlertAddress(depsOf(), id)).toMatchObject({
      delivered: false,
      error: 'it answered 404',
    });
    receiver.answer = () => 200;
    expect(await testAlertAddress(depsOf(), id)).toMatchObject({
      delivered: true,
      answer: 'it answered 200',
    });
    expect(receiver.taken[0]!.event.text).toBe('Carillon: a test');
    await send();
    expect(receiver.taken.map(({ event }) => event.text)).toEqual([
      'Carillon: a test',
      'Carillon: critical: The service does not accept a key',
    ]);
    expect(await list()).toMatchObject([{ state: 'active', reason: null, held: 0, sent: 1, failed: 2 }]);
  });

  it('keeps what comes while a message is under way for the next one', async () => {
    await add({ kind: 'slack', address: receiver.url });
    await raise(denied);
    receiver.answer = () => async (response) => {
      await books.sql(`update carillon.alerts set seen_at = seen_at - interval '1 minute'`);
      await raise();
      response.writeHead(200).end('ok');
    };
    await send();
    expect(await list()).toMatchObject([{ held: 1, sent: 1 }]);
    receiver.answer = () => 200;
    await pass(900);
    await send();
    expect(receiver.taken[0]!.event.text).toBe('Carillon: over: The service does not accept a key');
  });

  it('that a process claimed and left is told by another', async () => {
    await add({ kind: 'slack', address: receiver.url });
    await raise(denied);
    await books.sql(
      `update carillon.alert_addresses set claimant = gen_random_uuid(), claimed_until = now() + interval '1 minute'`,
    );
    await send();
    expect(receiver.requests).toBe(0);
    await pass(61);
    await send();
    expect(receiver.taken).toHaveLength(1);
  });

  it('that no process can open is not reached, as everyone is told who looks, until one can', async () => {
    const { id } = await add({ kind: 'slack', address: receiver.url });
    await raise(denied);
    await sendFromElsewhere();
    await pass(290);
    expect(await list()).toMatchObject([{ state: 'active', held: 1 }]);
    await pass(20);
    await sendFromElsewhere();
    expect(await list()).toMatchObject([
      { state: 'failing', reason: unsentReason, since: expect.any(Date), next_at: null, held: 1, failed: 0 },
    ]);
    expect((await books.ledger.alerts.facts()).addresses).toEqual([
      { id, kind: 'slack', reason: unsentReason },
    ]);
    expect(receiver.requests).toBe(0);
    await send();
    expect(receiver.taken).toHaveLength(1);
    expect(await list()).toMatchObject([{ state: 'active', reason: null, since: null, held: 0 }]);
  });

  it('that no process sends to is not reached: what is critical is due at once, and what is held is not', async () => {
    await add({ kind: 'slack', address: receiver.url, at_most: '1h' });
    await raise(failing);
    await send();
    await raise(failing, near);
    await pass(600);
    await raise(failing, near);
    expect(await list()).toMatchObject([{ state: 'active', held: 1, next_at: expect.any(Date) }]);
    await raise(failing, near, denied);
    expect(await list()).toMatchObject([{ state: 'active', held: 2 }]);
    await pass(310);
    expect(await list()).toMatchObject([{ state: 'failing', reason: unsentReason, held: 2 }]);
  });

  it('that failed, and that no process tries again, says so and not what it failed with', async () => {
    receiver.answer = () => 404;
    await add({ kind: 'slack', address: receiver.url });
    await raise(denied);
    await send();
    expect(await list()).toMatchObject([{ reason: 'it answered 404', next_at: expect.any(Date) }]);
    await pass(3_600);
    expect(await list()).toMatchObject([{ state: 'failing', reason: unsentReason, next_at: null }]);
  });

  it('is not asked on a private network unless that is allowed, whatever was allowed when it was added', async () => {
    await add({ kind: 'slack', address: receiver.url });
    await raise(denied);
    await send(false);
    expect(receiver.requests).toBe(0);
    expect(await list()).toMatchObject([{ reason: expect.stringContaining('is on a private network') }]);
    await expect(
      addAlertAddress(depsOf(false), { kind: 'url', address: receiver.url }),
    ).rejects.toMatchObject({ code: 'alert-address' });
  });
});

describe('an address of e-mail', () => {
  it('gets a mail that says what is raised and what to do', async () => {
    await add({ kind: 'email', address: 'ops@example.com' });
    await raise(denied);
    await send();
    expect(mails.taken).toHaveLength(1);
    const [{ from, to, mail }] = mails.taken as [MailServer['taken'][number]];
    expect([from, to]).toEqual(['carillon@example.com', ['ops@example.com']]);
    expect(mail.subject).toBe('Carillon: critical: The service does not accept a key');
    expect(mail.text).toContain(denied.message);
    expect(mail.text).toContain(`What to do: ${denied.remedy}`);
    expect(mail.text).toContain('https://calls.example/');
    expect(mail.messageId).toMatch(/^<[\w.-]+@carillon\.invalid>$/);
  });

  it('gets a mail that is sent again under its id, and one that says more under another', async () => {
    const { id } = await add({ kind: 'email', address: 'ops@example.com' });
    const to = { id, kind: 'email', address: 'ops@example.com', secret: null } as const;
    const post = async () => postAlerts(depsOf(), to, await books.ledger.alertAddresses.notices(id));
    await raise(denied);
    await post();
    await post();
    await raise(denied, near);
    await post();
    const [first, again, more] = mails.taken.map(({ mail }) => mail.messageId);
    expect(again).toBe(first);
    expect(more).toEqual(expect.stringMatching(/^<[\w.-]+@carillon\.invalid>$/));
    expect(more).not.toBe(first);
  });

  it('that its server refuses is failing, in the server’s words without the address', async () => {
    mails.refuses = 'no such user';
    const { id } = await add({ kind: 'email', address: 'ops@example.com' });
    await raise(denied);
    await send();
    const [row] = await list();
    expect(row).toMatchObject({ state: 'failing', reason: expect.stringContaining('no such user') });
    expect(row!.reason).not.toContain('ops@');
    mails.refuses = null;
    expect(await testAlertAddress(depsOf(), id)).toMatchObject({ delivered: true, answer: '250 taken' });
    await send();
    expect(mails.taken.map(({ mail }) => mail.subject)).toEqual([
      'Carillon: a test',
      'Carillon: critical: The service does not accept a key',
    ]);
  });

  it('is not mailed by a server elsewhere that would take the password in clear', async () => {
    const { id } = await add({ kind: 'email', address: 'ops@example.com' });
    const deps = depsOf();
    // This machine too, by a name that does not say so.
    deps.config.alertMail.url = `smtp://me:word@[::ffff:127.0.0.1]:${mails.port}`;
    const tried = await testAlertAddress(deps, id);
    expect(tried).toMatchObject({ delivered: false, error: expect.stringMatching(/certificate|TLS/i) });
    expect(mails.taken).toEqual([]);
  });

  it('is one address, and nothing that could be a header', async () => {
    for (const address of [
      'ops',
      'a@b.example, c@d.example',
      'Ann <a@b.example>',
      'a@b.example\r\nBcc: x@y.example',
    ])
      await expect(add({ kind: 'email', address })).rejects.toMatchObject({
        code: expect.stringMatching(/^alert-address$|^request-invalid$/),
      });
  });
});

describe('an address of a program', () => {
  it('gets each alert at once as an event, in order and signed', async () => {
    const { secret, at_most: most } = await add({ kind: 'url', address: receiver.url });
    expect(most).toBeNull();
    await raise(denied, near);
    await send();
    await pass(60);
    await raise(near);
    await send();
    const events = receiver.taken.map(({ text, headers }) => new Webhook(secret!).verify(text, headers)) as {
      id: string;
      type: string;
      data: { code: string };
    }[];
    expect(
      events
        .map(({ type, data }) => `${type} ${data.code}`)
        .slice(0, 2)
        .sort(),
    ).toEqual(['alert.raised budget-near', 'alert.raised key-denied']);
    expect(events[2]).toMatchObject({ type: 'alert.cleared', data: { code: 'key-denied', subject: 'main' } });
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
    expect(receiver.taken[0]!.headers['webhook-id']).toBe(events[0]!.id);
  });

  it('is sent what it did not take again, with the same id, and nothing twice of what it took', async () => {
    await add({ kind: 'url', address: receiver.url });
    let refused = 0;
    receiver.answer = ({ event }) => (event.data.code === 'key-denied' && refused++ === 0 ? 500 : 204);
    await raise(denied, near);
    await send();
    await pass(60);
    await raise(denied, near);
    await send();
    const ids = receiver.got.map(({ event }) => event.id);
    expect(receiver.ids()).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    expect(receiver.got).toHaveLength(3);
  });
});
