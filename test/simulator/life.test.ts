import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, createHandClock, type HandClock, openSimulator } from './support.ts';

let clock: HandClock;
let sim: Client;
const endings = {
  '1': 'answered',
  '2': 'no-answer',
  '3': 'voicemail',
  '4': 'busy',
  '5': 'invalid',
  '6': 'failed',
} as const;

beforeEach(async () => {
  clock = createHandClock();
  sim = await openSimulator({ endings }, clock);
});

async function watch(phone: string): Promise<string[]> {
  const { json } = await sim.call(phone, { customer: { phone_number: phone, name: 'Ada' } });
  const seen: string[] = [json.status];
  for (let second = 0; second < 2400; second += 0.25) {
    const { status } = (await sim.look(json.id)).json;
    if (status !== seen.at(-1)) seen.push(status);
    if (!['queued', 'ringing', 'in-progress'].includes(status)) break;
    clock.pass(250);
  }
  return seen;
}

describe('a call', () => {
  test.each([
    ['+14155550101', ['queued', 'ringing', 'in-progress', 'completed']],
    ['+14155550102', ['queued', 'ringing', 'no-answer']],
    ['+14155550103', ['queued', 'ringing', 'in-progress', 'voicemail']],
    ['+14155550104', ['queued', 'ringing', 'busy']],
    ['+14155550105', ['queued', 'failed']],
    ['+14155550106', ['queued', 'ringing', 'failed']],
  ])('to %s goes through %j', async (phone, statuses) => {
    expect(await watch(phone)).toEqual(statuses);
  });

  test('that is answered has all its results at its end, and none before', async () => {
    const { json } = await sim.call('+14155550101', {
      customer: { phone_number: '+14155550101', name: 'Ada' },
    });
    clock.pass(15_300);
    const live = (await sim.look(json.id)).json;
    expect(live).toMatchObject({ status: 'in-progress', transcript: null, cost: null, recording_url: null });
    clock.pass(1_900_000);
    const ended = (await sim.look(json.id)).json;
    expect(ended.status).toBe('completed');
    expect(ended.duration).toBeGreaterThan(0);
    expect(ended.cost).toBeCloseTo(Math.ceil(ended.duration / 60) * 0.08);
    expect(ended.transcript).toContain('Ada');
    expect(ended.structured_data).toHaveProperty('interested');
    expect(ended.recording_url).toContain(json.id);
    const took = Date.parse(ended.updated_at) - Date.parse(ended.created_at);
    expect(took).toBeGreaterThanOrEqual((ended.duration - 1) * 1000);
    expect((await sim.look(json.id)).json).toEqual(ended);
  });

  test('to an invalid number fails and is free', async () => {
    const { json } = await sim.call('+14155550105');
    clock.pass(2000);
    expect((await sim.look(json.id)).json).toMatchObject({
      status: 'failed',
      duration: 0,
      cost: 0,
      structured_data: { error: 'number_does_not_exist' },
    });
  });

  test('runs at the configured speed, even when that changes during the call, and is never dated in the future', async () => {
    sim.control({ speed: 60 });
    const { json } = await sim.call('+14155550102');
    clock.pass(300);
    sim.control({ speed: 1 });
    clock.pass(5000);
    expect((await sim.look(json.id)).json.status).toBe('ringing');
    sim.control({ speed: 1000 });
    clock.pass(20);
    const ended = (await sim.look(json.id)).json;
    expect(ended.status).toBe('no-answer');
    expect(Date.parse(ended.updated_at)).toBeLessThanOrEqual(clock.now());
    expect(Date.parse(ended.created_at)).toBe(clock.now() - 5320);
  });

  test('is charged by the second if the service is set to', async () => {
    const other = await openSimulator({ endings, billing: 'second', pricePerMinute: 6 }, clock);
    const { json } = await other.call('+14155550101');
    clock.pass(2_000_000);
    const { duration, cost } = (await other.look(json.id)).json;
    expect(cost).toBeCloseTo(duration * 0.1);
  });

  test('uses the service’s own words for statuses', async () => {
    const other = await openSimulator(
      { endings, statuses: { queued: 'Scheduled', 'no-answer': 'NO_ANSWER' } },
      clock,
    );
    const { json } = await other.call('+14155550102');
    expect(json.status).toBe('Scheduled');
    clock.pass(40_000);
    expect((await other.look(json.id)).json.status).toBe('NO_ANSWER');
  });
});

