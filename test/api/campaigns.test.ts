import { beforeAll, describe, expect, it } from 'vitest';
import { readOrder } from '../../src/control/order/order.ts';
import { openDatabase } from '../../src/ledger/database.ts';
import { until } from '../support/until.ts';
import { serveApi } from './support.ts';

const api = serveApi({ simulator: { endings: { '1': 'busy' } } });

const make = (body: Record<string, unknown>) =>
  api.ask('POST', '/api/campaigns', { body: { agent: 'agent-1', ...body } });
const show = (id: string) => api.ask('GET', `/api/campaigns/${encodeURIComponent(id)}`);
const move = (id: string, verb: string) =>
  api.ask('POST', `/api/campaigns/${encodeURIComponent(id)}/${verb}`);
const people = (...phones: string[]) => phones.map((phone) => ({ phone }));
const none = {
  rows: 0,
  rejected: 0,
  skipped: 0,
  waiting: 0,
  queued: 0,
  calling: 0,
  done: 0,
  parked: 0,
  unknown: 0,
  outcomes: {},
  attempts: 0,
  requests: 0,
  polls: 0,
  cost: null,
};

describe('POST /api/campaigns', () => {
  it('what cannot be shown is not made', async () => {
    const db = openDatabase(api.app.ledgerUrl);
    const rename = (from: string, to: string) =>
      db.transaction(({ client }) => client.query(`alter function carillon.${from} rename to ${to}`));
    try {
      const original = await make({ name: 'whole', max_cost: 5 });
      await rename('campaign_purse', 'no_purse');
      const from = encodeURIComponent(original.json.id);
      expect((await make({ name: 'half', max_cost: 5 })).status).toBe(500);
      const clone = await api.ask('POST', `/api/campaigns/${from}/clone`, { body: { name: 'half' } });
      expect(clone.status).toBe(500);
      await rename('no_purse', 'campaign_purse');
      expect((await show('half')).status).toBe(404);
    } finally {
      await db.close();
    }
    expect((await make({ name: 'half', max_cost: 5 })).status).toBe(201);
  });

  it('a campaign is a draft until it is started, and shows its order as it was given', async () => {
    const order = {
      name: 'full order',
      from: ['+14155550100', '+14155550101'],
      number_ids: ['number-3'],
      window: '09:00-20:00',
      days: 'mon,tue,wed,thu,fri',
      not_on: ['2099-12-24'],
      holidays: 'DE',
      start_at: '2099-11-02T08:00:00.000Z',
      end_at: '2099-12-31T20:00:00.000Z',
      timezone: 'Europe/Berlin',
      max_calls: 7,
      max_cost: 12.5,
      max_attempts: 3,
      retry: { 'no-answer': '30m/2h', busy: '1d' },
      next_number: { 'no-answer': 'now', busy: '30m' },
      retry_when: 'spread',
      retry_first: true,
      first: 20,
      evergreen: true,
      stop_at: '50%/2m',
      on_unknown: 'redial',
      result_delay: '2.5s',
      weight: 3,
      opt_out: 'structured_data.opt_out=true',
      callback_at: 'structured_data.callback_at',
      hang_up: true,
    };
    const made = await make(order);
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      id: expect.stringMatching(/^[\w-]{36}$/),
      kind: 'list',
      service: api.simulator.url,
      state: 'draft',
      reason: null,
      since: made.json.created_at,
      driver: 'background',
      run_active: false,
      created_at: expect.any(String),
      revision: 0,
      agent: 'agent-1',
      override: null,
      country: null,
      caller: 'rotate',
      per_number_calls: null,
      per_number_day: null,
      ...order,
      opt_outs: { people: 0, read: 0, found: 0 },
      balance: none,
      currency: null,
      answers: {
        calls: 0,
        connect_rate: null,
        answered: 0,
        people_called: 0,
        people_reached: 0,
        reach_rate: null,
      },
      notes: [],
      first_outcomes: {},
      first_judged: { fine: 0, wrong: 0, opt_out: 0, left: 0 },
      waits: {},
      budget: {
        kind: 'campaign',
        max: 12.5,
        spent: 0,
        reserved: 0,
        calls: 0,
        next_cost: null,
        currency: null,
        open: true,
        until: null,
      },
      unknown_placed: 0,
      standstill: null,
    });
    expect(made.headers.get('location')).toBe(`/api/campaigns/${made.json.id}`);
    expect((await show('full order')).json).toEqual(made.json);
    expect((await show(made.json.id)).json).toEqual(made.json);
  });

  it('attempts without a rule for them have no effect, and the answer says so', async () => {
    const { json } = await make({ name: 'idle attempts', max_attempts: 3 });
    expect(json.notes).toEqual([expect.stringMatching(/^max_attempts 3 has no effect without retry/)]);
    const more = await make({ name: 'busy attempts', max_attempts: 3, retry: 'busy=10m' });
    expect(more.json.notes).toEqual([]);
  });

  it('people come with it; invalid rows are counted and kept separately', async () => {
    const recipients = [
      { phone: '+14155550301', name: 'Ann' },
      { phone: 'x' },
      7,
      ...people('+14155550301', '+14155550302'),
    ];
    const made = await make({ name: 'with people', recipients });
    expect(made.json).toMatchObject({ state: 'draft', balance: { rows: 5, waiting: 2, rejected: 3 } });
  });

  it('a name that is taken is refused, and its campaign stays as it is', async () => {
    await make({ name: 'taken', recipients: people('+14155550311') });
    const answer = await make({ name: 'taken', recipients: people('+14155550312') });
    expect(answer).toMatchObject({ status: 409, json: { code: 'campaign-exists' } });
    expect((await show('taken')).json.balance.rows).toBe(1);
  });

  it('a start with nobody to call is refused, and no campaign is made', async () => {
    for (const recipients of [undefined, [], [{ phone: 'x' }]]) {
      const answer = await make({ name: 'nobody', start: true, recipients });
      expect(answer).toMatchObject({ status: 422, json: { code: 'nothing-to-dial' } });
    }
    expect((await show('nobody')).status).toBe(404);
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x', agent: ' ' }, 'agent'],
    [{ name: 'x', from: '+14155550100' }, 'from'],
    [{ name: 'x', window: 'always' }, 'window'],
    [{ name: 'x', recipients: {} }, 'recipients'],
    [{ name: 'x', starts: true }, 'starts'],
    [{ name: 'a\nb' }, 'name'],
  ])('%j is refused, naming what is wrong', async (body, named) => {
    const answer = await make(body);
    expect(answer.status).toBe(422);
    expect(answer.json.detail).toContain(named);
    expect(answer.json).toMatchObject({
      type: `urn:carillon:problem:${answer.json.code}`,
      status: 422,
      remedy: expect.any(String),
    });
    expect(answer.json.title).not.toBe('');
  });
});

