import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readPolicyFile } from '../../src/control/policies/set.ts';
import { createDialPermit } from '../../src/dispatch/trust/dial-permit.ts';
import { typeLine } from '../cli/terminal.ts';
import { log } from '../dispatch/support.ts';
import { serveApi } from './support.ts';

/** The contact rules as people set and see them: through the API, on the command line, and in a single call. */
const api = serveApi();
afterEach(async () => {
  await api.ask('PUT', '/api/policy', { body: {} });
});

const type = (line: string) => typeLine(line, api.env, process.cwd());
const put = (body: unknown) => api.ask('PUT', '/api/policy', { body });
const call = (phone: string, more: object = {}) =>
  api.ask('POST', '/api/calls', { body: { agent: 'agent-1', phone, ...more } });
const file = (body: unknown) => {
  const path = join(api.env.CARILLON_HOME!, 'rules.json');
  writeFileSync(path, JSON.stringify(body));
  return path;
};
/** Somebody called this phone an hour ago. */
const called = (phone: string) =>
  api.app.ledger.db.transaction((tx) =>
    tx.client.query(
      `insert into carillon.phone_calls (phone, at, ended_at, answered, attempt_id)
       values ($1, now() - interval '1 hour', now() - interval '1 hour', false, gen_random_uuid())`,
      [phone],
    ),
  );

describe('the contact rules', () => {
  it('are shown as they were written, with their version, and the same on the command line', async () => {
    const body = { caps: [{ calls: 3, per: '24h' }], gap: '4h' };
    const made = await put(body);
    expect(made).toMatchObject({ status: 200, json: { body, source: 'api', version: expect.any(Number) } });
    expect((await api.ask('GET', '/api/policy')).json).toEqual(made.json);
    expect((await type('policy show --json')).json).toEqual(made.json);
    // The same rules again are the same version.
    expect((await put({ gap: '240m', caps: body.caps })).json.version).toBe(made.json.version);
    const set = await type(`policy set ${file({ gap: '1h' })} --json`);
    expect(set.json).toMatchObject({ body: { gap: '1h' }, version: made.json.version + 1 });
  });

  it('say through both doors alike whether a phone may be called at a time', async () => {
    await put({ hours: ['us-telemarketing'] });
    const asked = { phone: '+13055550123', at: '2026-12-01T20:30:00-05:00' };
    const answer = await api.ask('POST', '/api/policy/test', { body: asked });
    expect(answer).toMatchObject({
      status: 200,
      json: { allowed: false, rule: 'legal-hours', until: '2026-12-02T13:00:00.000Z' },
    });
    const typed = await type(`policy test --phone ${asked.phone} --at ${asked.at} --json`);
    expect([typed.code, typed.json]).toEqual([0, answer.json]);
  });

  it('say for a person that the source is the law, once, and that no hour is open for a number of all states', async () => {
    await put({ hours: ['us-telemarketing'] });
    const at = '--at 2026-12-01T20:30:00-05:00';
    const [text, source] = (await type(`policy test --phone +13055550123 ${at}`)).out.trim().split('\n');
    expect(text).toBe('Not allowed until 2026-12-02 13:00:00Z: US-FL allows calls 08:00-20:00.');
    expect(source).toMatch(/^Source: .*, as of \d{4}-\d{2}/);
    expect(source).not.toContain('allows calls');
    const never = await type('policy test --phone +18005550106 --at 2026-12-01T13:00:00-05:00');
    expect(never.out).toMatch(
      /^Not allowed: can never be called: the legal hours of \S+, US are never open at once in all \d+ time zones/,
    );
    const refused = await type('call create --agent agent-1 --to +18005550106');
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/^\S+ \+18005550106 can never be called: .*state=COL.*--ignore-policy/),
    ]);
  });

  it('are refused with the field that is wrong', async () => {
    const before = (await api.ask('GET', '/api/policy')).json;
    expect(await put({ gap: 'soon' })).toMatchObject({ status: 422, json: { code: 'policy-invalid' } });
    const typed = await type(`policy set ${file({ gaps: '1h' })}`);
    expect([typed.code, typed.err]).toEqual([2, expect.stringContaining('gaps')]);
    expect((await api.ask('GET', '/api/policy')).json).toEqual(before);
  });

  it('of a file are changed only in the file; a process with another file does not dial', async () => {
    const { ledger, clock } = api.app;
    const first = readPolicyFile(file({ gap: '2h' }));
    const mine = createDialPermit({ ledger, file: first, clock, log });
    await mine.enforce();
    expect(mine.trouble()).toBe(null);
    expect(await put({ gap: '3h' })).toMatchObject({ status: 409, json: { code: 'policy-in-file' } });
    const theirs = createDialPermit({ ledger, file: readPolicyFile(file({})), clock, log });
    await theirs.enforce();
    await mine.refresh();
    expect([mine.trouble()?.code, theirs.trouble()]).toEqual(['policy-differs', null]);
    await mine.enforce();
    expect(mine.trouble()).toBe(null);
    await theirs.enforce();
  });
});

