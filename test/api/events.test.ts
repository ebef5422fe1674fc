import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startApi } from '../../src/api/server.ts';
import { persons } from '../ledger/support.ts';
import { faultsOf } from '../support/description.ts';
import { type Following, follow, type Told } from '../support/events.ts';
import { until } from '../support/until.ts';
import { openApi, serveApi } from './support.ts';

/** The events of the API, as they happen. */
const api = serveApi();

const get = async (path: string) => (await api.ask('GET', path)).json;

async function callPeople(name: string, phones: string[]): Promise<string> {
  const { json } = await api.ask('POST', '/api/campaigns', { body: { name, agent: 'agent-1' } });
  await api.ask('POST', `/api/campaigns/${json.id}/recipients`, { body: phones.map((phone) => ({ phone })) });
  await api.ask('POST', `/api/campaigns/${json.id}/start`);
  return json.id;
}

/** Everything until these campaigns are done. */
async function finish(followed: Following, campaigns: string[]): Promise<Told[]> {
  const isDone = (all: Told[], id: string) =>
    all.some(({ type, data }) => type === 'campaign.done' && data.id === id);
  await followed.until(
    (all) => all.filter((each) => each.type === 'recipient.done').length >= campaigns.length,
  );
  await until(
    async () => {
      await api.stations.reconcile.round();
      return Promise.all(campaigns.map((id) => get(`/api/campaigns/${id}`)));
    },
    (standing) => standing.every(({ state }) => state === 'done'),
  );
  return followed.until((all) => campaigns.every((id) => isDone(all, id)));
}

/** Which events, whatever became of the things since. */
const which = (events: Told[]) => events.map(({ id, type, at }) => ({ id, type, at }));

it('a reader who asks again while the API stops is told to come later', async () => {
  const ending = await openApi();
  const ask = () => fetch(`${ending.url}/api/events`);
  const first = await ask();
  const closed = ending.close();
  await first.text();
  const answers: [number, string | null][] = [];
  // Until nobody listens any more.
  for (let answer = await ask().catch(() => null); answer; answer = await ask().catch(() => null)) {
    answers.push([answer.status, answer.headers.get('retry-after')]);
    await answer.text();
  }
  await closed;
  expect(answers.filter(([status, after]) => status !== 503 || after === null)).toEqual([]);
});

it('a reader whose stream ended with the API finds nobody who listens, however long the rest of the stop takes', async () => {
  const { app, stations } = api;
  const ending = await startApi(app, { host: '127.0.0.1', port: 0, stations });
  const other = new pg.Client({ connectionString: api.env.DATABASE_URL });
  await other.connect();
  const answer = await fetch(`${ending.url}/api/events`);
  // The loop that reads the events waits for this.
  await other.query('begin');
  await other.query('lock table carillon.event_marks in access exclusive mode');
  const held =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await until(
    async () => (await other.query(held)).rows.length,
    (many) => many > 0,
  );
  const closed = ending.close();
  try {
    await answer.text();
    const ask = () =>
      fetch(`${ending.url}/api/events`).then(
        ({ status }) => String(status),
        () => 'refused',
      );
    expect(await until(ask, (answer) => answer === 'refused')).toBe('refused');
  } finally {
    await other.query('rollback');
    await other.end();
    await closed;
  }
});