describe('the verbs of a campaign', () => {
  it('start, pause and resume may be repeated, and return the campaign’s state', async () => {
    await make({ name: 'moved', recipients: people('+14155550321') });
    for (const [verb, state] of [
      ['start', 'running'],
      ['pause', 'paused'],
      ['resume', 'running'],
      ['pause', 'paused'],
    ] as const) {
      for (let times = 0; times < 2; times++) {
        const answer = await move('moved', verb);
        expect([answer.status, answer.json.state]).toEqual([200, state]);
      }
    }
  });

  it('wake the planner of their process: the first call does not wait for its next round', async () => {
    await make({ name: 'woken', recipients: people('+14155550322') });
    const woken = new Promise<void>((resolve) => api.stations.onNudge(resolve));
    await move('woken', 'start');
    await woken;
    await move('woken', 'pause');
  });

  it('a running campaign that is started again continues undisturbed', async () => {
    const { json } = await make({ name: 'undisturbed', recipients: people('+14155550322'), start: true });
    const revision = async () => {
      const [row] = await api.sql('select revision from carillon.campaigns where id = $1', [json.id]);
      return row!.revision;
    };
    const before = await revision();
    await move('undisturbed', 'start');
    expect(await revision()).toBe(before);
  });

  it('the stop button counts over every campaign: the people of those that run', async () => {
    const toStop = async () => (await api.ask('GET', '/api/pause')).json;
    const before = await toStop();
    const { json: running } = await make({
      name: 'to stop 1',
      recipients: people('+14155550171', '+14155550172'),
      start: true,
    });
    await make({ name: 'to stop 2', recipients: people('+14155550173'), start: true });
    await make({ name: 'to stop 3', recipients: people('+14155550174') });
    const { campaigns, people: waiting, calling } = before;
    expect(await toStop()).toEqual({ campaigns: campaigns + 2, people: waiting + 3, calling });
    await move(running.id, 'pause');
    expect(await toStop()).toEqual({ campaigns: campaigns + 1, people: waiting + 1, calling });
    await move('to stop 2', 'cancel');
  });

  it('a pause that is refused hangs nothing up, and is not recorded', async () => {
    const { id } = (await make({ name: 'canceled before' })).json;
    await move(id, 'cancel');
    const recorded = async () => (await api.ask('GET', `/api/activity?campaign=${id}`)).json.items;
    const before = await recorded();
    expect(await move(id, 'pause?hang_up=1')).toMatchObject({
      status: 409,
      json: { code: 'campaign-state' },
    });
    expect(await recorded()).toEqual(before);
  });

  it('a draft cannot be paused', async () => {
    await make({ name: 'draft' });
    expect(await move('draft', 'pause')).toMatchObject({ status: 409, json: { code: 'campaign-state' } });
  });

  it('a canceled campaign calls nobody and stays canceled', async () => {
    await make({ name: 'canceled', recipients: people('+14155550331', '+14155550332') });
    const answer = await move('canceled', 'cancel');
    expect(answer.json).toMatchObject({ state: 'canceled', balance: { rows: 2, skipped: 2 } });
    expect((await move('canceled', 'cancel')).status).toBe(200);
    for (const verb of ['start', 'resume', 'pause']) {
      expect(await move('canceled', verb)).toMatchObject({ status: 409, json: { code: 'campaign-state' } });
    }
  });

  it('a campaign that does not exist is named in the error', async () => {
    for (const verb of ['start', 'resume', 'pause', 'cancel']) {
      expect(await move('no such', verb)).toMatchObject({
        status: 404,
        json: { code: 'campaign-unknown', detail: expect.stringContaining('no such') },
      });
    }
  });

  it('a campaign of another service is shown, but not changed from here', async () => {
    await api.app.ledger.campaigns.create({
      name: 'elsewhere',
      baseUrl: 'https://voice.example/v1',
      state: 'draft',
      driver: 'background',
      order: readOrder({ agent: 'a' }),
    });
    expect((await show('elsewhere')).status).toBe(200);
    const change = await api.ask('PATCH', '/api/campaigns/elsewhere', { body: { weight: 2 } });
    expect(change).toMatchObject({ status: 409, json: { code: 'campaign-elsewhere' } });
    await api.app.ledger.campaigns.create({
      name: 'moving',
      baseUrl: 'https://voice.example/v1',
      state: 'draft',
      driver: 'background',
      order: readOrder({ agent: 'a', evergreen: true }),
    });
    // It has called nobody yet.
    expect(await move('moving', 'start')).toMatchObject({
      status: 200,
      json: { state: 'running', service: api.simulator.url },
    });
    expect(await move('moving', 'cancel')).toMatchObject({ status: 200 });
    const list = await api.ask('GET', '/api/campaigns?limit=1000');
    expect(list.json.items.find((item: { name: string }) => item.name === 'elsewhere')).toMatchObject({
      service: 'https://voice.example/v1',
      state: 'draft',
    });
    const drafts = await api.ask('GET', '/api/campaigns?limit=1000&state=draft,paused');
    const states = drafts.json.items.map(({ state }: { state: string }) => state);
    const every = list.json.items.map(({ state }: { state: string }) => state);
    expect(states).toEqual(every.filter((state: string) => state === 'draft' || state === 'paused'));
  });
});

