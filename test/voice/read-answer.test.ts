import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ServiceDescription } from '../../src/voice/description.ts';
import { lineOf, transcriptFrom } from '../../src/voice/lists.ts';
import { describeService, serviceNames, standard } from '../../src/voice/load-service.ts';
import { createReader } from '../../src/voice/read-answer.ts';
import { ranges } from '../../src/voice/values.ts';
import { assert, runs } from '../support/property.ts';

const now = Date.parse('2026-03-02T12:00:00Z');
const addressOf = (path: string) => `https://voice.example/v1${path}`;

function readerOf(
  fields: Partial<ServiceDescription['get']['fields']> = {},
  get: Partial<ServiceDescription['get']> = {},
) {
  const service = standard();
  return createReader(
    { ...service, get: { ...service.get, ...get, fields: { ...service.get.fields, ...fields } } },
    addressOf,
  );
}

it('a value that no call can have counts as absent, and is reported once', () => {
  const reported: unknown[] = [];
  const reader = createReader(standard(), addressOf, (...each) => reported.push(each));
  const absurd = {
    cost: 1.3e154,
    duration: '1e400',
    created_at: '99999-01-01T00:00:00Z',
    contact_id: 'a\nb',
    recording_url: 'x'.repeat(4_001),
    metadata: { much: 'x'.repeat(262_144) },
  };
  for (const id of ['c-1', 'c-2']) {
    const call = reader.call({ id, status: 'completed', ...absurd }, '', now)!;
    expect(call.startedAt).toBeNull();
    const absent = { cost: null, duration: null, contact_id: null, recording_url: null, metadata: null };
    expect(call.kept).toMatchObject(absent);
  }
  expect(reported).toEqual(
    expect.arrayContaining([
      ['cost', '1.3e+154'],
      ['duration', 'a text of 5 characters'],
      ['contact_id', 'a text of 3 characters'],
    ]),
  );
  expect(reported).toHaveLength(6);
});

const read = (record: object, fields: Partial<ServiceDescription['get']['fields']> = {}) =>
  readerOf(fields).call({ id: 'c-1', ...record }, '', now)!;

test('a record of the standard interface is read field by field', () => {
  const record = {
    id: 'c-1',
    status: 'completed',
    phone_number: '+14155550123',
    duration: 61.5,
    cost: '0.25',
    transcript: 'Hello.',
    recording_url: 'https://recordings.example/1',
    structured_data: { opt_out: true },
    provider_call_sid: 'CA1',
    direction: 'outbound',
    contact_id: 7,
    metadata: { ticket: 'A-17' },
    org_id: 'org-1',
    agent_id: 'agent-1',
    mood: { warm: true },
    created_at: '2026-03-01T10:00:00+02:00',
    updated_at: '2026-03-01T08:02:00Z',
  };
  expect(readerOf().call(record, '', now)).toEqual({
    id: 'c-1',
    stage: { kind: 'ended', outcome: 'answered' },
    status: 'completed',
    phone: '+14155550123',
    endedReason: null,
    isFinal: true,
    isNewReason: false,
    startedAt: '2026-03-01T08:00:00.000Z',
    endedAt: '2026-03-01T08:02:00.000Z',
    kept: {
      duration: 61.5,
      cost: 0.25,
      currency: null,
      transcript: 'Hello.',
      recording_url: 'https://recordings.example/1',
      structured_data: { opt_out: true },
      provider_call_sid: 'CA1',
      direction: 'outbound',
      contact_id: '7',
      metadata: { ticket: 'A-17' },
    },
    orgId: 'org-1',
    agentId: 'agent-1',
    rest: {
      phone_number: '+14155550123',
      org_id: 'org-1',
      agent_id: 'agent-1',
      mood: { warm: true },
      created_at: '2026-03-01T10:00:00+02:00',
      updated_at: '2026-03-01T08:02:00Z',
    },
    record,
    stamp: null,
  });
});

test.each([null, undefined, 7, 'x', [], [{ id: 'c-1' }], {}, { id: '' }, { id: 1.5 }, { id: {} }])(
  '%j holds no record',
  (body) => {
    expect(readerOf().call(body, '', now)).toBeNull();
    expect(readerOf().placed(body, false)).toBeNull();
  },
);

