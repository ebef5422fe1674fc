import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

let api: TestApi;
const folder = mkdtempSync(join(tmpdir(), 'carillon-unknowns-'));
const profile = join(folder, 'profile.json');
// A service that is told the campaign.
writeFileSync(
  profile,
  JSON.stringify({
    extends: 'standard',
    create: { body: { agent_overrides: { campaign: '{campaign}' } } },
  }),
);
beforeAll(async () => {
  api = await openApi({
    // Creates to these phones are carried out or not, and never answered in a way that can be read.
    simulator: {
      faults: [
        { kind: 'html', phone: '8', when: 'after' },
        { kind: 'html', phone: '9', when: 'before' },
      ],
    },
    env: { VOICE_TIMEOUT_MS: '2000', VOICE_PROFILE: profile },
  });
  api.work();
});
afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

const list = async () => (await api.ask('GET', '/api/unknown')).json.items;
const resolve = (attempt: string, body: unknown) =>
  api.ask('POST', `/api/unknown/${attempt}/resolve`, { body });

/** A call whose create got an unreadable answer. */
async function lose(phone: string): Promise<{ call: string; attempt: string }> {
  // This many losses in a row would be an outage, and the key would rest.
  await api.app.ledger.lanes.well(api.stations.lanes()[0]!.id);
  const { json } = await api.ask('POST', '/api/calls', { body: { agent: 'a', phone, name: 'Ann' } });
  const found = await until(list, (items) => items.some((item: { phone: string }) => item.phone === phone));
  return { call: json.id, attempt: found.find((item: { phone: string }) => item.phone === phone).attempt };
}

/** The dialling was long ago, and the request can no longer be on its way. */
async function age(attempt: string): Promise<void> {
  await api.sql(`update carillon.attempts set expires_at = now() - interval '1 hour' where id = $1`, [
    attempt,
  ]);
}

const stateOf = async (call: string) => (await api.ask('GET', `/api/calls/${call}`)).json;