it('a test of a phone names the rule that its calls meet', async () => {
  const phone = '+14155550187';
  await called(phone);
  await put({ gap: '4h' });
  const ask = async (at: Date) =>
    (await api.ask('POST', '/api/policy/test', { body: { phone, at: at.toISOString() } })).json;
  const now = await ask(new Date());
  expect(now).toMatchObject({ allowed: false, rule: 'gap' });
  expect((await ask(new Date(Date.now() + 4 * 3_600_000))).allowed).toBe(true);
  expect((await type(`policy test --phone ${phone} --at ${new Date().toISOString()} --json`)).json).toEqual(
    now,
  );
});

describe('a single call', () => {
  const phone = '+14155550188';

  it('that a rule holds waits, and says by which rule and until when; a person may override it', async () => {
    await called(phone);
    await put({ gap: '4h' });
    const held = await call(phone);
    expect(held).toMatchObject({ status: 202, json: { state: 'waiting', reason: 'gap' } });
    expect(Math.abs(Date.parse(held.json.until) - Date.now() - 3 * 3_600_000)).toBeLessThan(60_000);
    const lifted = await call(phone, { ignore_policy: true });
    expect(lifted.json).toMatchObject({ state: 'waiting', reason: 'rate', until: null });
    const { history } = (await api.ask('GET', `/api/calls/${lifted.json.id}`)).json;
    expect(history).toMatchObject([{ kind: 'policy-ignored', detail: 'loopback' }]);
    // The rules that held it are gone: the sweeper has it judged again.
    await put({});
    await api.app.ledger.policies.freeHeld();
    expect((await api.ask('GET', `/api/calls/${held.json.id}`)).json.reason).toBe('rate');
  });

  it('on the command line waits as one of the API does, and is made when a person overrides it', async () => {
    const other = '+14155550189';
    await called(other);
    await put({ caps: [{ calls: 1, per: '24h' }] });
    const text = await type(`call create --agent agent-1 --phone ${other}`);
    expect(text.out).toMatch(
      /^The call \d+ to \+14155550189 waits for a cap of the contact rules until .*\d\d:\d\d:\d\dZ\n$/,
    );
    expect(text.err).toMatch(/carillon up.*call cancel \d+.*--ignore-policy/);
    const held = await type(`call create --agent agent-1 --phone ${other} --json`);
    expect([text.code, held.code], held.err).toEqual([0, 0]);
    const { id, row, links, ...same } = (await call(other)).json;
    expect(held.json).toMatchObject({ ...same, reason: 'cap' });
    expect(api.simulator.state().created).toBe(0);
    const made = await type(`call create --agent agent-1 --to ${other} --ignore-policy --json`);
    expect(made.code, made.err).toBe(0);
    expect(api.simulator.state().created).toBe(1);
    const shown = (await api.ask('GET', `/api/calls/${made.json.id}`)).json;
    expect(shown.history.map((event: { kind: string }) => event.kind)).toContain('policy-ignored');
  });

  it('that no hour is ever open for is refused by both doors, unless a person overrides it', async () => {
    await put({ hours: ['us-telemarketing'] });
    const refused = await call('+18005550123');
    expect(refused).toMatchObject({ status: 409, json: { code: 'policy-holds' } });
    const typed = await type('call create --agent agent-1 --phone +18005550123');
    expect(typed).toMatchObject({ code: 2, out: '' });
    expect(typed.err).toContain(refused.json.detail);
    expect((await call('+18005550123', { ignore_policy: true })).status).toBe(202);
  });
});