describe('PATCH /api/campaigns/{id}', () => {
  const change = (id: string, body: unknown) => api.ask('PATCH', `/api/campaigns/${id}`, { body });
  const order = {
    from: ['+14155550100'],
    window: '09:00-20:00',
    days: 'mon-fri',
    timezone: 'Europe/Berlin',
    max_calls: 7,
    max_attempts: 3,
    retry: { busy: '10m' },
    result_delay: '2.5s',
    weight: 3,
  };

  it('changes the fields it names, resets those that are null, and leaves the rest as ordered', async () => {
    const made = (await make({ name: 'to be changed', ...order })).json;
    const changed = await change(made.id, {
      agent: 'agent-2',
      window: '10:00-12:30',
      max_calls: null,
      retry: { 'no-answer': '1h' },
      weight: 5,
    });
    expect(changed.status).toBe(200);
    expect(changed.json).toEqual({
      ...made,
      revision: made.revision + 1,
      agent: 'agent-2',
      window: '10:00-12:30',
      max_calls: null,
      retry: { 'no-answer': '1h' },
      weight: 5,
    });
    expect((await show(made.id)).json).toEqual(changed.json);
    const bare = {
      from: [],
      window: null,
      days: null,
      max_attempts: null,
      retry: null,
      result_delay: null,
      weight: null,
    };
    expect((await change(made.id, bare)).json).toMatchObject({
      from: [],
      window: null,
      days: null,
      timezone: 'Europe/Berlin',
      max_attempts: 1,
      retry: {},
      result_delay: null,
      weight: 1,
    });
  });

  it('of different fields, many at once, all hold', async () => {
    const wishes: Record<string, unknown>[] = [
      { agent: 'agent-9' },
      { from: ['+14155550101'] },
      { number_ids: ['number-9'] },
      { window: '10:00-11:00' },
      { days: 'sat' },
      { max_calls: 11 },
      { max_attempts: 4 },
      { retry: { busy: '2h' } },
      { on_unknown: 'redial' },
      { result_delay: '9s' },
      { weight: 9 },
      { opt_out: 'structured_data.dnc=yes' },
      { hang_up: true },
    ];
    for (const round of [1, 2, 3]) {
      const { id } = (await make({ name: `changed by many ${round}`, ...order })).json;
      const answers = await Promise.all(wishes.map((wish) => change(id, wish)));
      expect(answers.map(({ status }) => status)).toEqual(wishes.map(() => 200));
      const { json } = await show(id);
      expect(json).toMatchObject({ ...Object.assign({}, ...wishes), revision: wishes.length });
    }
  });

  it('does not undo the options of a run that starts at the same time', async () => {
    const { id } = (await make({ name: 'changed next to a run', ...order })).json;
    for (const [at, agent] of ['one', 'two', 'three', 'four', 'five'].entries()) {
      const ofRun = { ...readOrder({ agent }), weight: 50 + at };
      const runs = api.app.ledger.campaigns.change(id, ofRun);
      const answers = await Promise.all([
        change(id, { max_calls: 1 + at }),
        runs,
        change(id, { days: 'sat' }),
      ]);
      expect([answers[0].status, answers[2].status]).toEqual([200, 200]);
      expect((await show(id)).json).toMatchObject({ agent, weight: 50 + at });
    }
  });

  it('with If-Match changes only what was read: of many at once one holds, and the others are refused', async () => {
    const made = await make({ name: 'changed by one', ...order });
    const { id } = made.json;
    const tag = made.headers.get('etag')!;
    expect(tag).toBe('"0"');
    const weights = [11, 12, 13, 14];
    const answers = await Promise.all(
      weights.map((weight) =>
        api.ask('PATCH', `/api/campaigns/${id}`, { body: { weight }, headers: { 'if-match': tag } }),
      ),
    );
    const held = answers.filter(({ status }) => status === 200);
    expect(held).toHaveLength(1);
    for (const answer of answers.filter((each) => each !== held[0])) {
      expect(answer).toMatchObject({ status: 412, json: { code: 'campaign-changed' } });
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
    }
    const read = await show(id);
    expect(read.json).toEqual(held[0]!.json);
    // The ETag of a reading has the version too, and what else the answer holds.
    expect(read.headers.get('etag')!.split('.')[0]).toBe(held[0]!.headers.get('etag')!.slice(0, -1));
    expect(read.headers.get('etag')).not.toBe(tag);
  });

  it('accepts the ETag of each answer, any of several, a weak one and a star', async () => {
    const made = await make({ name: 'changed by tags', ...order, recipients: people('+14155550133') });
    const { id } = made.json;
    const patch = (tag: string, weight: number) =>
      api.ask('PATCH', `/api/campaigns/${id}`, { body: { weight }, headers: { 'if-match': tag } });
    const tags = (answer: { headers: Headers }) => answer.headers.get('etag')!;
    const first = await patch(tags(made), 11);
    const second = await patch(tags(first), 12);
    const third = await patch(tags(await show(id)), 13);
    const fourth = await patch(`"x", W/${tags(third)}`, 14);
    const fifth = await patch('*', 15);
    expect([first, second, third, fourth, fifth].map(({ status }) => status)).toEqual(Array(5).fill(200));
    // A start also changes the campaign.
    const started = await move(id, 'start');
    expect((await patch(tags(fifth), 16)).status).toBe(412);
    expect((await patch(tags(started), 17)).status).toBe(200);
    expect((await patch('17', 18)).status).toBe(412);
    await move(id, 'cancel');
  });

  it('changes nothing when it is wrong, and says what is wrong', async () => {
    const made = (await make({ name: 'stays', ...order })).json;
    for (const [body, why] of [
      [{}, /nothing to change/],
      [{ name: ' ' }, /name/],
      [{ weight: 0 }, /weight/],
      [{ max_attempts: 1 }, /only one attempt/],
      [{ window: 'noon' }, /noon/],
    ] as const) {
      const answer = await change(made.id, body);
      expect(answer.status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.json.detail).toMatch(why);
    }
    expect((await show(made.id)).json).toEqual(made);
    await move(made.id, 'cancel');
    expect(await change(made.id, { weight: 2 })).toMatchObject({
      status: 409,
      json: { code: 'campaign-state' },
    });
  });
});

