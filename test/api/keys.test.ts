import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi, type TestApi, until } from './support.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi({
    simulator: {
      keys: ['secret-of-one', 'secret-of-two'],
      numbers: ['+14155550100', { id: 'n-2', phone_number: '+14155550101', label: 'Sales' }],
    },
    env: { VOICE_API_KEYS: 'one=secret-of-one,two=secret-of-two', VOICE_RATE: 'auto,one=50' },
  });
});
afterAll(() => api?.close());

const keys = async () => (await api.ask('GET', '/api/keys')).json.items;

describe('the keys', () => {
  it('are shown by name with their state, and never with their secrets', async () => {
    const answer = await api.ask('GET', '/api/keys');
    expect(answer.json.items).toEqual([
      expect.objectContaining({
        name: 'one',
        present: true,
        state: 'open',
        rate_from: 'fixed',
        planned: 0,
        parked: 0,
        calling: 0,
      }),
      expect.objectContaining({
        name: 'two',
        present: true,
        state: 'open',
        rate_from: 'first guess',
        rate: expect.any(Number),
      }),
    ]);
    expect(answer.text).not.toContain('secret-of');
  });

  it('include one that is no longer set, marked as such', async () => {
    await api.app.ledger.lanes.join(['gone']);
    const gone = (await keys()).find((key: { name: string }) => key.name === 'gone');
    expect(gone).toMatchObject({ present: false, rate: null });
    expect(await api.ask('POST', '/api/keys/gone/resume')).toMatchObject({
      status: 404,
      json: { code: 'key-unknown' },
    });
  });

  it('can be opened by hand when one is closed', async () => {
    const lane = api.stations.lanes().find((desk) => desk.name === 'two')!;
    await api.app.ledger.lanes.deny(lane.id, 'the API key is not accepted');
    const closed = (await keys()).find((key: { name: string }) => key.name === 'two');
    expect(closed).toMatchObject({ state: 'denied', reason: 'the API key is not accepted' });
    expect((await api.ask('POST', '/api/keys/two/resume')).json).toEqual({
      name: 'two',
      was: 'denied',
      state: 'open',
      resumed: 0,
    });
    const open = (await keys()).find((key: { name: string }) => key.name === 'two');
    expect(open).toMatchObject({ state: 'open', reason: null });
  });

  it('can be resumed when one has credit again, and parked people are called', async () => {
    api.simulator.control({ credits: 0 });
    api.work();
    const call = await api.ask('POST', '/api/calls', { body: { agent: 'a', phone: '+14155550501' } });
    const look = async () => (await api.ask('GET', `/api/calls/${call.json.id}`)).json;
    await until(look, ({ state }) => state === 'parked');
    const broke = (await keys()).find((key: { state: string }) => key.state === 'out_of_credit');
    expect(broke).toMatchObject({ parked: 1, probe_at: expect.any(String) });
    api.simulator.control({ credits: 100 });
    expect((await api.ask('POST', `/api/keys/${broke.name}/resume`)).json).toMatchObject({
      state: 'open',
      resumed: 1,
    });
    await until(look, ({ call_id }) => call_id !== null);
  });
});

describe('the numbers', () => {
  it('are those of every key', async () => {
    const { json } = await api.ask('GET', '/api/numbers');
    expect(json.failed).toEqual([]);
    expect(json.items).toHaveLength(4);
    expect(json.items[1]).toMatchObject({
      key: 'one',
      id: 'n-2',
      phone_number: '+14155550101',
      label: 'Sales',
    });
  });

  it('name a key that fails; when all fail, the service’s words are the answer', async () => {
    api.simulator.control({ revokeKeys: ['secret-of-two'] });
    const some = await api.ask('GET', '/api/numbers');
    expect(some.json.items).toHaveLength(2);
    expect(some.json.failed).toEqual([{ key: 'two', code: 'key-denied', detail: expect.any(String) }]);
    api.simulator.control({ faults: [{ kind: 'error', on: 'list', status: 500 }] });
    const none = await api.ask('GET', '/api/numbers');
    expect(none.status).toBe(502);
    expect(none.json).toMatchObject({ code: 'service-answer', detail: expect.stringContaining('500') });
    expect(none.text).not.toContain('secret-of');
  });
});
