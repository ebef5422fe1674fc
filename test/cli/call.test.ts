import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { loadConfig } from '../../src/base/config/config.ts';
import { createLog } from '../../src/base/log.ts';
import { startLoop } from '../../src/base/loop.ts';
import { startWorkers } from '../../workers/loops.ts';
import { startChild } from './child.ts';
import { typeLine, useTerminal } from './terminal.ts';

const term = useTerminal('test', { shares: { 'no-answer': 1 } });

const create = 'call create --agent agent-1 --to +14155550123';
const people = () => term.sql('select state, outcome, reason, attempts from carillon.people');

describe('call create', () => {
  it('places the call once, and prints its id', async () => {
    const made = await term.type(`${create} --from +14155550100 --name Ann --json`);
    expect(made).toMatchObject({ code: 0, json: { state: 'calling', phone: '+14155550123', key: 'a' } });
    expect(made.json.call_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.err).toContain('follows it to its end');
    expect(term.creates()).toBe(1);
    expect(await people()).toEqual([{ state: 'calling', outcome: null, reason: null, attempts: 1 }]);
  });

  it('calls a phone as often as it is asked to, one call after the other', async () => {
    term.simulator.control({ speed: 3_000 });
    await term.type(`${create} --wait`);
    await term.type(create);
    expect(term.creates()).toBe(2);
    expect((await term.type('audit --json')).json).toMatchObject({
      ok: true,
      campaigns: [{ calling: 1, done: 1 }],
    });
  });

  it('waits for a phone that is on the line, says so, and calls nobody when it is interrupted', async () => {
    await term.type(create);
    const child = startChild(create.split(' '), term.env);
    await child.says('has not ended');
    const { code, err } = await child.stop();
    expect(code).toBe(130);
    expect(err).toContain('nobody was called: interrupted');
    expect(term.creates()).toBe(1);
  });

  it('follows the call to its result with --wait', async () => {
    const made = await term.type(`${create} --wait --json`);
    expect(made).toMatchObject({
      code: 0,
      json: { state: 'done', outcome: 'no-answer', status: 'no-answer' },
    });
    expect(made.err).toBe('');
  });

  it('waits out a 429 and spends no attempt on it', async () => {
    term.simulator.control({ faults: [{ kind: 'error', status: 429, next: 2 }] });
    const made = await term.type(`${create} --json`);
    expect(made).toMatchObject({ code: 0, json: { state: 'calling' } });
    expect(term.creates()).toBe(3);
    expect(await people()).toMatchObject([{ attempts: 1 }]);
  });

  it('is unknown when the answer was lost, and is not sent again', async () => {
    term.simulator.control({ faults: [{ kind: 'reset', when: 'after', next: 1 }] });
    const made = await term.type(`${create} --json`);
    expect(made).toMatchObject({ code: 3, json: { state: 'unknown', call_id: null } });
    expect(made.err).toContain(`carillon unknown resolve ${made.json.attempt}`);
    expect(term.creates()).toBe(1);
  });

  it('parks without credit, and the next call probes for credit again', async () => {
    term.simulator.control({ credits: 0 });
    const broke = await term.type(`${create} --json`);
    expect(broke).toMatchObject({ code: 3, json: { state: 'parked' } });
    expect(broke.err).toContain('no credit');
    term.simulator.control({ credits: 5 });
    expect(await term.type('call create --agent agent-1 --to +14155550124 --json')).toMatchObject({
      code: 0,
      json: { state: 'calling' },
    });
    // The parked one is planned again, for the background workers.
    expect((await people()).map((row) => row.state).sort()).toEqual(['calling', 'queued']);
  });

  it('exits with 2 when the service refuses the call, in its words, and leaves nothing for a worker', async () => {
    const refused = await term.type('call create --agent agent-unknown --to +14155550123 --json');
    expect(refused).toMatchObject({ code: 2, json: { state: 'rejected', call_id: null } });
    expect(refused.err).toMatch(/refused the call; nobody was called: .+/);
    // Three in a row would pause a list.
    for (let i = 0; i < 3; i++) await term.type('call create --agent agent-unknown --to +14155550123');
    expect((await people()).map((row) => row.state)).toEqual(Array(4).fill('rejected'));
    const [line] = await term.ledger.campaigns.page(null, 10);
    expect(line?.state).toBe('running');
  });

  it('does not call a suppressed person', async () => {
    await term.type('suppress add +14155550123');
    const made = await term.type(create);
    expect(made.code).toBe(2);
    expect(made.err).toContain('suppressed');
    expect(term.creates()).toBe(0);
    expect(await people()).toEqual([]);
  });

  it('withdraws the call when the service cannot be reached', async () => {
    const made = await term.type(create, { env: { VOICE_BASE_URL: 'http://127.0.0.1:9/v1' } });
    expect(made.code).toBe(2);
    expect(made.err).toContain('Nobody was called');
    expect(await people()).toMatchObject([{ state: 'skipped', attempts: 0 }]);
  });

  it('uses another key when its own is not accepted', async () => {
    const env = { VOICE_API_KEYS: 'bad=wrong,good=good' };
    const made = await term.type(`${create} --json`, { env });
    expect(made).toMatchObject({ code: 0, json: { state: 'calling', key: 'good' } });
    expect((await term.type('keys --json', { env })).json.items).toMatchObject([
      { name: 'bad', state: 'denied' },
      { name: 'good', state: 'open', calling: 1 },
    ]);
  });

  it('calls nobody when no key is accepted, and leaves nothing for later', async () => {
    const env = { VOICE_API_KEYS: 'bad=wrong' };
    expect(await term.type(create, { env })).toMatchObject({ code: 2, out: '' });
    expect(await people()).toMatchObject([{ state: 'skipped' }]);
    expect((await term.type(create, { env })).err).toContain('Every key is closed');
  });

  it('calls nobody while its campaign is paused', async () => {
    await term.type(create);
    await term.type('campaign pause --all');
    const made = await term.type(create);
    expect(made.code).toBe(2);
    expect(made.err).toContain('carillon campaign resume NAME');
    expect(term.creates()).toBe(1);
  });

  it('calls once even while background workers look for plans', async () => {
    const app = await openApp(loadConfig(term.env), { log: createLog('silent') });
    const stations = app.stations({ dialer: 'background', campaignId: null, runId: null });
    const { engine, clock, log } = app;
    for (const worker of startWorkers(stations, { engine, clock, log })) app.lifecycle.add(worker);
    const rounds = app.lifecycle.add(
      startLoop({ name: 'rounds', everyMs: 5, clock, log, work: () => stations.reconcile.round() }),
    );
    try {
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, at) =>
          term.type(`call create --agent agent-1 --to +1415555012${at} --json`),
        ),
      );
      expect(made.map((each) => each.code)).toEqual(Array(6).fill(0));
      expect(new Set(made.map((each) => each.json.call_id)).size).toBe(6);
      expect(term.creates()).toBe(6);
    } finally {
      await rounds.close();
      await app.lifecycle.stop(5_000);
    }
    expect((await term.type('audit')).code).toBe(0);
  });

  it('withdraws the call on Ctrl-C while it waits', async () => {
    term.simulator.control({ faults: [{ kind: 'error', status: 429 }] });
    const child = startChild(create.split(' '), term.env);
    await expect.poll(() => term.creates()).toBeGreaterThan(0);
    const { code, err } = await child.stop();
    expect(code).toBe(130);
    expect(err).toContain('nobody was called: interrupted');
    expect(await people()).toMatchObject([{ state: 'skipped', attempts: 0 }]);
  });

  it('keeps two services apart even if the agent has the same name', async () => {
    await term.type(create);
    const url = new URL(term.simulator.url);
    const other = `http://localhost:${url.port}/v1`;
    const made = await term.type('call create --agent agent-1 --to +14155550124 --json', {
      env: { VOICE_BASE_URL: other },
    });
    expect(made.json.campaign).toBe(`calls-agent-1@localhost:${url.port}`);
  });

  it('tells when it changes the contact rules in force', async () => {
    const policies = ['1h', '2h', '2h'].map((gap, i) => {
      const path = join(mkdtempSync(join(tmpdir(), 'carillon-rules-')), `${i}.json`);
      writeFileSync(path, JSON.stringify({ gap }));
      return path;
    });
    const said: boolean[] = [];
    for (const [i, path] of policies.entries()) {
      const line = `call create --agent agent-1 --phone +1415555013${i}`;
      const { err } = await term.type(line, { env: { CARILLON_POLICY: path } });
      said.push(err.includes('processes with another file stop dialling'));
    }
    expect(said).toEqual([false, true, false]);
  });
});