describe('GET /api/campaigns', () => {
  it('returns pages, the newest first, each campaign once', async () => {
    for (let n = 0; n < 5; n++) await make({ name: `page ${n}` });
    const whole = await api.ask('GET', '/api/campaigns?limit=1000');
    const names = whole.json.items.map((item: { name: string }) => item.name);
    expect(names.slice(0, 5)).toEqual(['page 4', 'page 3', 'page 2', 'page 1', 'page 0']);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await api.ask('GET', `/api/campaigns?limit=3${cursor && `&cursor=${cursor}`}`);
      expect(page.json.items.length).toBeLessThanOrEqual(3);
      paged.push(...page.json.items.map((item: { name: string }) => item.name));
      cursor = page.json.next;
    }
    expect(paged).toEqual(names);
    expect(whole.json.next).toBeNull();
  });

  it('tells whether a name is taken', async () => {
    await make({ name: 'a taken name' });
    const named = (name: string) => api.ask('GET', `/api/campaigns?limit=1&name=${encodeURIComponent(name)}`);
    expect((await named('a taken name')).json.items).toMatchObject([{ name: 'a taken name' }]);
    expect((await named('a free name')).json).toEqual({ items: [], next: null });
  });

  it('an invalid cursor or limit is refused', async () => {
    for (const query of ['cursor=x', 'cursor=WzFd', 'limit=0', 'limit=1001', 'limit=x', 'limits=3']) {
      expect(await api.ask('GET', `/api/campaigns?${query}`)).toMatchObject({
        status: 422,
        json: { code: 'request-invalid' },
      });
    }
  });
});