test('a record may be inside the answer, and its id under one of several names', () => {
  const reader = readerOf({ id: ['/call_id', '/id'] });
  expect(reader.call({ data: { call_id: null, id: 'c-1' } }, '/data', now)).toMatchObject({ id: 'c-1' });
  expect(reader.call({ data: { call_id: 'c-2', id: 'c-1' } }, '/data', now)).toMatchObject({ id: 'c-2' });
  expect(reader.call({ id: 'c-1' }, '/data', now)).toBeNull();
});

describe('the stage of a call', () => {
  const reader = readerOf(
    { ended_reason: '/why' },
    {
      final: { '/analysis': { present: true } },
      rules: [
        { when: { '/status': 'ended', '/why': 'no-slot' }, is: 'no-room' },
        { when: { '/status': 'ended', '/why': '*balance*' }, is: 'no-credit' },
        { when: { '/status': 'ended', '/why': 'busy' }, is: 'busy' },
        { when: { '/status': 'ended', '/why': 'ours' }, is: 'dropped' },
        { when: { '/status': 'ended', '/why': { present: true } }, is: 'failed', unknown: true },
      ],
    },
  );
  const call = (record: object) => reader.call({ id: 'c-1', ...record }, '', now);

  test.each([
    [{ status: 'ringing' }, { kind: 'live' }, false],
    [{ status: 'ended' }, { kind: 'live' }, false],
    [{ status: 'ended', why: 'no_slot' }, { kind: 'undialled', why: 'no-room' }, false],
    [{ status: 'ended', why: 'Balance too low' }, { kind: 'undialled', why: 'no-credit' }, false],
    [{ status: 'ended', why: 'busy' }, { kind: 'ended', outcome: 'busy' }, false],
    [{ status: 'ended', why: 'ours' }, { kind: 'ended', outcome: 'dropped' }, false],
    [{ status: 'ended', why: 'an eclipse' }, { kind: 'ended', outcome: 'failed' }, true],
  ])('of %j is %j', (record, stage, isNewReason) => {
    expect(call(record)).toMatchObject({ stage, isNewReason });
  });

  it('is final only when nothing more is to come', () => {
    expect(call({ status: 'ended', why: 'busy' })).toMatchObject({ isFinal: false, endedReason: 'busy' });
    expect(call({ status: 'ended', analysis: {} })).toMatchObject({ isFinal: true });
  });
});

test('cents become dollars without a long tail, and a currency is told or given', () => {
  const cents = (record: object, currency: 'USD' | null | { at: string }) =>
    read(record, { cost: { at: ['/cents', '/price'], times: 0.01, currency } }).kept;
  expect(cents({ cents: 7 }, 'USD')).toMatchObject({ cost: 0.07, currency: 'USD' });
  expect(cents({ price: '110' }, null)).toMatchObject({ cost: 1.1, currency: null });
  expect(cents({ cents: 29, unit: 'EUR' }, { at: '/unit' })).toMatchObject({ cost: 0.29, currency: 'EUR' });
  expect(cents({ cents: 'free' }, 'USD')).toMatchObject({ cost: null, currency: null });
  expect(read({ ms: 61_500 }, { duration: { at: '/ms', times: 0.001 } }).kept.duration).toBe(61.5);
  expect(read({ ms: 'long' }, { duration: { at: '/ms', times: 0.001 } }).kept.duration).toBeNull();
});

test('an amount that becomes too large to be one is not told', () => {
  expect(read({ c: 1e308 }, { cost: { at: '/c', times: 100, currency: 'USD' } }).kept).toMatchObject({
    cost: null,
    currency: null,
  });
  expect(read({ d: 1e308 }, { duration: { at: '/d', times: 100 } }).kept.duration).toBeNull();
});

test('a duration may be text with its unit', () => {
  expect(read({ duration: '42s' }).kept.duration).toBe(42);
  expect(read({ duration: '1.5' }).kept.duration).toBe(1.5);
  expect(read({ duration: 'PT5M' }).kept.duration).toBeNull();
});

test('words of a service are translated where the description knows them', () => {
  const direction = { at: '/type', map: { outboundPhoneCall: 'outbound' } };
  expect(read({ type: 'outboundPhoneCall' }, { direction }).kept.direction).toBe('outbound');
  expect(read({ type: 'webCall' }, { direction }).kept.direction).toBe('webCall');
  expect(read({ type: 'constructor' }, { direction }).kept.direction).toBe('constructor');
});