it('a machine whose clock is off is told, and does not dial when it is off by more than a minute', async () => {
  let aheadMs = 0;
  const clock = { ...api.app.clock, now: () => api.app.clock.now() + aheadMs };
  const permit = createDialPermit({ ledger: api.app.ledger, file: null, clock, log });
  await permit.refresh();
  expect([permit.trouble(), Math.abs(permit.now() - Date.now()) < 2_000]).toEqual([null, true]);
  aheadMs = 3_600_000;
  await permit.refresh();
  expect(permit.trouble()?.code).toBe('clock-off');
  expect(Math.abs(permit.aheadMs() - 3_600_000)).toBeLessThan(5_000);
  // It judges hours by the ledger's time all the same.
  expect(Math.abs(permit.now() - Date.now())).toBeLessThan(5_000);
  aheadMs = 0;
  await permit.refresh();
  expect(permit.trouble()).toBe(null);
});

it('the packs are listed with their sources, and a refused rule names its field', async () => {
  const { json } = await api.ask('GET', '/api/policy/packs');
  expect(json.items.map(({ name }: { name: string }) => name)).toContain('us-telemarketing');
  for (const { rows } of json.items)
    for (const row of rows)
      expect(row).toMatchObject({
        citation: expect.stringMatching(/./),
        as_of: expect.stringMatching(/^\d{4}-/),
      });
  const issues = async (body: unknown) => (await put(body)).json.issues;
  expect(await issues({ caps: [{ calls: 3, per: 'soon' }] })).toEqual([
    { path: 'caps.0.per', code: 'custom', message: 'must be a time such as 30m, 24h or 7d, at most 366d' },
  ]);
  const caps = [{ calls: 10, per: '24h' }];
  expect(await issues({ gap: '4h', caps })).toEqual([
    { path: 'gap', code: 'custom', message: expect.stringContaining('contradict') },
  ]);
});

it('contact rules can be checked before they are in force', async () => {
  const check = (body: unknown) => api.ask('POST', '/api/policy/check', { body });
  expect((await check({ gap: '4h' })).json).toEqual({ valid: true, body: { gap: '4h' } });
  const wrong = await check({ gap: 'soon' });
  expect([wrong.status, wrong.json.issues]).toEqual([422, [expect.objectContaining({ path: 'gap' })]]);
  expect((await api.ask('GET', '/api/policy')).json.body).toEqual({});
});

describe('a picture of the week', () => {
  // A Monday, midnight in New York; the clocks there are not changed in that week.
  const monday = { from: '2026-06-01T04:00:00Z', timezone: 'America/New_York' };
  const week = async (body: object) => (await api.ask('POST', '/api/week', { body })).json;
  const open = (spans: { open: boolean; from: string; until: string }[]) =>
    spans.filter((span) => span.open).map(({ from, until }) => [from.slice(0, 16), until.slice(0, 16)]);

  it('shows when an order lets people be called, without gaps', async () => {
    const order = { window: 'mon-fri=09:00-17:00', not_on: ['2026-06-03'] };
    const { spans, timezones, until } = await week({ ...monday, order });
    expect(timezones).toEqual(['America/New_York']);
    expect(until).toBe('2026-06-08T04:00:00.000Z');
    expect(open(spans)).toEqual(
      ['01', '02', '04', '05'].map((day) => [`2026-06-${day}T13:00`, `2026-06-${day}T21:00`]),
    );
    for (const [at, span] of spans.entries()) if (at > 0) expect(span.from).toBe(spans[at - 1].until);
    expect(spans.at(-1).until).toBe(until);
    const wednesday = await week({ ...monday, from: '2026-06-03T12:00:00Z', order, days: 1 });
    expect(wednesday.spans[0]).toMatchObject({ open: false, rule: 'date' });
  });

  it('obeys the contact rules in force, or those that are sent', async () => {
    const told = async (more: object) => (await week({ ...monday, state: 'TX', ...more })).spans;
    expect(open(await told({}))).toEqual([['2026-06-01T04:00', '2026-06-08T04:00']]);
    const [closed] = await told({ policy: { hours: ['us-telemarketing'] } });
    expect(closed).toMatchObject({ open: false, rule: 'legal-hours', citation: expect.any(String) });
    await put({ hours: ['us-telemarketing'] });
    expect((await told({}))[0]).toEqual(closed);
    expect(open(await told({ policy: null }))).toHaveLength(1);
  });

  it('must know where the person is', async () => {
    for (const body of [{}, { timezone: 'Moon' }, { state: 'Mars' }, { phone: '1' }])
      expect((await api.ask('POST', '/api/week', { body })).status).toBe(422);
    const { timezones, states } = await week({ phone: '+14155550123', days: 1 });
    expect([timezones, states]).toEqual([['America/Los_Angeles'], ['US-CA']]);
  });
});