describe('a campaign on the background workers', () => {
  beforeAll(() => api.work());

  it('makes its next calls by the changed order, while it runs', async () => {
    const order = { name: 'runs on', window: '00:00-00:01', days: 'mon', timezone: 'Etc/GMT+12' };
    const made = (await make({ ...order, recipients: people('+14155550371'), start: true })).json;
    await api.ask('PATCH', `/api/campaigns/${made.id}`, {
      body: { max_attempts: 2, window: null, days: null },
    });
    const { json } = await until(
      () => show(made.id),
      (answer) => answer.json.balance.done === 1,
    );
    expect(json).toMatchObject({ max_attempts: 2, window: null });
  });

  it('is dialled to its end, and its balance shows it', async () => {
    const made = await make({
      name: 'dialled',
      recipients: people('+14155550341', '+14155550351', '+14155550361'),
      start: true,
    });
    expect(made.json.state).toBe('running');
    const { json } = await until(
      () => show('dialled'),
      (answer) => answer.json.balance.done === 3,
    );
    expect(json.balance).toMatchObject({ rows: 3, done: 3, waiting: 0, outcomes: { busy: 3 }, attempts: 3 });
    expect(json.balance.requests).toBeGreaterThanOrEqual(6);
    // Three calls, and the check whether the key is accepted.
    expect(json.balance.requests).toBe(json.balance.polls + 4);
    const list = await api.ask('GET', '/api/campaigns?limit=1000');
    const line = list.json.items.find((item: { name: string }) => item.name === 'dialled');
    expect(line.balance).toMatchObject({ rows: 3, done: 3, outcomes: { busy: 3 } });
  });
});
