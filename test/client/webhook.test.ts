import { describe, expect, it } from 'vitest';
import { CarillonWebhookError, verifyWebhook } from '../../src/client/index.ts';
import { makeSecret, signedHeaders } from '../../src/control/webhooks/send.ts';

/** A receiver's check of what Carillon's own sender signs. */
const secret = makeSecret();
const at = Date.parse('2026-11-26T12:00:00Z');
const body = JSON.stringify({
  id: 'evt_1',
  type: 'recipient.done',
  at: '2026-11-26T12:00:00Z',
  data: { name: 'Änne' },
});
const headers = signedHeaders(secret, 'evt_1', body, at);
const delivery = { body, headers, secret, now: () => at };

const codeOf = async (given: Partial<typeof delivery>) =>
  verifyWebhook({ ...delivery, ...given }).then(
    () => null,
    (error) => (error instanceof CarillonWebhookError ? error.code : error),
  );

describe('verifyWebhook', () => {
  it('answers the event of a genuine delivery, in every form that a server has it', async () => {
    const event = JSON.parse(body);
    expect(await verifyWebhook(delivery)).toEqual(event);
    const bytes = new TextEncoder().encode(body);
    expect(await verifyWebhook({ ...delivery, body: bytes, headers: new Headers(headers) })).toEqual(event);
    const shouted = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    expect(await verifyWebhook({ ...delivery, headers: shouted })).toEqual(event);
  });

  it('takes one of several signatures and of several secrets', async () => {
    const other = makeSecret();
    const older = signedHeaders(other, 'evt_1', body, at)['webhook-signature'];
    const both = { ...headers, 'webhook-signature': `v1a,abc ${older} ${headers['webhook-signature']}` };
    expect(await codeOf({ headers: both })).toBeNull();
    await expect(verifyWebhook({ ...delivery, secret: [other, secret] })).resolves.toBeTruthy();
  });

  it('refuses another body, id, time, secret and version, a damaged signature, and an old or early delivery', async () => {
    const changed = (name: string, value: string) => codeOf({ headers: { ...headers, [name]: value } });
    expect(await codeOf({ body: body.replace('Änne', 'Anne') })).toBe('signature');
    expect(await codeOf({ secret: makeSecret() })).toBe('signature');
    expect(await changed('webhook-id', 'evt_2')).toBe('signature');
    expect(await changed('webhook-timestamp', String(at / 1_000 + 1))).toBe('signature');
    expect(await changed('webhook-signature', 'v1,???')).toBe('signature');
    expect(await changed('webhook-signature', headers['webhook-signature']!.replace('v1,', 'v2,'))).toBe(
      'signature',
    );
    expect(await changed('webhook-signature', '')).toBe('headers');
    for (const now of [at + 301_000, at - 301_000])
      expect(await codeOf({ now: () => now })).toBe('timestamp');
    expect(await codeOf({ now: () => at + 299_000 })).toBeNull();
    expect(await codeOf({ secret: 'whsec_' })).toBeInstanceOf(TypeError);
  });
});
