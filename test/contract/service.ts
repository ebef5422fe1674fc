import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVoiceClient, type VoiceClient } from '../../src/voice/client.ts';

/** The duties on the wire of every service that we test against; run once for each. */
export type Ground = { url: string; close(): Promise<unknown> };

/** `rate` requests a minute for each key, counted in one window; calls end `speed` times as soon. */
export type Wish = { keys: string[]; perMinute: number | null; speed: number };

const person = { agentId: 'agent-1', phone: '+14155550123', name: 'Ada' };

export function serviceContract(name: string, prepare: (wish: Wish) => Promise<Ground>): void {
  describe(`${name} speaks the interface`, () => {
    const opened: { close(): Promise<unknown> }[] = [];
    let ground: Ground;
    let client: VoiceClient;

    const open = async (wish: Partial<Wish> = {}) => {
      ground = await prepare({ keys: ['secret', 'other'], perMinute: null, speed: 1_000, ...wish });
      opened.push(ground);
      client = ask('secret');
    };
    const ask = (key: string, auth: 'bearer' | 'x-api-key' = 'bearer') => {
      const made = createVoiceClient({ baseUrl: ground.url, key, auth });
      opened.push(made);
      return made;
    };
    const post = (body: unknown) =>
      fetch(`${ground.url}/call`, {
        method: 'POST',
        headers: { 'x-api-key': 'secret', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    beforeEach(() => open());
    afterEach(async () => {
      for (const part of opened.splice(0).reverse()) await part.close();
    });

    test('a key is accepted as a bearer token and as a header, and any other is answered 401', async () => {
      for (const auth of ['bearer', 'x-api-key'] as const) {
        expect((await ask('other', auth).create(person)).ok).toBe(true);
        expect(await ask('wrong', auth).create(person)).toMatchObject({ fault: { kind: 'denied' } });
        expect(await ask('wrong', auth).numbers()).toMatchObject({ fault: { status: 401 } });
      }
    });

    test('a call is created, and its record can be read until it has ended', async () => {
      const made = await client.create(person);
      if (!made.ok) throw new Error(made.fault.message);
      expect(made.value).toMatchObject({ phone: person.phone, isFull: false });
      const { id } = made.value;
      await expect
        .poll(async () => {
          const read = await client.get({ id });
          return read.ok && read.value.stage.kind;
        })
        .toBe('ended');
      expect(await client.get({ id })).toMatchObject({
        ok: true,
        value: { id, phone: person.phone, kept: { direction: 'outbound' }, agentId: person.agentId },
      });
    });

    test('an update returns the whole record of the call', async () => {
      await open({ speed: 1 });
      const made = await client.create(person);
      if (!made.ok) throw new Error(made.fault.message);
      const { id } = made.value;
      const hungUp = await client.hangUp({ id });
      expect(hungUp).toMatchObject({ ok: true, value: { id, phone: person.phone } });
      expect(await client.get({ id })).toMatchObject({
        value: { status: 'canceled', stage: { kind: 'ended', outcome: 'canceled' } },
      });
      const updated = await client.update(id, { metadata: { ticket: 'A-17' } });
      expect(updated).toMatchObject({ ok: true, value: { id, kept: { metadata: { ticket: 'A-17' } } } });
    });

    test('a call that does not exist is answered 404', async () => {
      expect(await client.get({ id: 'no-such-call' })).toMatchObject({ fault: { status: 404 } });
      expect(await client.update('no-such-call', {})).toMatchObject({ fault: { status: 404 } });
    });

    test.each([
      ['no agent', { customer: { phone_number: person.phone } }],
      ['no person', { agent_id: 'agent-1' }],
      ['a national phone', { agent_id: 'agent-1', customer: { phone_number: '555-0123' } }],
      ['a bad caller', { agent_id: 'a', customer: { phone_number: person.phone }, from_number: '1' }],
      ['no object', 'words'],
    ])('a create with %s is answered 422 with the place', async (_, body) => {
      const answer = await post(body);
      expect(answer.status).toBe(422);
      const { detail } = (await answer.json()) as { detail: unknown };
      const problem = { loc: expect.arrayContaining(['body']), msg: expect.any(String) };
      expect(detail).toMatchObject([{ ...problem, type: expect.any(String) }]);
    });

    test('the phone numbers are listed page by page, within their bounds', async () => {
      const all = await client.numbers();
      if (!all.ok) throw new Error(all.fault.message);
      const { items } = all.value;
      expect(items.length).toBeGreaterThan(1);
      expect(await client.numbers({ limit: 1, turn: { offset: 1 } })).toMatchObject({
        value: { items: [items[1]] },
      });
      for (const page of [{ limit: 0 }, { limit: 1_001 }, { turn: { offset: -1 } }]) {
        expect(await client.numbers(page)).toMatchObject({ fault: { status: 422 } });
      }
    });

    test('requests past the limit of a key are answered 429, whatever they ask', async () => {
      await open({ perMinute: 3 });
      const made = await client.create(person);
      if (!made.ok) throw new Error(made.fault.message);
      await client.get({ id: made.value.id });
      await client.numbers();
      for (const refused of [client.get({ id: made.value.id }), client.create(person), client.numbers()]) {
        expect(await refused).toMatchObject({ fault: { kind: 'busy', status: 429 } });
      }
      expect((await ask('other').numbers()).ok).toBe(true);
    });
  });
}