describe('of the end and the duration', () => {
  const started = '2026-03-01T08:00:00.000Z';
  const { ended_at: _end, duration: _duration, ...fields } = standard().get.fields;
  const call = (given: object, record: object) =>
    createReader(
      { ...standard(), get: { ...standard().get, fields: { ...fields, ...given } } },
      addressOf,
    ).call({ id: 'c-1', created_at: started, ...record }, '', now)!;

  it('the end follows from the start and the duration where a service tells none', () => {
    const given = { duration: '/duration' };
    expect(call(given, { duration: 61.5 }).endedAt).toBe('2026-03-01T08:01:01.500Z');
    expect(call(given, {}).endedAt).toBeNull();
    expect(call(given, { created_at: 'x', duration: 5 }).endedAt).toBeNull();
    expect(call(given, { duration: 1e300 }).endedAt).toBeNull();
  });

  it('the duration follows from both times where a service tells none', () => {
    const given = { ended_at: '/updated_at' };
    expect(call(given, { updated_at: '2026-03-01T08:01:01Z' }).kept.duration).toBe(61);
    expect(call(given, { updated_at: '2026-03-01T07:59:59Z' }).kept.duration).toBeNull();
    expect(call(given, {}).kept.duration).toBeNull();
  });

  it('nothing is added where the description names both', () => {
    expect(read({ created_at: started, duration: 60 }).endedAt).toBeNull();
    const both = { created_at: started, updated_at: '2026-03-01T08:01:00Z' };
    expect(read(both).kept.duration).toBeNull();
  });
});

describe('a transcript', () => {
  const transcript = { turns: '/turns', who: '/role', says: '/text', names: { bot: 'Agent', tool: '' } };

  it('of turns has a line for each, with the names that the description gives', () => {
    const turns = [
      { role: 'bot', text: 'Hello.' },
      { role: 'user', text: 'Hi.' },
      { role: 'tool', text: '{"looked": "up"}' },
      { text: 'Who?' },
      { role: 'user' },
      { role: 'user', text: 7 },
      null,
      'x',
    ];
    expect(read({ turns }, { transcript }).kept.transcript).toBe('Agent: Hello.\nuser: Hi.\n?: Who?');
  });

  test.each([undefined, null, [], 'Hello.', {}, [{ role: 'user' }]])('of the turns %j is empty', (turns) => {
    expect(read({ turns }, { transcript }).kept.transcript).toBeNull();
  });

  it('is told in the same way where it has a request of its own', () => {
    expect(lineOf({ a: 'x', b: 'y' }, { who: '/a', says: '/b' })).toBe('x: y');
    expect(transcriptFrom([])).toBeNull();
  });

  it('that is too long is cut', () => {
    const { kept } = read({ transcript: 'x'.repeat(300_000) });
    expect(kept.transcript).toMatch(/x … \[cut\]$/);
    expect(kept.transcript!.length).toBeLessThan(262_200);
  });
});

test('a recording may be behind an address below the base', () => {
  const recording_url = { path: '/call/{call}/audio', when: { '/has_audio': true } };
  expect(read({ id: 'a/b', has_audio: true }, { recording_url }).kept.recording_url).toBe(
    'https://voice.example/v1/call/a%2Fb/audio',
  );
  expect(read({ has_audio: false }, { recording_url }).kept.recording_url).toBeNull();
});

test('the rest has what no column has, as much as fits, and nothing is cut', () => {
  const record = {
    first: 'x'.repeat(30_000),
    second: 'y'.repeat(30_000),
    third: ['z'],
    transcript: 'Hello.',
  };
  expect(read(record).rest).toEqual({ first: record.first, third: ['z'] });
  // A field of which only a part is kept is told whole.
  const deep = { at: '/bill/total', currency: null };
  expect(read({ bill: { total: 3, tax: 1 } }, { cost: deep }).rest).toEqual({ bill: { total: 3, tax: 1 } });
});

test('opt-outs are looked for under the names of the standard interface too', () => {
  const { record } = read({ analysis: { data: { dnc: true } } }, { structured_data: '/analysis/data' });
  expect(record).toMatchObject({ structured_data: { dnc: true }, analysis: { data: { dnc: true } } });
});

