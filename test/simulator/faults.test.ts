import { connect } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFaults, type FaultRule } from '../../simulator/faults.ts';
import { type Client, createHandClock, openSimulator } from './support.ts';

const clock = createHandClock();
let sim: Client;

beforeEach(async () => {
  sim = await openSimulator({ endings: { '1': 'answered', '2': 'busy' } });
});

const lastEntry = () => [...sim.journal()].at(-1);

/** A create whose client may leave before its answer. */
const post = (signal: AbortSignal) =>
  fetch(`${sim.url}/call`, {
    method: 'POST',
    headers: { 'x-api-key': 'secret', 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: 'a', customer: { phone_number: '+14155550101' } }),
    signal,
  });

describe('a struck create', () => {
  test.each([
    [{ kind: 'error' }, 500, 0],
    [{ kind: 'error', when: 'after' }, 500, 1],
    [{ kind: 'error', status: 503 }, 503, 0],
    [{ kind: 'html' }, 502, 0],
    [{ kind: 'html', when: 'after', status: 504 }, 504, 1],
    [{ kind: 'redirect' }, 307, 0],
    [{ kind: 'redirect', status: 301, when: 'after' }, 301, 1],
    [{ kind: 'broken-json' }, 200, 1],
    [{ kind: 'slow', ms: 40 }, 201, 1],
    [{ kind: 'hang', ms: 40 }, 201, 1],
    [{ kind: 'revoke' }, 401, 0],
  ] as [FaultRule, number, number][])(
    'by %j is answered %i and makes %i calls',
    async (rule, status, created) => {
      sim.control({ faults: [{ ...rule, next: 1 }] });
      const answer = await sim.call('+14155550101');
      expect(answer.status).toBe(status);
      expect(sim.state().created).toBe(created);
      const entry = lastEntry();
      expect(entry).toMatchObject({ answer: status, fault: rule.kind, phone: '+14155550101' });
      expect(entry?.call !== null).toBe(created === 1);
      if (rule.kind === 'html') expect(answer.headers.get('content-type')).toBe('text/html');
      if (rule.kind === 'redirect') expect(answer.headers.get('location')).toBe('/v1/call');
      if (rule.kind === 'broken-json') expect(answer.json).toBeUndefined();
      if (rule.kind === 'slow' || rule.kind === 'hang') expect(answer.json.id).toBe(entry?.call);
      const next = await sim.call('+14155550102');
      expect(next.status).toBe(rule.kind === 'revoke' ? 401 : 201);
    },
  );

  test.each([
    ['after', 1],
    ['before', 0],
  ] as const)('by a reset %s makes %i calls', async (when, created) => {
    sim.control({ faults: [{ kind: 'reset', when, next: 1 }] });
    await expect(sim.call('+14155550101')).rejects.toThrow();
    expect(sim.state()).toMatchObject({ created, answers: { reset: 1 } });
    expect(lastEntry()).toMatchObject({ answer: 'reset', phone: '+14155550101' });
  });

  test.each([
    ['after', 1],
    ['before', 0],
  ] as const)('by a hang %s never gets an answer and makes %i calls', async (when, created) => {
    sim.control({ faults: [{ kind: 'hang', when }] });
    const leave = new AbortController();
    const asked = expect(post(leave.signal)).rejects.toThrow();
    await expect.poll(() => sim.state()).toMatchObject({ created, answers: { hang: 1 } });
    leave.abort();
    await asked;
    expect(sim.state()).toMatchObject({ created, answers: { hang: 1 } });
  });
});

describe('a struck call', () => {
  test('may never end', async () => {
    const other = await openSimulator({ endings: { '1': 'answered', '2': 'busy' } }, clock);
    other.control({ faults: [{ kind: 'endless', next: 2 }] });
    const talk = await other.call('+14155550101');
    const ring = await other.call('+14155550102');
    clock.pass(86_400_000);
    expect((await other.look(talk.json.id)).json).toMatchObject({ status: 'in-progress', cost: null });
    expect((await other.look(ring.json.id)).json.status).toBe('ringing');
    expect(other.state().inFlight).toBe(2);
    await other.ask('PATCH', `/call/${talk.json.id}`, { status: 'canceled' });
    expect(other.state().inFlight).toBe(1);
  });

  test('may get its transcript only after its end', async () => {
    const other = await openSimulator({ endings: { '1': 'answered' } }, clock);
    other.control({ faults: [{ kind: 'late-transcript', ms: 3_600_000 }] });
    const { json } = await other.call('+14155550101');
    clock.pass(1_900_000);
    const early = (await other.look(json.id)).json;
    expect(early).toMatchObject({ status: 'completed', transcript: null, recording_url: null });
    expect(early.cost).toBeGreaterThan(0);
    clock.pass(3_600_000);
    const late = (await other.look(json.id)).json;
    expect(late.transcript).toContain('Agent:');
    expect(Date.parse(late.updated_at)).toBeGreaterThan(Date.parse(early.updated_at));
  });
});

test('a call may have its cost only after its end, and the rest of its record with it', async () => {
  const other = await openSimulator({ endings: { '1': 'answered' } }, clock);
  other.control({ faults: [{ kind: 'late-record', ms: 3_600_000 }] });
  const { json } = await other.call('+14155550101');
  clock.pass(1_900_000);
  expect((await other.look(json.id)).json).toMatchObject({
    status: 'completed',
    cost: null,
    transcript: null,
  });
  clock.pass(3_600_000);
  const late = (await other.look(json.id)).json;
  expect(late.cost).toBeGreaterThan(0);
  expect(late.transcript).toContain('Agent:');
});