describe('call show', () => {
  it('shows the service’s record and what the ledger knows about it', async () => {
    const { call_id: id } = (await term.type(`${create} --wait --json`)).json;
    const shown = await term.type(`call show ${id} --json`);
    expect(shown.json).toMatchObject({
      call_id: id,
      status: 'no-answer',
      outcome: 'no-answer',
      key: 'a',
      campaign: 'calls-agent-1',
      state: 'done',
    });
    // The ledger has the call's end: the service is not asked any more.
    const { requests } = term.simulator.state();
    const told = await fetch(`${term.simulator.url}/call/${id}`, { headers: { 'x-api-key': 'good' } });
    const record = (await told.json()) as Record<string, unknown>;
    expect(shown.json.record).toEqual({ ...record, provider_call_sid: shown.json.provider_call_sid });
    expect(shown.json).toMatchObject({ org_id: record.org_id, agent_id: 'agent-1', metadata: {} });
    expect((await term.type(`call show ${id}`)).out).toContain(
      `Updated    ${String(record.updated_at).slice(0, 19).replace('T', ' ')}Z`,
    );
    expect(term.simulator.state().requests).toBe(requests + 1);
    for (const other of [shown.json.id, shown.json.attempt])
      expect((await term.type(`call show ${other} --json`)).json).toEqual(shown.json);
    expect((await term.type(`call show ${id}`)).out).toContain(`Call ${id} has ended: no-answer\n`);
  });

  it('asks each key for a call that the ledger does not know', async () => {
    const response = await fetch(`${term.simulator.url}/call`, {
      method: 'POST',
      headers: { 'x-api-key': 'good', 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: 'a', customer: { phone_number: '+14155550123' } }),
    });
    const { id } = (await response.json()) as { id: string };
    expect((await term.type(`call show ${id} --json`)).json).toMatchObject({
      id: null,
      call_id: id,
      phone: '+14155550123',
      key: 'a',
      record: { id },
    });
  });

  it.each(['other-id', 'other-phone'] as const)(
    'shows what the ledger knows when the service returns another call (%s)',
    async (kind) => {
      term.simulator.control({ speed: 0.01 });
      const { call_id: id } = (await term.type(`${create} --json`)).json;
      term.simulator.control({ faults: [{ kind, on: 'all' }] });
      const shown = await term.type(`call show ${id} --json`);
      expect(shown.json).toMatchObject({ call_id: id, phone: '+14155550123', record: null });
      expect(shown.err).toMatch(/not shown: asked for .*another (call|phone)/);
      const changed = await term.type(`call update ${id} --status canceled`);
      expect(changed.out).toBe('');
      expect(changed.err).toMatch(/may have been changed, .*another (call|phone)/);
    },
  );

  it('says that it is unknown who was called when a create was answered with another phone', async () => {
    term.simulator.control({ faults: [{ kind: 'other-phone' }] });
    const made = await term.type(`${create} --json`);
    expect(made).toMatchObject({ code: 3, json: { state: 'unknown', call_id: null } });
    expect(made.json.error).toContain('another phone, which ends in 0199');
    expect((await term.type('unknown list')).out).toContain('which ends in 0199');
    expect((await term.type('audit')).code).toBe(0);
  });

  it('says so when the call does not exist', async () => {
    const shown = await term.type('call show 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f');
    expect(shown).toMatchObject({ code: 2, out: '' });
    expect(shown.err).toContain('The service does not know the call 5a1f0f6e');
  });

  it('says so when the id is empty, and asks the service nothing', async () => {
    const shown = await term.type(['call', 'show', '']);
    expect(shown).toMatchObject({ code: 2, out: '' });
    expect(shown.err).toContain('The id of the call is empty');
  });
});

