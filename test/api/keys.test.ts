import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

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

  it('show what one did over time, which is written while it works and when it changes', async () => {
    const series = async (query = '') => (await api.ask('GET', `/api/keys/one/series${query}`)).json;
    await api.stations.sample();
    await api.stations.sample();
    const before = (await series()).items;
    expect(before).toEqual([expect.objectContaining({ state: 'open', rate: 50, limit: null, calls: 0 })]);
    await api.app.lanes[0]!.client.numbers({ limit: 1 });
    api.app.meters.samples.refused('one', 'calls');
    await api.stations.sample();
    const { step, items } = await series();
    expect(step).toBe('10s');
    expect(items.at(-1)).toMatchObject({
      requests: { create: 0, poll: 0, update: 0, numbers: 1 },
      refused: { rate: 0, creates: 0, calls: 1 },
    });
    const minutes = await series('?step=minute');
    expect(minutes.items.at(-1).requests.numbers).toBe(1);
    expect((await api.ask('GET', '/api/keys/three/series')).json).toMatchObject({ code: 'key-unknown' });
  });

  it('show how full the queues of one are, and its requests of the last minute', async () => {
    const queue = api.stations.queues.queue(api.app.lanes[0]!.bucket, 'dial');
    const none = '00000000-0000-4000-8000-000000000000';
    const later = '00000000-0000-4000-8000-000000000001';
    await api.stations.queues.add(api.app.lanes[0]!.bucket, 'dial', [none]);
    await api.stations.queues.addLater(api.app.lanes[0]!.bucket, 'dial', later, 60_000);
    const { json } = await api.ask('GET', '/api/keys/one');
    expect(json).toMatchObject({
      name: 'one',
      rate: 50,
      queues: {
        dial: {
          waiting: 1,
          delayed: 1,
          active: 0,
          oldest_at: expect.any(String),
          next_at: expect.any(String),
        },
        track: { waiting: 0, delayed: 0, active: 0, oldest_at: null, next_at: null },
      },
      last_minute: { requests: { numbers: 1 }, refused: { calls: 1 } },
    });
    for (const id of [none, later]) await (await queue.getJob(id))!.remove();
    expect((await api.ask('GET', '/api/keys/gone')).json).toMatchObject({ present: false, queues: null });
    expect((await api.ask('GET', '/api/keys/three')).status).toBe(404);
  });

  it('tell of each its last minute, and for how long of the last hour it was closed', async () => {
    const closedOf = async (name: string) => {
      const { items } = (await api.ask('GET', '/api/keys')).json;
      return items.find((each: { name: string }) => each.name === name);
    };
    const [two] = api.app.lanes.slice(1);
    const put = (state: string, minutes: number) =>
      api.sql(
        `insert into carillon.lane_series (lane_id, step, at, state, rate, sure, probing, calls, creates, polls, updates,
           numbers, refused_rate, refused_creates, refused_calls)
         values ($1, 60, now() - make_interval(mins => $2), $3, 1, 0, false, 0, 0, 0, 0, 0, 0, 0, 0)`,
        [two!.id, minutes, state],
      );
    await api.sql('delete from carillon.lane_series where lane_id = $1', [two!.id]);
    expect(await closedOf('two')).toMatchObject({
      closed_s: 0,
      last_minute: { requests: { create: 0, poll: 0 }, refused: { rate: 0 } },
    });
    // Closed since before the hour, open again, and closed for its last five minutes.
    await put('denied', 90);
    await put('open', 40);
    await put('failing', 5);
    const closed = (await closedOf('two')).closed_s;
    expect(Math.abs(closed - (20 + 5) * 60)).toBeLessThan(30);
  });

  it('tell for how long credit lasts, from what lasted until the last 402 and the pace of ten minutes', async () => {
    const creditOf = async () => (await api.ask('GET', '/api/keys/two')).json.credit;
    expect(await creditOf()).toBe(null);
    const [two] = api.app.lanes.slice(1);
    await api.sql('update carillon.lanes set credit_spent = 5, credit_lasted = 17 where id = $1', [two!.id]);
    expect(await creditOf()).toEqual({ spent: 5, lasted: 17, minutes: null });
    await api.sql(
      `update carillon.lane_series set cost = 4 where lane_id = $1 and at < now() - interval '30 minutes'`,
      [two!.id],
    );
    await api.sql(
      `update carillon.lane_series set cost = 3 where lane_id = $1 and at > now() - interval '8 minutes'`,
      [two!.id],
    );
    expect(await creditOf()).toEqual({ spent: 5, lasted: 17, minutes: 40 });
    // What was spent before the hour is not counted.
    expect((await api.ask('GET', '/api/keys/two')).json.cost_1h).toBe(7);
  });

  it('have jobs, each with whom it is about and why it waits', async () => {
    const jobs = async (query = '') => (await api.ask('GET', `/api/jobs${query}`)).json;
    expect(await jobs()).toEqual({ items: [], next: null });
    const recipients = [1, 2, 3].map((n) => ({ phone: `+1415555040${n}`, name: `Person ${n}` }));
    const body = { name: 'queued', agent: 'a', recipients, start: true };
    await api.ask('POST', '/api/campaigns', { body });
    const { id } = (await api.ask('GET', '/api/campaigns/queued')).json;
    // Before the first create is accepted, one is planned at a time.
    await api.app.ledger.db.transaction((tx) =>
      tx.client.query('update carillon.campaigns set proved = true where id = $1', [id]),
    );
    await api.stations.plan();
    const { items } = await jobs('?kind=dial');
    expect(items).toHaveLength(3);
    expect(items[0]).toMatchObject({
      kind: 'dial',
      state: 'waiting',
      reason: 'rate',
      until: null,
    });
    expect(items[0]).toMatchObject({ campaign: 'queued', number: 1, dialed_at: null, call_id: null });
    const second = items.find((item: { phone: string }) => item.phone === '+14155550402');
    const first = await jobs('?limit=2');
    const rest = await jobs(`?limit=2&cursor=${first.next}`);
    expect([...first.items, ...rest.items]).toEqual(items);
    expect(rest.next).toBe(null);
    for (const q of [second.attempt, '(415) 555-0402', '+14155550402']) {
      const found = await jobs(`?q=${encodeURIComponent(q)}`);
      expect(found.items.map(({ attempt }: { attempt: string }) => attempt)).toContain(second.attempt);
      expect(found.items).toHaveLength(1);
    }
    expect((await jobs('?q=queued')).items).toHaveLength(3);
    // The same people by other doors.
    const find = async (q: string) =>
      (await api.ask('GET', `/api/find?q=${encodeURIComponent(q)}`)).json.items;
    for (const q of [second.attempt, '+14155550402'])
      expect(await find(q)).toMatchObject([{ phone: '+14155550402', attempts: [{ id: second.attempt }] }]);
    expect(await find('nobody')).toEqual([]);
    const named = async (query: string) => (await api.ask('GET', `/api/campaigns${query}`)).json.items;
    expect(await named('?state=running,paused')).toMatchObject([{ name: 'queued' }]);
    expect(await named('?state=draft')).toEqual([]);
    for (const none of ['?q=nothing', '?kind=track', '?state=active', '?key=three'])
      expect((await jobs(none)).items).toEqual([]);
    await api.ask('POST', '/api/campaigns/queued/pause');
    const [paused] = (await jobs('?q=queued')).items;
    expect(paused).toMatchObject({ reason: 'paused', until: null });
    await api.ask('POST', '/api/campaigns/queued/cancel');
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

describe('the agents', () => {
  it('are none where the service does not list them', async () => {
    const { json } = await api.ask('GET', '/api/agents');
    expect(json).toEqual({ items: [], next: null, failed: [], listed: false });
  });
});

describe('the numbers', () => {
  it('name a key that fails; when all fail, the service’s words are the answer', async () => {
    api.simulator.control({ faults: [{ kind: 'error', on: 'list', status: 500 }] });
    const none = await api.ask('GET', '/api/numbers');
    expect(none.status).toBe(502);
    expect(none.json).toMatchObject({ code: 'service-answer', detail: expect.stringContaining('500') });
    expect(none.text).not.toContain('secret-of');
    api.simulator.control({ faults: [], revokeKeys: ['secret-of-two'] });
    const some = await api.ask('GET', '/api/numbers');
    expect(some.json.items).toHaveLength(2);
    expect(some.json.failed).toEqual([{ key: 'two', code: 'key-denied', detail: expect.any(String) }]);
  });

  it('are those of every key, and the service is not asked for them again at once', async () => {
    api.simulator.control({ restoreKeys: ['secret-of-two'] });
    const { json } = await api.ask('GET', '/api/numbers');
    expect(json.failed).toEqual([]);
    expect(json.items).toHaveLength(4);
    expect(json.items[1]).toMatchObject({
      key: 'one',
      id: 'n-2',
      phone_number: '+14155550101',
      label: 'Sales',
    });
    const listed = () => [...api.simulator.journal()].filter(({ path }) => /numbers/.test(path)).length;
    const before = listed();
    expect((await api.ask('GET', '/api/numbers')).json).toEqual(json);
    expect(listed()).toBe(before);
  });
});

describe('what comes next', () => {
  it('takes the people who wait first on each list that runs', async () => {
    const list = (name: string, of: readonly string[], start = true) => {
      const recipients = of.map((phone) => ({ phone, name: `${name} ${phone.slice(-1)}` }));
      const body = { name, agent: 'a', recipients, start, start_at: '2099-06-01T09:00:00Z' };
      return api.ask('POST', '/api/campaigns', { body });
    };
    await list('long', ['+14155550411', '+14155550412', '+14155550413']);
    await list('short', ['+14155550421']);
    await list('not begun', ['+14155550431'], false);
    const next = async (query = '') => (await api.ask('GET', `/api/next${query}`)).json.items;
    const all: { name: string }[] = await next();
    const [first, second, ...rest] = all.map(({ name }) => name);
    expect([first, second].sort()).toEqual(['long 1', 'short 1']);
    expect(rest).toEqual(['long 2', 'long 3']);
    expect(all[0]).toMatchObject({
      state: 'waiting',
      reason: 'start',
      until: expect.any(String),
      attempts: 0,
    });
    expect(await next('?limit=3')).toEqual(all.slice(0, 3));
    for (const name of ['long', 'short']) await api.ask('POST', `/api/campaigns/${name}/cancel`);
    expect(await next()).toEqual([]);
  });

  it('takes those whose hours are open before those whose hours are not', async () => {
    // Noon in one zone and midnight in the other, whenever it is.
    const hour = new Date().getUTCHours();
    const zoneAt = (local: number) => {
      const ahead = ((local - hour + 36) % 24) - 12;
      return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
    };
    const recipients = [
      { phone: '+14155550441', name: 'asleep', timezone: zoneAt(0) },
      { phone: '+14155550442', name: 'awake', timezone: zoneAt(12) },
    ];
    // Where nobody works, nobody is called before one looks.
    const idle = await openApi();
    const body = { name: 'hours', agent: 'a', recipients, start: true, window: '09:00-17:00' };
    await idle.ask('POST', '/api/campaigns', { body });
    const { items } = (await idle.ask('GET', '/api/next')).json;
    await idle.close();
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['awake', 'asleep']);
    expect(items[1]).toMatchObject({ reason: 'window' });
  });
});
