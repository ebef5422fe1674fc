/** The facts that the tests of all services share. A speech tells how one service is asked and how it answers. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type FaultRule, operations } from '../../simulator/faults.ts';
import type { SimulatorOptions } from '../../simulator/options.ts';
import type { ServiceName } from '../../simulator/settings.ts';
import { type Form, misfits } from './forms.ts';
import { type Answered, type Client, createHandClock, type HandClock, openSimulator } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
type Json = any;
export type Ask = { method: 'GET' | 'POST'; path: string; body?: Json };

export const phones = {
  answered: '+14155550101',
  'no-answer': '+14155550102',
  voicemail: '+14155550108',
  /** One with an odd last digit. */
  machine: '+14155550103',
  busy: '+14155550104',
  invalid: '+14155550105',
  failed: '+14155550106',
  dropped: '+14155550107',
} as const;
const endings = {
  '1': 'answered',
  '2': 'no-answer',
  '3': 'voicemail',
  '4': 'busy',
  '5': 'invalid',
  '6': 'failed',
  '7': 'dropped',
  '8': 'voicemail',
} as const;

export type Fates = Exclude<keyof typeof phones, 'machine'>;

export type Speech = {
  service: ServiceName;
  base: string;
  key(secret: string): Record<string, string>;
  create(phone: string, stamp: string): { path: string; body: Json };
  /** The status of a successful create. */
  success: number;
  created: Form;
  id(created: Json): string;
  get(id: string): string;
  record: Form;
  phoneOf(record: Json): string;
  /** A call's state as the record says it, in one word or a few. */
  said(record: Json): string;
  live: { queued: string; ringing: string; talking: string };
  ended: Partial<Record<Fates, string>>;
  /** How the list is asked for one call, and what its items are called. */
  calls(stamp: string, phone: string, since: number): Ask;
  items(json: Json): Json[];
  itemId(item: Json): string;
  item: Form;
  numbers?: { ask: Ask; list(json: Json): Json[]; form: Form };
  agents: { ask: Ask; list(json: Json): Json[]; form: Form };
  statuses: { badKey: number; noKey?: number; badBody: number; badJson?: number; unknownCall: number };
  /** Fields of the right name and a wrong kind, by where they stand. */
  wrong: readonly [what: string, change: (body: Json) => void][];
  required: readonly string[];
  /** The form of every refusal. */
  error(answer: Answered): string[];
  unknownId: string;
};

export type Service = Client & {
  clock: HandClock;
  send(ask: Ask, secret?: string): Promise<Answered>;
  dial(phone: string, stamp?: string): Promise<Answered>;
  read(id: string): Promise<Answered>;
  find(stamp: string, phone: string): Promise<Json[]>;
};

export async function openService(speech: Speech, options: SimulatorOptions = {}): Promise<Service> {
  const clock = createHandClock();
  const simulator = await openSimulator({ service: speech.service, endings, ...options }, clock);
  const since = clock.now() - 1000;
  const send: Service['send'] = ({ method, path, body }, secret = 'secret') =>
    simulator.ask(method, path, body, speech.key(secret));
  return {
    ...simulator,
    clock,
    send,
    dial: (phone, stamp = 'att_1') => send({ method: 'POST', ...speech.create(phone, stamp) }),
    read: (id) => send({ method: 'GET', path: speech.get(id) }),
    find: async (stamp, phone) => speech.items((await send(speech.calls(stamp, phone, since))).json),
  };
}

/** The facts that hold for each of them. */
export function holdFacts(speech: Speech, options: SimulatorOptions = {}): void {
  describe(`${speech.service}, like each service`, () => holdThem(speech, options));
}

