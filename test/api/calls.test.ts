import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { serveApi } from './support.ts';

const api = serveApi({ simulator: { endings: { '1': 'answered', '2': 'busy' } } });

const order = (body: unknown, key?: string) =>
  api.ask('POST', '/api/calls', { body, ...(key ? { headers: { 'idempotency-key': key } } : {}) });
const look = (id: string) => api.ask('GET', `/api/calls/${id}`);
const creates = (phone: string) =>
  [...api.simulator.journal()].filter((entry) => entry.method === 'POST' && entry.phone === phone).length;

describe('POST /api/calls', () => {
  it('an order is accepted, waits, and is called once when a worker comes', async () => {
    const phone = '+14155550171';
    const taken = await order({
      agent: 'agent-1',
      phone: '+1 (415) 555-0171',
      name: 'Ann',
      variables: { plan: 'gold', n: 3 },
    });
    expect(taken.status).toBe(202);
    expect(taken.json).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      state: 'waiting',
      reason: 'rate',
      until: null,
      phone,
      campaign: 'calls-agent-1',
      attempt: null,
      links: {
        self: `/api/calls/${taken.json.id}`,
        campaign: expect.stringMatching(/^\/api\/campaigns\/[\w-]{36}$/),
      },
    });
    expect(taken.headers.get('location')).toBe(taken.json.links.self);
    expect((await look(taken.json.id)).json).toMatchObject({ state: 'waiting', attempts: 0, history: [] });

    const other = await order({ agent: 'agent-1', phone: '+14155550179' });
    for (const _ of ['once', 'and again']) {
      const withdrawn = await api.ask('POST', `/api/calls/${other.json.id}/cancel`);
      expect(withdrawn.json).toMatchObject({ state: 'skipped', error: 'canceled', attempts: 0 });
    }

    api.work();
    const ended = await until(
      () => look(taken.json.id),
      ({ json }) => json.state === 'done',
    );
    expect(ended.json).toMatchObject({
      id: taken.json.id,
      phone,
      name: 'Ann',
      state: 'done',
      outcome: 'answered',
      attempts: 1,
      call_id: expect.any(String),
      status: 'completed',
      duration: expect.any(Number),
      transcript: expect.any(String),
      error: null,
      input: { plan: 'gold', n: 3 },
      campaign: 'calls-agent-1',
    });
    expect(ended.json.history.map((event: { kind: string }) => event.kind)).toEqual([
      'planned',
      'dialing',
      'placed',
      'done',
    ]);
    expect(creates(phone)).toBe(1);
    expect(ended.json).toMatchObject({
      provider_call_sid: `CA${ended.json.call_id.replaceAll('-', '')}`,
      direction: 'outbound',
      contact_id: null,
      org_id: expect.any(String),
      agent_id: 'agent-1',
      metadata: {},
    });
    const told = await fetch(`${api.simulator.url}/call/${ended.json.call_id}`, {
      headers: { 'x-api-key': 'good' },
    });
    const record = (await told.json()) as Record<string, unknown>;
    expect(ended.json.record).toEqual({ ...record, provider_call_sid: ended.json.provider_call_sid });
    const attempt = await api.ask('GET', `/api/attempts/${ended.json.attempt}`);
    expect(attempt.json).toMatchObject({ org_id: record.org_id, agent_id: 'agent-1', metadata: {} });
    expect(attempt.json.record).toEqual(ended.json.record);
    const refreshed = await api.ask('POST', `/api/calls/${taken.json.id}/refresh`);
    expect(refreshed).toMatchObject({ status: 200, json: ended.json });
    expect((await api.ask('POST', '/api/calls/999999999/refresh')).status).toBe(404);
  });

  it('the same Idempotency-Key with the same body is the same call, however often and however close together', async () => {
    const body = { agent: 'agent-1', phone: '+14155550181', name: 'Bo', variables: { b: '2', a: '1' } };
    const answers = await Promise.all(Array.from({ length: 8 }, () => order(body, 'key-of-bo')));
    const ids = new Set(answers.map(({ json }) => json.id));
    expect(ids.size).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 202]);
    const again = await order(
      { ...body, phone: '+1 415 555 0181', variables: { a: '1', b: '2' } },
      'key-of-bo',
    );
    expect([again.status, again.json.id]).toEqual([200, [...ids][0]]);
    await until(
      () => look([...ids][0]!),
      ({ json }) => json.call_id !== null,
    );
    expect(creates('+14155550181')).toBe(1);
  });

  it('the same Idempotency-Key with another body is refused, and nobody is called', async () => {
    const body = { agent: 'agent-1', phone: '+14155550191' };
    expect((await order(body, 'key-of-cy')).status).toBe(202);
    const others = [
      { ...body, phone: '+14155550192' },
      { ...body, agent: 'agent-2' },
      { ...body, name: 'Cy' },
      { ...body, from: '+14155550100' },
      { ...body, variables: { a: '1' } },
    ];
    for (const other of others) {
      expect(await order(other, 'key-of-cy')).toMatchObject({
        status: 409,
        json: { code: 'request-conflict' },
      });
    }
    expect(creates('+14155550192')).toBe(0);
  });

  it('without a key each order is a separate call, even to one phone', async () => {
    const body = { agent: 'agent-1', phone: '+14155550211' };
    const [one, two] = [await order(body), await order(body)];
    expect(one!.json.id).not.toBe(two!.json.id);
    for (const { json } of [one!, two!])
      await until(
        () => look(json.id),
        (answer) => answer.json.call_id !== null,
      );
    expect(creates('+14155550211')).toBe(2);
  });

  it('a caller number that the account does not have is refused, and its numbers are asked for once', async () => {
    const listed = () => [...api.simulator.journal()].filter(({ path }) => /numbers/.test(path)).length;
    const body = { agent: 'agent-1', phone: '+14155550229' };
    expect((await order({ ...body, number_id: 'number-1' })).status).toBe(202);
    const before = listed();
    for (const more of [{ from: '+14155559999' }, { number_id: 'nobody' }]) {
      expect(await order({ ...body, ...more })).toMatchObject({
        status: 422,
        json: { code: 'caller-unknown' },
      });
    }
    expect(listed() - before).toBeLessThanOrEqual(1);
  });

  it('a caller number or id goes with the call', async () => {
    const from = await order({ agent: 'agent-1', phone: '+14155550221', from: '+1 415 555 0100' });
    const byId = await order({ agent: 'agent-1', phone: '+14155550222', number_id: 'number-2' });
    expect(new Set([from.json.campaign, byId.json.campaign]).size).toBe(2);
    for (const { json } of [from, byId])
      await until(
        () => look(json.id),
        (answer) => answer.json.call_id !== null,
      );
    const both = await order({
      agent: 'a',
      phone: '+14155550223',
      from: '+14155550100',
      number_id: 'number-2',
    });
    expect(both).toMatchObject({ status: 422, json: { code: 'request-invalid' } });
  });

  it('a suppressed phone is refused', async () => {
    await api.ask('POST', '/api/suppressions', { body: { phones: ['+14155550231'] } });
    const answer = await order({ agent: 'agent-1', phone: '+14155550231' }, 'key-suppressed');
    expect(answer).toMatchObject({ status: 409, json: { code: 'phone-suppressed' } });
    const first = { agent: 'agent-of-nobody', phone: '+14155550231', ignore_policy: true };
    expect((await order(first)).json.code).toBe('phone-suppressed');
    const { json } = await api.ask('GET', '/api/campaigns?limit=1000');
    const names = json.items.map((each: { name: string }) => each.name);
    expect(names).not.toContain('calls-agent-of-nobody-ignoring-policy');
  });

  it('a paused campaign of calls accepts no more, and says how to resume', async () => {
    const first = await order({ agent: 'agent-paused', phone: '+14155550241' });
    const url = `/api/campaigns/${encodeURIComponent(first.json.campaign)}`;
    expect((await api.ask('POST', `${url}/pause`)).json.state).toBe('paused');
    const refused = await order({ agent: 'agent-paused', phone: '+14155550242' });
    expect(refused).toMatchObject({
      status: 409,
      json: {
        code: 'campaign-state',
        remedy: expect.stringMatching('carillon campaign resume NAME`, or POST '),
      },
    });
    expect((await api.ask('POST', `${url}/resume`)).json.state).toBe('running');
    expect((await order({ agent: 'agent-paused', phone: '+14155550242' })).status).toBe(202);
  });

  it('a canceled campaign of calls gives its name to a new one', async () => {
    const first = await order({ agent: 'agent-gone', phone: '+14155550251' });
    await api.ask('POST', `${first.json.links.campaign}/cancel`);
    const second = await order({ agent: 'agent-gone', phone: '+14155550252' });
    expect(second.status).toBe(202);
    expect(second.json.links.campaign).not.toBe(first.json.links.campaign);
  });

  it.each([
    [{ phone: '+14155550171' }, 'agent'],
    [{ agent: 'a' }, 'phone'],
    [{ agent: 'a', phone: 'hello' }, 'phone'],
    [{ agent: 'a', phone: '4155550171' }, 'phone'],
    [{ agent: 'a', phone: '+14155550171', nmae: 'x' }, 'nmae'],
    [{ agent: 'a', phone: '+14155550171', country: 'XX' }, 'country'],
    [{ agent: 'a\u0000b', phone: '+14155550171' }, 'agent'],
    [{ agent: '\ud800', phone: '+14155550171' }, 'agent'],
    [{ agent: 'a', phone: '+14155550171', variables: { x: '\u0000' } }, 'NUL'],
    [{ agent: 'a', phone: '+14155550171', from: '4155550100' }, 'caller'],
    [[], 'must be an object'],
    ['"text"', 'must be an object'],
  ])('%j is refused, naming what is wrong', async (body, named) => {
    const answer = await api.ask('POST', '/api/calls', {
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(answer).toMatchObject({
      status: 422,
      json: { code: 'request-invalid', detail: expect.stringContaining(named) },
    });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it.each(['a b', 'x'.repeat(256), 'ü'])('the Idempotency-Key %j is refused', async (key) => {
    const { status } = await api.raw('POST', '/api/calls', {
      'idempotency-key': Buffer.from(key).toString('latin1'),
      'content-type': 'application/json',
    });
    expect(status).toBe(422);
  });

  it('a number in national form is read with its country', async () => {
    const answer = await order({ agent: 'agent-1', phone: '(415) 555-0261', country: 'us' });
    expect(answer.json.phone).toBe('+14155550261');
  });

  it('a body that is not JSON and one that is too large get different errors', async () => {
    const headers = { 'content-type': 'application/json' };
    const broken = await api.ask('POST', '/api/calls', { headers, body: '{"agent"' });
    expect(broken).toMatchObject({
      status: 422,
      json: { code: 'request-invalid', detail: 'The body is not JSON: line 1, column 9' },
    });
    const latin = Buffer.from('{"agent":"agent-1","phone":"+14155550262","name":"Zo\xeb"}', 'latin1');
    const others: [string | Buffer, string][] = [
      [latin, 'The body is not UTF-8'],
      ['{"agent":', 'The body is not JSON: it ends too soon'],
      ['{\n  "agent": "agent-1",\n}', 'The body is not JSON: line 3, column 1'],
      ['Ann', 'The body is not JSON'],
      ['{"agent":"agent-1","__proto__":{}}', 'The body has a key that is not accepted: `__proto__`'],
    ];
    for (const [body, detail] of others) {
      const answer = await api.ask('POST', '/api/calls', { headers, body });
      expect(answer).toMatchObject({ status: 422, json: { detail: expect.stringContaining(detail) } });
    }
    const large = await api.ask('POST', '/api/calls', {
      headers,
      body: JSON.stringify({ agent: 'a'.repeat(1_100_000) }),
    });
    expect(large).toMatchObject({ status: 413, json: { code: 'body-too-large' } });
  });
});

describe('GET /api/calls/{id}', () => {
  it('an address that is too long names nothing', async () => {
    expect(await look('x'.repeat(900))).toMatchObject({
      status: 404,
      json: { code: 'route-unknown', detail: 'The address is too long to name anything' },
    });
  });

  it.each(['999999999', 'x', '-1', '1e3', '99999999999999999999', '%00'])('%s is not a call', async (id) => {
    const answer = await look(id);
    expect([404, 422]).toContain(answer.status);
    expect(['call-unknown', 'request-invalid']).toContain(answer.json.code);
  });
});