describe('an unknown attempt', () => {
  it('is listed with what is known about it, and shown on its call', async () => {
    const { call, attempt } = await lose('+14155550408');
    const item = (await list()).find((each: { attempt: string }) => each.attempt === attempt);
    const { campaigns } = (await api.ask('GET', '/api/unknown?limit=1&counts=1')).json;
    expect(campaigns).toEqual([{ campaign: 'calls-a', unknown: (await list()).length, placed: 0 }]);
    expect(item).toMatchObject({
      campaign: 'calls-a',
      phone: '+14155550408',
      name: 'Ann',
      reason: 'lost',
      detail: expect.stringContaining('502'),
      key: 'main',
      agent: 'a',
      from: null,
      why: expect.stringContaining('may have reached the service'),
      not_called_from: expect.any(String),
      redial: false,
      call_id: null,
    });
    expect(item).toMatchObject({ recipient: call, number: 1, phone_held_until: expect.any(String) });
    expect(await stateOf(call)).toMatchObject({ state: 'unknown', attempts: 1 });
    expect((await api.ask('GET', '/api/unknown?campaign=calls-a')).json.items.length).toBeGreaterThan(0);
    expect((await api.ask('GET', '/api/unknown?campaign=none')).status).toBe(404);
  });

  it('is shown with what was sent, and with what the service says of a call that a person found', async () => {
    const { call, attempt } = await lose('+14155550368');
    const show = (query = '') => api.ask('GET', `/api/unknown/${attempt}${query}`);
    const { json } = await show();
    expect(json).toMatchObject({
      attempt,
      recipient: call,
      sent: {
        method: 'POST',
        url: `${api.simulator.url}/call`,
        body: { agent_id: 'a', customer: { phone_number: '+14155550368', name: 'Ann' } },
        requests: 1,
        by: expect.any(String),
        answer_by: expect.any(String),
      },
      at_service: null,
    });
    const { exchanges } = await until(
      async () => (await api.ask('GET', `/api/attempts/${attempt}`)).json,
      (told) => told.exchanges.length > 0,
    );
    expect(json.sent.body).toEqual(JSON.parse(exchanges[0].body));
    expect(json.sent.body).toMatchObject({ agent_overrides: { campaign: 'calls-a' } });
    expect(json.course.map(({ step }: { step: string }) => step)).toEqual([
      'planned',
      'token',
      'sent',
      'unknown',
    ]);
    expect(Date.parse(json.phone_held_until)).toBeGreaterThan(Date.parse(json.not_called_from));
    expect(JSON.stringify(json)).not.toContain('secret-of-main');
    // It has no call of its own to ask for.
    expect((await show('?ask=1')).json).toMatchObject({ code: 'attempt-state' });
    expect((await show('?call_id=call-of-nobody')).json.at_service).toMatchObject({
      found: false,
      record: null,
    });
    const calls = (await api.app.lanes[0]!.client.create({ agentId: 'a', phone: '+14155550367' })) as {
      value: { id: string };
    };
    const other = (await show(`?call_id=${calls.value.id}`)).json.at_service;
    expect(other).toMatchObject({ found: true, record: null, mismatch: expect.stringContaining('another') });
    expect((await api.ask('GET', '/api/unknown/00000000-0000-4000-8000-000000000000')).status).toBe(404);
  });

  it('is not freed while the request may still be on its way', async () => {
    const { call, attempt } = await lose('+14155550409');
    const early = await resolve(attempt, { as: 'not-called' });
    expect(early).toMatchObject({
      status: 409,
      json: { code: 'attempt-state', remedy: expect.stringMatching(/in 1\d\d s\./) },
    });
    expect(await stateOf(call)).toMatchObject({ state: 'unknown' });
  });

  it('can be settled as not called: the person waits again, and the attempt is not counted', async () => {
    const { call, attempt } = await lose('+14155550419');
    await age(attempt);
    api.simulator.control({ faults: [] });
    const answer = await resolve(attempt, { as: 'not-called' });
    expect(answer).toMatchObject({
      status: 200,
      json: { attempt, campaign: 'calls-a', recipient: call, state: 'dropped' },
    });
    const after = await until(
      () => stateOf(call),
      ({ call_id }) => call_id !== null,
    );
    expect(after.attempts).toBe(1);
    expect(await resolve(attempt, { as: 'not-called' })).toMatchObject({
      status: 409,
      json: { code: 'attempt-state' },
    });
    api.simulator.control({ faults: [{ kind: 'html', phone: '8', when: 'after' }] });
  });

  it('can be settled with its call: it is followed to its end', async () => {
    const { call, attempt } = await lose('+14155550418');
    const made = [...api.simulator.journal()].find((entry) => entry.phone === '+14155550418')!.call!;
    const answer = await resolve(attempt, { as: 'called', call_id: made });
    expect(answer.status).toBe(200);
    // It continues, or has already ended.
    expect(['placed', 'done']).toContain(answer.json.state);
    const ended = await until(
      () => stateOf(call),
      ({ state }) => state === 'done',
    );
    expect(ended).toMatchObject({ call_id: made, attempts: 1 });
    expect(ended.outcome).not.toBeNull();
  });

  it('can be settled as called when nothing more is known: done without an outcome', async () => {
    const { call, attempt } = await lose('+14155550428');
    expect((await resolve(attempt, { as: 'called' })).json.state).toBe('done');
    expect(await stateOf(call)).toMatchObject({ state: 'done', outcome: null, attempts: 1 });
  });

  it('cannot be settled as not called when the service has the call', async () => {
    const { attempt } = await lose('+14155550438');
    await age(attempt);
    expect(await resolve(attempt, { as: 'not-called', call_id: 'x' })).toMatchObject({
      status: 409,
      json: { code: 'attempt-state' },
    });
    await api.sql(`update carillon.attempts set call_id = 'call-1' where id = $1`, [attempt]);
    expect(await resolve(attempt, { as: 'not-called' })).toMatchObject({
      status: 409,
      json: { code: 'attempt-state' },
    });
    expect(await resolve(attempt, { as: 'called', call_id: 'call-2' })).toMatchObject({
      status: 409,
      json: { code: 'attempt-state' },
    });
    // A call that the service does not know, named by a person, changes nothing.
    expect(await resolve(attempt, { as: 'called', call_id: 'call-1' })).toMatchObject({
      status: 404,
      json: { code: 'call-unknown' },
    });
    // A call that the service itself named and no longer knows is over.
    expect(await resolve(attempt, { as: 'called' })).toMatchObject({
      status: 200,
      json: { state: 'done', outcome: null },
    });
  });

  it('gets the call when two people name it for two attempts at once, and the other is refused', async () => {
    const lost = await Promise.all(['+14155550458', '+14155550468'].map(lose));
    const made = [...api.simulator.journal()].find((entry) => entry.phone === '+14155550458')!.call!;
    const answers = await Promise.all(
      lost.map(({ attempt }) => resolve(attempt, { as: 'called', call_id: made, reason: 'found it' })),
    );
    expect(answers.map((each) => each.status).sort()).toEqual([200, 409]);
    const loser = answers.find((each) => each.status === 409)!;
    expect(loser.json.detail).toMatch(/belongs to the attempt|a call to another phone/);
    expect(answers[0]!.status).toBe(200);
    expect((await api.app.ledger.reports.audit()).filter((rule) => rule.broken > 0)).toEqual([]);
    const winner = lost[answers.findIndex((each) => each.status === 200)]!;
    const kinds = (await stateOf(winner.call)).history.map(
      (event: { kind: string; detail: string }) => `${event.kind} ${event.detail}`,
    );
    expect(kinds).toContain(`resolved called as ${made}: found it`);
  });

  it('can be settled with many others: those of a campaign, or those that are named', async () => {
    const fresh = await Promise.all(['+14155550478', '+14155550488', '+14155550498'].map(lose));
    const old = fresh.slice(0, 2);
    const all = (body: unknown) => api.ask('POST', '/api/unknown/resolve', { body });
    for (const body of [
      { as: 'not-called' },
      { as: 'not-called', all: true, campaign: 'calls-a' },
      { as: 'not-called', attempts: [] },
      { as: 'not-called', attempts: Array.from({ length: 1_001 }, () => ({ attempt: 'x' })) },
    ]) {
      expect(await all(body)).toMatchObject({ status: 422, json: { code: 'request-invalid' } });
    }
    expect(await all({ as: 'called', campaign: 'none' })).toMatchObject({ status: 404 });
    // Nobody is dialled again while this test looks at them.
    api.simulator.control({ faults: [] });
    for (const { attempt } of old) await age(attempt);
    const named = fresh.map(({ attempt }) => ({ attempt }));
    const some = await all({ as: 'not-called', attempts: named, reason: 'the service’s outage' });
    expect(some.json).toMatchObject({ as: 'not-called', matched: 3, resolved: 2 });
    expect(some.json.failed).toEqual([
      { attempt: fresh[2]!.attempt, code: 'attempt-state', detail: expect.stringContaining('on its way') },
    ]);
    expect((await stateOf(old[0]!.call)).history).toContainEqual(
      expect.objectContaining({ kind: 'resolved', detail: 'not called: the service’s outage' }),
    );
    const left = (await list()).length;
    expect((await all({ as: 'called', campaign: 'calls-a' })).json).toEqual({
      as: 'called',
      matched: left,
      resolved: left,
      failed: [],
    });
    expect(await list()).toEqual([]);
    api.simulator.control({ faults: [{ kind: 'html', phone: '8', when: 'after' }] });
  });

  it('must exist, and so must its resolution', async () => {
    for (const id of ['x', '00000000-0000-4000-8000-000000000000']) {
      expect(await resolve(id, { as: 'called' })).toMatchObject({
        status: 404,
        json: { code: 'attempt-unknown' },
      });
    }
    const { attempt } = await lose('+14155550448');
    for (const body of [{}, { as: 'maybe' }, { as: 'called', callId: 'x' }]) {
      expect(await resolve(attempt, body)).toMatchObject({ status: 422, json: { code: 'request-invalid' } });
    }
  });
});
