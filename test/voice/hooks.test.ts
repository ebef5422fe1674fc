import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type HookKeys, readHook } from '../../src/voice/hooks.ts';
import { describeService, serviceNames } from '../../src/voice/load-service.ts';

const key = 'what-the-service-signs-with';
const now = Date.parse('2026-11-25T10:00:00Z');
const hmac = (bytes: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', key).update(bytes).digest(encoding);

/** Each as its vendor writes it. */
const signed: Record<string, (body: string, at: number) => Record<string, string>> = {
  retell: (body, at) => ({ 'x-retell-signature': `v=${at},d=${hmac(`${body}${at}`)}` }),
  elevenlabs: (body, at) => {
    const seconds = Math.floor(at / 1_000);
    return { 'elevenlabs-signature': `t=${seconds},v0=${hmac(`${seconds}.${body}`)}` };
  },
  bland: (body) => ({ 'x-webhook-signature': hmac(body) }),
  ultravox: (body, at) => {
    const time = new Date(at).toISOString();
    return {
      'x-ultravox-webhook-timestamp': time,
      'x-ultravox-webhook-signature': `${'0'.repeat(64)}, ${hmac(`${body}${time}`)}`,
    };
  },
  synthflow: () => ({ http_synthflow_signature: hmac('call-1', 'base64') }),
};
const bodies: Record<string, unknown> = {
  retell: { event: 'call_ended', call: { call_id: 'call-1' } },
  elevenlabs: { type: 'post_call_transcription', data: { conversation_id: 'call-1' } },
  bland: { call_id: 'call-1', completed: true },
  ultravox: { event: 'call.ended', call: { callId: 'call-1' } },
  synthflow: { status: 'completed', call: { call_id: 'call-1' } },
  vapi: { message: { type: 'end-of-call-report', call: { id: 'call-1' } } },
  bolna: { id: 'call-1', status: 'completed' },
  dograh: { workflow_run_id: 71 },
  standard: { call: { id: 'call-1' } },
};
const keyed: HookKeys = { set: key, apiKeys: [] };

function read(service: string, { at = now, headers = {} as Record<string, string>, keys = keyed, add = '' }) {
  const text = JSON.stringify(bodies[service]);
  const hook = {
    body: bodies[service],
    bytes: Buffer.from(text + add),
    headers: { ...signed[service]?.(text, at), ...headers },
  };
  return readHook(describeService(service), hook, keys, now);
}

it.each(serviceNames())('a webhook of %s names the call that it is about', (service) => {
  expect(read(service, {}).id).toBe(service === 'dograh' ? '71' : 'call-1');
});

describe.each(Object.keys(signed))('a webhook of %s', (service) => {
  it('fits the key that the service signs with, and no other', () => {
    expect(read(service, {}).isSigned).toBe(true);
    expect(read(service, { keys: { set: 'another-key', apiKeys: [] } }).isSigned).toBe(false);
    const unsigned = Object.fromEntries(Object.keys(signed[service]!('', now)).map((name) => [name, '']));
    expect(read(service, { headers: unsigned }).isSigned).toBe(false);
  });

  it('is not judged where nobody said what the service signs with', () => {
    expect(read(service, { keys: { set: undefined, apiKeys: [] } }).isSigned).toBeNull();
  });

  it('fits its own bytes only, and only for a while, where the service signs these', () => {
    const { signs } = describeService(service).webhook!.signature!;
    expect(read(service, { add: ' ' }).isSigned).toBe(signs === 'id');
    const isTimed = signs === 'body-time' || signs === 'time-body';
    expect(read(service, { at: now - 45 * 60_000 }).isSigned).toBe(!isTimed);
  });
});

it('a service that signs with its API key is checked with each of them', () => {
  const apiKeys = { set: undefined, apiKeys: ['spare-key', key] };
  expect(read('retell', { keys: apiKeys }).isSigned).toBe(true);
  expect(read('bland', { keys: apiKeys }).isSigned).toBeNull();
});

it('a webhook that its service does not sign is a hint all the same', () => {
  for (const service of ['vapi', 'bolna', 'dograh', 'standard'])
    expect(read(service, {}).isSigned).toBeNull();
});