describe('a call of a person who was called before', () => {
  it('is shown by its own id as the service reports it, and only the latest can be changed', async () => {
    term.simulator.control({ speed: 3_000 });
    const first = (await term.type(`${create} --wait --json`)).json;
    term.simulator.control({ speed: 0.01 });
    // The same person's next attempt, in progress.
    await term.sql(
      `update carillon.recipients set state = 'waiting', outcome = 'no-answer', next_at = '-infinity' where id = $1`,
      [first.id],
    );
    await term.sql(
      `with planned as (
        insert into carillon.attempts (campaign_id, recipient_id, lane_id, phone, number)
        select r.campaign_id, r.id, (select id from carillon.lanes limit 1), r.phone, 2
        from carillon.recipients r where r.id = $1 returning recipient_id
      )
      update carillon.recipients r set state = 'live' from planned p where r.id = p.recipient_id`,
      [first.id],
    );
    expect((await term.type(`call show ${first.call_id} --json`)).json).toMatchObject({
      id: first.id,
      call_id: first.call_id,
      outcome: 'no-answer',
      attempt_state: 'planned',
      record: { id: first.call_id, status: 'no-answer', metadata: {} },
    });
    for (const ref of [first.id, first.call_id]) {
      const changed = await term.type(`call update ${ref} --status canceled`);
      expect([ref, changed.code, changed.out]).toEqual([ref, 2, '']);
      expect(changed.err).toContain('has not been placed');
    }
  });
});