describe('the stream of events', () => {
  it('tells of a campaign from its start to its end, with what a GET answers, in order for each person', async () => {
    const followed = await follow(api.url, '/api/events');
    api.work();
    const id = await callPeople(
      'spring',
      persons(5).map((each) => each.phone),
    );
    const events = await finish(followed, [id]);
    followed.close();
    expect(events[0]).toMatchObject({
      type: 'campaign.started',
      data: { id, campaign: 'spring', agent: 'agent-1' },
    });
    expect(events.at(-1)).toMatchObject({
      type: 'campaign.done',
      data: { id, state: 'done', balance: { done: 5 } },
    });
    expect(new Set(events.map((each) => each.id)).size).toBe(events.length);
    expect(events.flatMap((each) => faultsOf(each, 'components', 'schemas', 'Event'))).toEqual([]);
    expect(events.filter((each) => each.data.deleted)).toEqual([]);
    const { items } = await get(`/api/campaigns/${id}/recipients`);
    for (const person of items) {
      const own = events.filter((each) => each.data.recipient === person.id || each.data.id === person.id);
      expect(own.map((each) => each.type)).toEqual(['attempt.placed', 'attempt.done', 'recipient.done']);
      const { timezones, ...told } = person;
      expect([own[2]!.data, timezones]).toEqual([told, ['America/Los_Angeles']]);
    }
    const { items: attempts } = await get(`/api/campaigns/${id}/attempts`);
    for (const attempt of attempts) {
      const done = events.find((each) => each.type === 'attempt.done' && each.data.id === attempt.id);
      expect(done?.data).toEqual(attempt);
    }
  });

  it('continues after an event without a gap or a double, also by a filter', async () => {
    const live = await follow(api.url, '/api/events');
    const id = await callPeople('summer', ['+14155559001', '+14155559002']);
    const other = await callPeople('autumn', ['+14155559003']);
    const events = await finish(live, [id, other]);
    live.close();
    for (const nth of [0, 3, events.length - 2]) {
      const again = await follow(api.url, '/api/events', { 'last-event-id': events[nth]!.id });
      const rest = events.slice(nth + 1);
      expect(which(await again.until((all) => all.length >= rest.length))).toEqual(which(rest));
      again.close();
    }
    const query = '/api/events?campaign=summer&types=attempt.done,recipient.done';
    const some = await follow(api.url, query, { 'last-event-id': events[0]!.id });
    const wanted = events.filter(
      ({ type, data }) => data.campaign === 'summer' && ['attempt.done', 'recipient.done'].includes(type),
    );
    expect(which(await some.until((all) => all.length >= wanted.length))).toEqual(which(wanted));
    some.close();
  });

  it('tells of imports, acts on many people and keys, each as its GET shows it', async () => {
    const types = 'import.done,bulk.done,key.denied,key.open,recipient.skipped';
    const followed = await follow(api.url, `/api/events?types=${types}`);
    const told = async (type: string) =>
      (await followed.until((all) => all.some((each) => each.type === type))).find(
        (each) => each.type === type,
      )!;
    const { json: list } = await api.ask('POST', '/api/campaigns', {
      body: { name: 'winter', agent: 'agent-1' },
    });
    await api.ask('POST', `/api/campaigns/${list.id}/recipients`, {
      body: [{ phone: '+14155559101' }],
      headers: { prefer: 'respond-async' },
    });
    const imported = await told('import.done');
    expect(imported.data).toMatchObject({ campaign: 'winter', state: 'done', accepted: 1 });
    expect(imported.data).toEqual(await get(`/api/imports/${imported.data.id}`));
    await api.ask('POST', '/api/bulk', { body: { act: 'skip', filter: { campaign: 'winter' }, confirm: 1 } });
    const [person] = (await get('/api/campaigns/winter/recipients')).items;
    expect((await told('recipient.skipped')).data).toMatchObject({ id: person.id, phone: '+14155559101' });
    const acted = await told('bulk.done');
    expect(acted.data).toEqual(await get(`/api/bulk/${acted.data.id}`));
    const { lanes } = api.app.ledger;
    const [lane] = await lanes.list();
    await lanes.deny(lane!.id, '401');
    expect((await told('key.denied')).data).toMatchObject({ name: 'main', state: 'denied', reason: '401' });
    await lanes.open(lane!.id);
    for (const each of [imported, acted])
      expect(faultsOf(each, 'components', 'schemas', 'Event')).toEqual([]);
    expect((await told('key.open')).data).toMatchObject({ name: 'main', state: 'open' });
    followed.close();
  });

  it('is lines that end in LF, and only events have an id', async () => {
    const followed = await follow(api.url, '/api/events');
    expect(followed.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(followed.headers.get('cache-control')).toBe('no-store');
    await api.app.ledger.events.emit({ type: 'alert.raised', subject: 'a', data: { rule: 'a' } });
    const [event] = await followed.until((all) => all.length > 0);
    expect(event).toMatchObject({ type: 'alert.raised', data: { rule: 'a' } });
    followed.close();
    expect(followed.text()).toMatch(/^:\n\n/);
    expect(followed.text().replaceAll(':\n\n', '')).toBe(
      `id: ${event!.id}\nevent: alert.raised\ndata: ${JSON.stringify(event)}\n\n`,
    );
  });

  it('shows people only to those who may see them', async () => {
    const locked = await openApi({ token: 'a-token-of-an-admin' });
    try {
      const headers = { authorization: 'Bearer a-token-of-an-admin' };
      const { json } = await locked.ask('POST', '/api/tokens', {
        headers,
        body: { name: 'board', role: 'read' },
      });
      const path = '/api/events?types=recipient.skipped';
      const seeing = await follow(locked.url, path, headers);
      const other = await follow(locked.url, path, { authorization: `Bearer ${json.token}` });
      const { ledger } = locked.app;
      await ledger.suppressions.add([{ phone: '+14155559201', source: 'manual' }]);
      const order = { name: 'list', agent: 'agent-1', recipients: [{ phone: '+14155559201', name: 'Ann' }] };
      await locked.ask('POST', '/api/campaigns', { headers, body: order });
      const [whole] = await seeing.until((all) => all.length > 0);
      expect(whole!.data).toMatchObject({ phone: '+14155559201', name: 'Ann', state: 'skipped' });
      const [hidden] = await other.until((all) => all.length > 0);
      expect(hidden!.data).toEqual({ ...whole!.data, phone: null, name: null, error: null, input: null });
      expect(hidden!.id).toBe(whole!.id);
      for (const each of [seeing, other]) each.close();
    } finally {
      await locked.close();
    }
  });

  it('refuses what is not an event, what is not kept, and what is not a filter', async () => {
    const ask = (path: string, id?: string) =>
      api.ask('GET', path, id === undefined ? {} : { headers: { 'last-event-id': id } });
    expect(await ask('/api/events', 'evt_000000000001000000000001')).toMatchObject({
      status: 410,
      json: { code: 'event-gone' },
    });
    expect(await ask('/api/events', '17')).toMatchObject({ status: 422 });
    expect(await ask('/api/events?types=attempt.gone')).toMatchObject({ status: 422 });
    expect(await ask('/api/events?campaign=nowhere')).toMatchObject({ status: 404 });
  });
});
