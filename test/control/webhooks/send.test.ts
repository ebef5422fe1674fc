import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import {
  createSender,
  makeSecret,
  type Sender,
  type SenderOptions,
} from '../../../src/control/webhooks/send.ts';
import type { HostAddress } from '../../../src/http/resolve.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { selfSigned } from '../../voice/servers.ts';

/** One delivery: where it may go, what it carries, and what counts as taken. */
const secret = makeSecret();
const loopback: HostAddress[] = [{ address: '127.0.0.1', family: 4 }];
let receiver: Receiver;
const senders: Sender[] = [];
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.close();
  await receiver.leave();
});

function open(options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({
    url: `http://hooks.example:${receiver.port}/in?team=7`,
    secret,
    allowPrivate: true,
    clock: systemClock,
    resolve: async () => loopback,
    ...options,
  });
  senders.push(sender);
  return sender;
}
const message = { id: 'evt_1', body: '{"id":"evt_1","name":"Zoë"}' };

describe('a delivery', () => {
  it('is signed so that the library of Standard Webhooks verifies it, at each try with the same id', async () => {
    const sender = open();
    expect(await sender.send(message)).toMatchObject({ ok: true, status: 204, error: null });
    await sender.send(message);
    const [first, second] = receiver.got;
    expect(first!.headers).toMatchObject({
      host: `hooks.example:${receiver.port}`,
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
    });
    for (const { text, headers } of [first!, second!])
      expect(new Webhook(secret).verify(text, headers)).toEqual({ id: 'evt_1', name: 'Zoë' });
    expect(() => new Webhook(makeSecret()).verify(first!.text, first!.headers)).toThrow();
    expect(() => new Webhook(secret).verify(`${first!.text} `, first!.headers)).toThrow();
  });

  it('does not follow a redirect, and any status but 2xx is not taken', async () => {
    const sender = open();
    receiver.answer = () => (response) => {
      response.writeHead(307, { location: `http://localhost:${receiver.port}/elsewhere` }).end();
    };
    expect(await sender.send(message)).toMatchObject({
      ok: false,
      status: 307,
      error: 'a redirect, which is not followed',
    });
    expect(receiver.requests).toBe(1);
    for (const status of [400, 410, 429, 500]) {
      receiver.answer = () => status;
      expect(await sender.send(message)).toMatchObject({ ok: false, status, away: false });
    }
  });

  it('ends when the receiver takes too long, or sends more than a few KB', async () => {
    const sender = open({ timeoutMs: 150 });
    receiver.answer = () => null;
    expect(await sender.send(message)).toMatchObject({
      ok: false,
      status: null,
      away: false,
      error: 'no answer within 150 ms',
    });
    receiver.answer = () => (response) => {
      response.writeHead(200);
      const more = () => {
        while (response.writable && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    };
    expect(await open({ timeoutMs: 60_000 }).send(message)).toMatchObject({ ok: true, status: 200 });
  });

  it('that does not reach the receiver says so', async () => {
    await receiver.leave();
    expect(await open().send(message)).toMatchObject({
      ok: false,
      away: true,
      error: expect.stringContaining('refused'),
    });
    const unknown = open({
      resolve: async () => {
        throw Object.assign(new Error('x'), { code: 'ENOTFOUND' });
      },
    });
    const error = 'the name hooks.example cannot be resolved (ENOTFOUND)';
    expect(await unknown.send(message)).toMatchObject({ ok: false, away: true, error });
    const hangs = open({ timeoutMs: 50, resolve: () => new Promise(() => undefined) });
    expect(await hangs.send(message)).toMatchObject({ ok: false, away: true });
  });
});

describe('the name of a receiver', () => {
  it('is resolved and checked at each delivery, and only what was checked is connected to', async () => {
    let leads = loopback;
    const sender = open({ resolve: async () => leads });
    expect(await sender.send(message)).toMatchObject({ ok: true });
    // The connection of the first one is still open.
    leads = [...loopback, { address: '169.254.169.254', family: 4 }];
    expect(await sender.send(message)).toMatchObject({
      ok: false,
      away: true,
      error: 'hooks.example is 169.254.169.254, which is not an address of a receiver',
    });
    expect(receiver.requests).toBe(1);
    leads = loopback;
    expect(await sender.send(message)).toMatchObject({ ok: true });
  });

  it.each([
    ['127.0.0.1', 4],
    ['10.1.2.3', 4],
    ['::1', 6],
    ['::ffff:127.0.0.1', 6],
    ['fd00::1', 6],
  ])('may not lead to a private network unless that is allowed: %s', async (address, family) => {
    const sender = open({ allowPrivate: false, resolve: async () => [{ address, family }] });
    expect(await sender.send(message)).toMatchObject({
      ok: false,
      away: true,
      error: expect.stringContaining('private network'),
    });
    const literal = family === 6 ? `[${address}]` : address;
    const direct = open({ allowPrivate: false, url: `http://${literal}:${receiver.port}/` });
    expect(await direct.send(message)).toMatchObject({
      ok: false,
      error: expect.stringContaining('private network'),
    });
    expect(receiver.requests).toBe(0);
  });

  it('is the one that TLS asks for, wherever it leads', async () => {
    const certificate = selfSigned();
    const secure = await startReceiver(certificate);
    try {
      const tls = { ca: certificate.cert };
      const right = open({ url: `https://localhost:${secure.port}/`, tls });
      expect(await right.send(message)).toMatchObject({ ok: true });
      const other = open({ url: `https://hooks.example:${secure.port}/`, tls });
      expect(await other.send(message)).toMatchObject({
        ok: false,
        error: expect.stringContaining('no trusted TLS'),
      });
      const untrusted = open({ url: `https://localhost:${secure.port}/` });
      expect(await untrusted.send(message)).toMatchObject({
        ok: false,
        error: expect.stringContaining('no trusted TLS'),
      });
      expect(secure.requests).toBe(1);
    } finally {
      await secure.leave();
    }
  });
});