describe('an answer that is about something else', () => {
  test.each(['odd-status', 'other-id', 'other-phone'] as const)('%s replaces one field', async (kind) => {
    const { json: made } = await sim.call('+14155550101');
    const sound = (await sim.look(made.id)).json;
    sim.control({ faults: [{ kind, on: 'get' }] });
    const { status, json } = await sim.look(made.id);
    expect(status).toBe(200);
    const field = { 'odd-status': 'status', 'other-id': 'id', 'other-phone': 'phone_number' }[kind];
    expect(json[field]).not.toEqual(sound[field]);
    expect({ ...json, [field]: sound[field] }).toEqual(sound);
  });

  test('absurd leaves the id and the status, and nothing else that a call can have', async () => {
    const { json: made } = await sim.call('+14155550101');
    const sound = (await sim.look(made.id)).json;
    sim.control({ faults: [{ kind: 'absurd', on: 'all' }] });
    const seen = new Set<unknown>();
    for (let look = 0; look < 3; look += 1) {
      const { json } = await sim.look(made.id);
      expect([json.id, json.status]).toEqual([sound.id, sound.status]);
      expect(json.phone_number).not.toBe(sound.phone_number);
      seen.add(json.cost).add(json.duration);
    }
    expect(seen).not.toContain(sound.cost);
  });

  test('same-id names the first call that was made, and makes one all the same', async () => {
    const first = (await sim.call('+14155550101')).json.id;
    const before = sim.state().created;
    sim.control({ faults: [{ kind: 'same-id' }] });
    const second = await sim.call('+14155550102');
    expect(second.json).toMatchObject({ id: first, phone_number: '+14155550102' });
    expect(sim.state().created).toBe(before + 1);
  });
});

describe('a fault', () => {
  test('strikes the operations that it names, or all of them', async () => {
    const { json } = await sim.call('+14155550101');
    const asks = {
      create: () => sim.call('+14155550101'),
      get: () => sim.look(json.id),
      update: () => sim.ask('PATCH', `/call/${json.id}`, {}),
      list: () => sim.ask('GET', '/phone-number'),
    };
    for (const on of ['create', 'get', 'update', 'list', 'all'] as const) {
      sim.control({ faults: [{ kind: 'error', on }] });
      for (const [name, ask] of Object.entries(asks)) {
        const struck = on === 'all' || on === name;
        expect((await ask()).status >= 500, `${on} ${name}`).toBe(struck);
      }
    }
  });

  test('strikes exactly the listed requests and phones', async () => {
    sim.control({ faults: [{ kind: 'error', at: [2, 4], phone: '7' }] });
    const statuses: number[] = [];
    for (const phone of ['7', '8', '7', '7', '8', '7', '7']) {
      statuses.push((await sim.call(`+1415555010${phone}`)).status);
    }
    expect(statuses).toEqual([201, 201, 500, 201, 201, 500, 201]);
    expect(sim.state().faults).toMatchObject([{ seen: 5, struck: 2 }]);
  });

  test('does not count requests that are refused anyway', async () => {
    sim.control({ faults: [{ kind: 'error', next: 1 }] });
    expect((await sim.call('bad')).status).toBe(422);
    expect((await sim.call('+14155550101')).status).toBe(500);
    expect((await sim.call('+14155550101')).status).toBe(201);
  });

  test('with a probability strikes about that often, and the same requests for the same seed', () => {
    const run = (seed: number) => {
      const faults = createFaults(seed, [{ kind: 'reset', probability: 0.2 }]);
      return Array.from({ length: 5000 }, () => faults.strike('create', '+14155550101') !== undefined);
    };
    expect(run(4)).toEqual(run(4));
    expect(run(4)).not.toEqual(run(5));
    const share = run(4).filter(Boolean).length / 5000;
    expect(Math.abs(share - 0.2)).toBeLessThan(0.02);
  });

  test('can be added without changing the others', async () => {
    sim.control({ faults: [{ kind: 'error', next: 1 }] });
    sim.control({ addFaults: [{ kind: 'html', next: 1 }] });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await sim.call('+14155550101')).status);
    expect(statuses).toEqual([500, 502, 201]);
  });
});

test('an answer waits as long as the latency', async () => {
  sim.control({ latencyMs: [60, 80] });
  const before = performance.now();
  expect((await sim.call('+14155550101')).status).toBe(201);
  expect(performance.now() - before).toBeGreaterThan(55);
});

test('a client that leaves before its answer is recorded as gone, and its call was made', async () => {
  sim.control({ latencyMs: 600_000 });
  const leave = new AbortController();
  const asked = expect(post(leave.signal)).rejects.toThrow();
  await expect.poll(() => sim.state().created).toBe(1);
  leave.abort();
  await asked;
  await expect.poll(() => sim.state().answers.gone).toBe(1);
  expect(sim.state().created).toBe(1);
});

test('an idle connection is closed after the configured time', async () => {
  const order: string[] = [];
  const idle = async (name: string, keepAliveMs: number) => {
    const other = await openSimulator({ keepAliveMs });
    const socket = connect(other.port, '127.0.0.1');
    const ended = new Promise((resolve) => socket.once('end', resolve)).then(() => order.push(name));
    socket.write('GET /v1/phone-number HTTP/1.1\r\nHost: x\r\nX-API-Key: k\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.resume();
    return { ended, close: () => other.close().then(() => socket.destroy()) };
  };
  const patient = await idle('patient', 4_000);
  const brief = await idle('brief', 50);
  await Promise.all([patient.ended, brief.ended]);
  expect(order).toEqual(['brief', 'patient']);
  await patient.close();
  await brief.close();
});