describe('updating a call', () => {
  test('merges metadata and returns the whole record', async () => {
    const { json } = await sim.call('+14155550101');
    await sim.ask('PATCH', `/call/${json.id}`, { metadata: { a: 1, b: 1 } });
    const answer = await sim.ask('PATCH', `/call/${json.id}`, { metadata: { b: 2 } });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ id: json.id, metadata: { a: 1, b: 2 } });
    expect((await sim.look(json.id)).json.metadata).toEqual({ a: 1, b: 2 });
  });

  test.each(['canceled', 'cancelled'])('ends a live call by %s', async (status) => {
    const { json } = await sim.call('+14155550101');
    clock.pass(15_300);
    const answer = await sim.ask('PATCH', `/call/${json.id}`, { status });
    expect(answer.json.status).toBe('canceled');
    expect(sim.state()).toMatchObject({ inFlight: 0, ended: { canceled: 1 } });
    clock.pass(2_000_000);
    expect((await sim.look(json.id)).json.status).toBe('canceled');
    expect(sim.state()).toMatchObject({ inFlight: 0, ended: { canceled: 1 } });
  });

  test.each([
    [{ status: 'completed' }, ['body', 'status']],
    [{ status: 4 }, ['body', 'status']],
    [{ metadata: 'x' }, ['body', 'metadata']],
    [{ duration: 3 }, ['body', 'duration']],
  ])('refuses %j', async (body, loc) => {
    const { json } = await sim.call('+14155550101');
    const answer = await sim.ask('PATCH', `/call/${json.id}`, body);
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0].loc).toEqual(loc);
  });

  test('does not cancel a call that has ended', async () => {
    const { json } = await sim.call('+14155550104');
    clock.pass(60_000);
    expect((await sim.ask('PATCH', `/call/${json.id}`, { status: 'canceled' })).status).toBe(422);
  });
});

describe('the features that a key may use', () => {
  test('is a rate over all operations, per key, with the configured Retry-After', async () => {
    sim.control({ rate: 2, limiter: 'token', burst: 2 });
    expect((await sim.call('+14155550101')).status).toBe(201);
    expect((await sim.ask('GET', '/phone-number')).status).toBe(200);
    const refused = await sim.ask('GET', '/call/x');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBeNull();
    expect((await sim.ask('GET', '/phone-number', undefined, { 'x-api-key': 'other' })).status).toBe(200);
    clock.pass(500);
    expect((await sim.ask('GET', '/phone-number')).status).toBe(200);
    // The date has only whole seconds, so it is rounded up.
    const date = new Date(Math.ceil((clock.now() + 10_000) / 1000) * 1000).toUTCString();
    for (const [retryAfter, expected] of [
      ['seconds', '10'],
      ['date', date],
    ] as const) {
      sim.control({ rate: 0.1, burst: 1, retryAfter });
      await sim.ask('GET', '/phone-number');
      expect((await sim.ask('GET', '/phone-number')).headers.get('retry-after')).toBe(expected);
    }
  });

  test('is a number of calls at once: creates get 429 until a call ends, polls pass', async () => {
    sim.control({ concurrency: 2 });
    const first = await sim.call('+14155550104');
    await sim.call('+14155550101');
    expect((await sim.call('+14155550102')).status).toBe(429);
    expect((await sim.look(first.json.id)).status).toBe(200);
    const otherKey = { 'x-api-key': 'other' };
    const body = { agent_id: 'a', customer: { phone_number: '+14155550103' } };
    expect((await sim.ask('POST', '/call', body, otherKey)).status).toBe(201);
    clock.pass(6000);
    expect((await sim.call('+14155550102')).status).toBe(201);
    const [own] = sim.state().keys;
    expect(own).toMatchObject({ key: 0, inFlight: 2, peakInFlight: 2 });
  });

  test('is the organization’s credit, shared by its keys, and it can be topped up', async () => {
    sim.control({ credits: 2 });
    const body = { agent_id: 'a', customer: { phone_number: '+14155550103' } };
    expect((await sim.call('+14155550101')).status).toBe(201);
    expect((await sim.ask('POST', '/call', body, { 'x-api-key': 'other' })).status).toBe(201);
    expect((await sim.call('+14155550102')).status).toBe(402);
    expect((await sim.ask('GET', '/phone-number')).status).toBe(200);
    expect(sim.control({ addCredits: 1 }).credits).toBe(1);
    expect((await sim.call('+14155550102')).status).toBe(201);
  });

  test('is money if the service is set to, and a canceled call is refunded what it did not use', async () => {
    const other = await openSimulator({ endings, creditUnit: 'money', credits: 1, pricePerMinute: 5 }, clock);
    const { json } = await other.call('+14155550101');
    expect(other.state().credits).toBeLessThan(0);
    expect((await other.call('+14155550101')).status).toBe(402);
    await other.ask('PATCH', `/call/${json.id}`, { status: 'canceled' });
    expect(other.state().credits).toBe(1);
    expect((await other.call('+14155550104')).status).toBe(201);
    expect(other.state().credits).toBe(1);
  });
});