function holdThem(speech: Speech, options: SimulatorOptions): void {
  let sim: Service;
  beforeEach(async () => {
    sim = await openService(speech, { keys: ['secret'], ...options });
  });

  describe('a call', () => {
    test('is created with the published fields, and its record has only published ones', async () => {
      const { status, json } = await sim.dial(phones.answered);
      expect(status).toBe(speech.success);
      expect(misfits(json, speech.created)).toEqual([]);
      for (const ms of [0, 1500, 1_900_000, 600_000]) {
        sim.clock.pass(ms);
        const record = await sim.read(speech.id(json));
        expect(record.status).toBe(200);
        expect(misfits(record.json, speech.record)).toEqual([]);
        expect(speech.phoneOf(record.json)).toBe(phones.answered);
      }
    });

    test('goes through the published live states', async () => {
      const id = speech.id((await sim.dial(phones.answered)).json);
      expect(speech.said((await sim.read(id)).json)).toBe(speech.live.queued);
      sim.clock.pass(1300);
      expect(speech.said((await sim.read(id)).json)).toBe(speech.live.ringing);
      const seen = new Set<string>();
      for (let second = 0; second < 30; second++) {
        sim.clock.pass(1000);
        seen.add(speech.said((await sim.read(id)).json));
      }
      expect(seen).toContain(speech.live.talking);
    });

    test.each(Object.entries(speech.ended))('that ends as %s is said to be %s', async (fate, word) => {
      const { json } = await sim.dial(phones[fate as Fates]);
      sim.clock.pass(2_500_000);
      const { json: record } = await sim.read(speech.id(json));
      expect(misfits(record, speech.record)).toEqual([]);
      expect(speech.said(record)).toBe(word);
    });

    test('that does not exist is answered as published', async () => {
      const answer = await sim.read(speech.unknownId);
      expect(answer.status).toBe(speech.statuses.unknownCall);
      expect(speech.error(answer)).toEqual([]);
    });

    test('is found in the list, after the lag that was set', async () => {
      sim.control({ listLagMs: 5000 });
      const { json } = await sim.dial(phones.answered, 'att_9');
      await sim.dial(phones['no-answer'], 'att_10');
      expect(await sim.find('att_9', phones.answered)).toEqual([]);
      sim.clock.pass(6000);
      const items = await sim.find('att_9', phones.answered);
      expect(items.map((item) => speech.itemId(item))).toContain(speech.id(json));
      for (const item of items) expect(misfits(item, speech.item)).toEqual([]);
    });

    test('is noted in the journal with its phone, its id and its stamp', async () => {
      const { json } = await sim.dial(phones.answered, 'att_7');
      const [entry] = [...sim.journal()];
      expect(entry).toMatchObject({ phone: phones.answered, stamp: 'att_7', answer: speech.success });
      expect(entry?.call).toBe(speech.id(json));
      sim.clock.pass(60_000);
      expect([...sim.calls()]).toMatchObject([{ phone: phones.answered, stamp: 'att_7', rang: true }]);
    });
  });

  describe('refuses', () => {
    test('a wrong key and a missing one', async () => {
      for (const secret of ['wrong', '']) {
        const answer = await sim.send({ method: 'GET', path: speech.get(speech.unknownId) }, secret);
        const { badKey, noKey = badKey } = speech.statuses;
        expect(answer.status).toBe(secret === '' ? noKey : badKey);
        expect(speech.error(answer)).toEqual([]);
      }
    });

    const refuses = async (change: (body: Json) => void) => {
      const { path, body } = speech.create(phones.answered, 'att_1');
      change(body);
      const answer = await sim.send({ method: 'POST', path, body });
      expect(answer.status).toBe(speech.statuses.badBody);
      expect(speech.error(answer)).toEqual([]);
      expect(sim.state().created).toBe(0);
    };

    test('a field that is not published, and takes it when it is not strict', async () => {
      await refuses((body) => Object.assign(body, { surprise: 1 }));
      const lenient = await openService(speech, { ...options, strict: false });
      const { path, body } = speech.create(phones.answered, 'att_1');
      const answer = await lenient.send({ method: 'POST', path, body: { ...body, surprise: 1 } });
      expect(answer.status).toBe(speech.success);
    });

    test.each(speech.wrong)('%s', async (_, change) => {
      await refuses(change);
    });

    test.each(speech.required)('a create without %s', async (field) => {
      await refuses((body) => delete body[field]);
    });

    test('a body that is not JSON', async () => {
      const { path } = speech.create(phones.answered, 'att_1');
      const answer = await sim.send({ method: 'POST', path, body: '{"a": ' });
      expect(answer.status).toBe(speech.statuses.badJson ?? speech.statuses.badBody);
      expect(speech.error(answer)).toEqual([]);
    });

    test('a path that it does not have', async () => {
      expect((await sim.send({ method: 'GET', path: '/nothing/here' })).status).toBe(404);
    });

    test('requests above its rate', async () => {
      sim.control({ rate: 1, burst: 1 });
      expect((await sim.read(speech.unknownId)).status).toBe(speech.statuses.unknownCall);
      const answer = await sim.read(speech.unknownId);
      expect(answer.status).toBe(429);
      expect(speech.error(answer)).toEqual([]);
    });
  });

  test('faults strike each operation', async () => {
    const { json } = await sim.dial(phones.answered);
    const id = speech.id(json);
    const asks = {
      create: () => {
        // Some services refuse two calls to a number within seconds.
        sim.clock.pass(11_000);
        return sim.dial(phones.busy);
      },
      get: () => sim.read(id),
      list: () => sim.send((speech.numbers ?? speech.agents).ask),
      calls: () => sim.send(speech.calls('att_1', phones.answered, sim.clock.now() - 60_000)),
    };
    for (const on of operations.filter((one) => one !== 'update')) {
      sim.control({ faults: [{ kind: 'error', on, status: 503 }] });
      for (const [name, ask] of Object.entries(asks)) {
        const answer = await ask();
        expect(answer.status, `${on} ${name}`).toBe(
          on === name ? 503 : name === 'create' ? speech.success : 200,
        );
        if (on === name) expect(speech.error(answer)).toEqual([]);
      }
    }
  });

  test.each([
    [{ kind: 'error', when: 'before' }, 500, 0],
    [{ kind: 'error', when: 'after' }, 500, 1],
    [{ kind: 'html' }, 502, 0],
    [{ kind: 'redirect' }, 307, 0],
    [{ kind: 'broken-json' }, 200, 1],
    [{ kind: 'odd-status' }, speech.success, 1],
    [{ kind: 'other-id' }, speech.success, 1],
    [{ kind: 'slow', ms: 5 }, speech.success, 1],
    [{ kind: 'reset', when: 'before' }, 0, 0],
    [{ kind: 'reset' }, 0, 1],
    [{ kind: 'cut' }, 0, 1],
  ] as [FaultRule, number, number][])(
    'a create that is struck by %j is answered %i and makes %i calls',
    async (rule, status, created) => {
      sim.control({ faults: [{ ...rule, next: 1 }] });
      const answer = await sim.dial(phones.answered, 'att_5').catch(() => ({ status: 0 }));
      expect(answer.status).toBe(status);
      expect([...sim.calls()].map(({ stamp }) => stamp)).toEqual(created === 1 ? ['att_5'] : []);
      // An answer that was lost leaves a call that the list has.
      expect(await sim.find('att_5', phones.answered)).toHaveLength(created);
    },
  );

  test('answers can be about another call', async () => {
    const first = speech.id((await sim.dial(phones.answered)).json);
    sim.control({ faults: [{ kind: 'same-id' }] });
    const again = (await sim.dial(phones.busy)).json;
    expect(misfits(again, speech.created)).toEqual([]);
    expect(speech.id(again)).toBe(first);
    sim.control({ faults: [{ kind: 'other-phone', on: 'get' }] });
    expect(speech.phoneOf((await sim.read(first)).json)).not.toBe(phones.answered);
  });

  test('numbers and agents are listed', async () => {
    expect(sim.url).toBe(`${sim.origin}${speech.base}`);
    for (const part of [speech.numbers, speech.agents]) {
      if (!part) continue;
      const answer = await sim.send(part.ask);
      expect(answer.status).toBe(200);
      const list = part.list(answer.json);
      expect(list.length).toBeGreaterThan(2);
      for (const one of list) expect(misfits(one, part.form)).toEqual([]);
    }
  });
}