describe('call refresh', () => {
  it('keeps what the service added after the end, and answers the call as a look at it does', async () => {
    term.simulator.control({ speed: 3_000, faults: [{ kind: 'late-record', ms: 86_400_000 }] });
    const made = (await term.type(`${create} --wait --json`)).json;
    expect(made).toMatchObject({ state: 'done', outcome: 'no-answer', cost: null });
    const again = await term.type(`call refresh ${made.call_id} --json`);
    expect(again.json).toMatchObject({ id: made.id, state: 'done', outcome: 'no-answer', cost: null });
    term.simulator.control({ speed: 1_000_000 });
    const refresh = async () => (await term.type(`call refresh ${made.id} --json`)).json;
    await expect.poll(async () => (await refresh()).cost).toBe(0);
    expect(await refresh()).toEqual((await term.type(`call show ${made.attempt} --json`)).json);
    expect((await term.type(`call refresh ${made.call_id}`)).out).toContain('Cost       0');
    expect((await term.type('audit')).code).toBe(0);
    const { requests } = (await term.type('campaign show calls-agent-1 --json')).json.balance;
    expect(requests).toBe(term.simulator.state().requests);
  });

  it('settles a call that has ended, and leaves one in progress as it is', async () => {
    term.simulator.control({ speed: 0.01 });
    const { call_id: id } = (await term.type(`${create} --json`)).json;
    expect((await term.type(`call refresh ${id} --json`)).json).toMatchObject({ state: 'calling' });
    term.simulator.control({ speed: 100_000 });
    const state = async () => (await term.type(`call refresh ${id} --json`)).json.state;
    await expect.poll(state).toBe('done');
    expect((await term.type('audit')).code).toBe(0);
  });

  it('writes nothing of another call’s record, and refuses what was never placed', async () => {
    const { call_id: id } = (await term.type(`${create} --json`)).json;
    term.simulator.control({ faults: [{ kind: 'other-phone', on: 'get' }] });
    const refreshed = await term.type(`call refresh ${id}`);
    expect(refreshed.code).not.toBe(0);
    expect(refreshed.err).toContain('another phone');
    const missing = await term.type('call refresh 5a1f0f6e-7a51-4f5c-9d0a-2f6c1c1d2e3f');
    expect(missing).toMatchObject({ code: 2, out: '' });
    expect(missing.err).toContain('is not known');
  });
});

describe('call update', () => {
  it('changes status and metadata', async () => {
    term.simulator.control({ speed: 0.01 });
    const { call_id: id } = (await term.type(`${create} --json`)).json;
    const line = ['call', 'update', id, '--status', 'canceled', '--metadata', '{"ticket":"A-17"}', '--json'];
    const updated = await term.type(line);
    expect(updated.json).toMatchObject({
      call_id: id,
      status: 'canceled',
      record: { metadata: { ticket: 'A-17' } },
    });
  });
});

describe('what is refused before anything is opened', () => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1:9/none', VOICE_BASE_URL: 'http://127.0.0.1:9/v1' };
  const typed = (line: string | string[]) =>
    typeLine(line, { ...env, VOICE_API_KEYS: 'a=good', LOG_LEVEL: 'silent' }, tmpdir());

  it.each([
    ['no agent', 'call create --to +14155550123'],
    ['two callers', 'call create --agent a --to +14155550123 --from +14155550100 --number-id n'],
    ['two phones', 'call create --agent a --phone +14155550123 --to +14155550124'],
  ])('refuses %s, and opens nothing', async (_what, line) => {
    expect(await typed(line)).toMatchObject({ code: 2, out: '' });
  });

  it('takes --phone for --to, and says so to one who types the phone only', async () => {
    const named = await typed('call create --agent a --phone 12');
    expect(named.err).toContain('carillon: phone: ');
    const bare = await typed('call create +14155550123 --agent a');
    expect([bare.code, bare.err]).toEqual([
      2,
      'carillon: call create takes no argument, but was given "+14155550123". Give the phone as --phone +14155550123.\n',
    ]);
  });

  it('names a country that is not a code in plain words', async () => {
    const wrong = await typed('call create --agent a --to 4155550123 --country Utopia');
    expect(wrong.err).toContain('country must be a two-letter country code, such as US or GB');
  });

  it('wants something to change, and an object for metadata', async () => {
    expect((await typed('call update some-id')).code).toBe(2);
    expect((await typed('call update some-id --metadata [1]')).err).toContain('not a JSON object');
  });
});