test('a call that was placed is told by its id, and where the service said how to end it', () => {
  const service = { ...standard(), create: { ...standard().create, handle: '/monitor/url' } };
  const body = { id: 7, status: 'queued', phone_number: 1415, monitor: { url: 'https://voice.example/c' } };
  expect(createReader(service, addressOf).placed(body, true)).toEqual({
    id: '7',
    status: 'queued',
    phone: '1415',
    sid: null,
    handle: 'https://voice.example/c',
    isFull: true,
  });
});

test('a number and an agent are read, without what would let another use them', () => {
  const fields = { id: '/id', name: '/name' };
  const agents = { method: 'GET' as const, path: '/agents', items: '', fields };
  const reader = createReader({ ...standard(), agents }, addressOf);
  const item = {
    id: 'n1',
    phone_number: '+4930123',
    auth_token: 't',
    apiKey: 't',
    credentialId: 't',
    label: 'x',
  };
  expect(reader.number(item)).toEqual({
    id: 'n1',
    phone: '+4930123',
    provider: null,
    record: { id: 'n1', phone_number: '+4930123', label: 'x' },
  });
  for (const other of [{ id: 'n1' }, { phone_number: '+4930123' }, null, 'x', []])
    expect(reader.number(other)).toBeNull();
  expect(reader.agent({ id: 'a1', name: 'Spring' })).toEqual({ id: 'a1', name: 'Spring', ref: null });
  expect(reader.agent({ name: 'Spring' })).toBeNull();
  expect(createReader(standard(), addressOf).agent({ id: 'a1' })).toBeNull();
});

describe('whatever a service answers', () => {
  const odd = [
    '\0',
    '\ud800',
    '',
    '2026-01-01',
    '+275760-01-01T00:00:00Z',
    '42s',
    'ended',
    'completed',
    '-1',
  ];
  const text = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'binary', maxLength: 20 }));
  const numbers = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(1e308, -1e308, 2 ** 53, 1_767_225_600));
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      text,
      numbers,
      fc.constant(null),
      fc.boolean(),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'id')), tie('json'), {
        maxKeys: 4,
      }),
    ),
  }));

  /** A body with the very fields that a description names, and something odd in each. */
  const bodyOf = (service: ServiceDescription) => {
    const pointers = [...JSON.stringify(service.get).matchAll(/"(\/[\w/*-]+)"/g)].map(([, at]) =>
      at!.slice(1),
    );
    return fc.tuple(fc.dictionary(fc.constantFrom(...pointers), json), json).map(([fields, other]) => {
      const body: Record<string, unknown> = {};
      for (const [pointer, value] of Object.entries(fields)) {
        let at = body;
        const names = pointer.split('/');
        const last = names.pop()!;
        for (const name of names) {
          if (typeof at[name] !== 'object' || at[name] === null) at[name] = {};
          at = at[name] as Record<string, unknown>;
        }
        at[last] = value;
      }
      return { id: 'c-1', ...body, other };
    });
  };

  function canBeStored(value: unknown): void {
    const written = JSON.stringify(value);
    expect(written).not.toMatch(/\\u0000/);
    expect(written).not.toMatch(/\\ud[89a-f]/i);
    expect(written.isWellFormed()).toBe(true);
  }

  it.each(serviceNames())('as a record of %s never throws, and what was read can be stored', (name) => {
    const service = describeService(name);
    const reader = createReader(service, addressOf);
    assert(
      fc.property(fc.oneof(json, bodyOf(service)), (body) => {
        for (const at of ['', service.get.record]) {
          const call = reader.call(body, at, now);
          reader.placed(body, false);
          reader.number(body);
          reader.agent(body);
          if (!call) continue;
          canBeStored(call);
          expect(call.id).not.toBe('');
          for (const time of [call.startedAt, call.endedAt])
            if (time !== null) expect(Math.abs(Date.parse(time) - now)).toBeLessThanOrEqual(31 * 86_400_000);
          for (const [name, { most }] of Object.entries(ranges)) {
            const amount = call.kept[name as 'cost'] ?? 0;
            expect(amount === 0 || (amount >= 1e-9 && amount <= most)).toBe(true);
          }
          const { transcript, recording_url, direction, currency } = call.kept;
          for (const [text, most] of [
            [transcript, 262_152],
            [recording_url, 4_000],
            [call.endedReason, 2_008],
            [direction, 308],
            [call.status, 308],
            [currency, 30],
          ] as const)
            expect((text ?? '').length).toBeLessThanOrEqual(most);
          expect(JSON.stringify(call.rest).length).toBeLessThan(34_000);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
