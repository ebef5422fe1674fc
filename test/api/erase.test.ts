import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '../../src/control/tokens/manage.ts';
import { typeLine } from '../cli/terminal.ts';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

/** A person is erased by whichever door, and every other door shows it so. */
let api: TestApi;
let logged = '';
const folder = mkdtempSync(join(tmpdir(), 'carillon-erase-'));
const headers = { authorization: 'Bearer a-token-for-the-admin' };
const ann = '+14155550301';
const bob = '+14155550302';
const csv = `phone,name,city\n${ann},Wilhelmina,Zanzibar\n${bob},Bob,Reno\n`;

beforeAll(async () => {
  const logTo = new Writable({
    write(chunk, _, done) {
      logged += String(chunk);
      done();
    },
  });
  api = await openApi({ token: 'a-token-for-the-admin', logTo });
  api.work();
  for (const name of ['spring', 'autumn']) {
    await ask('POST', '/api/campaigns', { name, agent: 'a' });
    await api.ask('POST', `/api/campaigns/${name}/recipients`, {
      headers: { ...headers, 'content-type': 'text/csv' },
      body: csv,
    });
  }
  await ask('POST', '/api/campaigns/spring/start');
  await until(
    () => ask('GET', '/api/campaigns/spring'),
    ({ json }) => json.balance.done === 2,
  );
});
afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (method: string, path: string, body?: unknown, more: object = {}) =>
  api.ask(method, path, { headers: { ...headers, ...more }, body });
const type = (line: string, answer?: string) =>
  typeLine(line, { ...api.env, LOG_LEVEL: 'silent' }, folder, answer === undefined ? {} : { answer });

it('only an admin erases, and a terminal asks with the number of campaigns', async () => {
  const { answer } = await createToken(api.app, { name: 'dora', role: 'operate' });
  const refused = await api.ask('POST', '/api/erase', {
    headers: { authorization: `Bearer ${answer.token}` },
    body: { phone: ann },
  });
  expect(refused.status).toBe(403);
  const no = await type(`erase ${ann}`, 'n');
  expect([no.code, no.out]).toEqual([0, 'Nothing was erased.\n']);
  expect(no.err).toContain('2 rows of 2 campaigns');
  expect((await ask('POST', '/api/erase', { phone: '12' })).status).toBe(422);
});

it('what is old is erased after the days that a person chose, who was told first whom it concerns', async () => {
  await ask('POST', '/api/campaigns', {
    name: 'older',
    agent: 'a',
    recipients: [
      { phone: '+14155550381', name: 'Cleo' },
      { phone: '+14155550382', name: 'Dina' },
    ],
    start: true,
  });
  await until(
    () => ask('GET', '/api/campaigns/older'),
    ({ json }) => json.balance.done === 2,
  );
  const names = async () =>
    (await ask('GET', '/api/campaigns/older/recipients?order=row')).json.items.map(
      ({ name }: { name: string | null }) => name,
    );
  await api.sql(`update carillon.recipients set updated_at = now() - interval '40 days' where name = 'Cleo'`);
  const keep = async () => (await ask('GET', '/api/settings')).json.keep;
  expect(await keep()).toEqual({ days: null, from: 'ledger' });
  const trial = await ask('PUT', '/api/keep', { days: 30, dry_run: true });
  expect([trial.status, trial.json]).toEqual([200, { days: 30, people: 1, dry_run: true }]);
  const unsure = await ask('PUT', '/api/keep', { days: 30 });
  expect([unsure.status, unsure.json.detail]).toEqual([422, expect.stringMatching(/^confirm: .*\b1 people/)]);
  expect((await ask('PUT', '/api/keep', { days: 0, confirm: 9 })).status).toBe(422);
  expect([await keep(), await names()]).toEqual([{ days: null, from: 'ledger' }, ['Cleo', 'Dina']]);

  const no = await type('erase --keep-days 30', 'n');
  expect([no.code, no.out, no.err]).toEqual([
    0,
    'Nothing was changed.\n',
    expect.stringContaining('1 person'),
  ]);
  for (const line of ['erase --keep-days 0', 'erase --keep-days soon', `erase ${ann} --keep-days 30`]) {
    const refused = await type(line);
    expect([line, refused.code, refused.out]).toEqual([line, 2, '']);
    expect(refused.err).toMatch(/^carillon: [^\n]+\n$/);
  }
  const done = await type('erase --keep-days 30', 'y');
  expect([done.code, done.out]).toEqual([
    0,
    'What people said is kept for 30 days.\nWorkers erase what is older: keep `carillon up` or a worker running.\n',
  ]);
  await until(names, ([cleo]) => cleo === null);
  expect(await names()).toEqual([null, 'Dina']);
  expect((await type('doctor')).out).toContain('kept for 30 days');

  // One process's environment goes before it, and is not changed from elsewhere.
  const fixed = await typeLine(
    'erase --keep-days 9',
    { ...api.env, CARILLON_KEEP_DAYS: '60', LOG_LEVEL: 'silent' },
    folder,
  );
  expect([fixed.code, fixed.err]).toEqual([2, expect.stringContaining('CARILLON_KEEP_DAYS')]);
  expect((await ask('PUT', '/api/keep', { days: null })).json).toEqual({
    days: null,
    people: 0,
    dry_run: false,
  });
  expect(await keep()).toEqual({ days: null, from: 'ledger' });
  const { json } = await ask('GET', '/api/activity?verb=keep.set');
  expect(json.items.map(({ before, after }: { before: object; after: object }) => [before, after])).toEqual([
    [{ days: 30 }, { days: null }],
    [{ days: null }, { days: 30 }],
  ]);
});

it('an erased person is nobody in lists, results and searches, and counts on', async () => {
  const [row] = (await ask('GET', '/api/campaigns/spring/recipients')).json.items;
  const before = (await ask('GET', '/api/campaigns/spring')).json.balance;
  const made = await ask(
    'POST',
    '/api/erase',
    { phone: '(415) 555-0301', country: 'US' },
    {
      'idempotency-key': 'k',
    },
  );
  expect([made.status, made.json]).toEqual([200, { people: 2, campaigns: 2, pending: null, lifted: false }]);
  const again = await ask(
    'POST',
    '/api/erase',
    { phone: '(415) 555-0301', country: 'US' },
    {
      'idempotency-key': 'k',
    },
  );
  expect([again.json, again.headers.get('idempotency-replayed')]).toEqual([made.json, 'true']);

  expect((await ask('GET', '/api/campaigns/spring')).json.balance).toEqual(before);
  const found = (await ask('GET', `/api/calls?call_id=${row.call_id}`)).json.items;
  expect(found).toMatchObject([
    {
      id: row.id,
      row: row.row,
      phone: '',
      name: null,
      state: 'done',
      outcome: row.outcome,
      cost: row.cost,
      call_id: row.call_id,
      transcript: null,
      recording_url: null,
      structured_data: null,
      error: null,
      input: {},
      erased_at: expect.any(String),
    },
  ]);
  expect((await ask('GET', `/api/calls?phone=${encodeURIComponent(ann)}`)).json.items).toEqual([]);
  const [line] = (await ask('GET', '/api/campaigns/spring/results.csv')).text.split('\n').slice(1);
  expect(line).toMatch(/^2,,,done,/);
  expect(line).toMatch(/,,,,?$|,,,,$/);
  for (const path of [
    '/api/campaigns/spring/results.ndjson',
    '/api/campaigns/spring/attempts',
    '/api/campaigns/autumn/recipients',
    '/api/campaigns/spring/report',
    `/api/campaigns/spring/recipients/${row.id}`,
    `/api/calls/${row.id}`,
    `/api/find?q=${row.call_id}`,
    '/api/activity',
    '/api/imports',
  ]) {
    const shown = await ask('GET', path);
    expect([path, shown.status]).toEqual([path, 200]);
    expect(shown.text).not.toMatch(/5550301|Wilhelmina|Zanzibar/);
  }
  const changed = await ask('PATCH', `/api/campaigns/autumn/recipients/${await autumnRow()}`, { name: 'X' });
  expect(changed.json).toMatchObject({ code: 'recipient-state', detail: 'This person was erased' });
  expect((await type('audit')).code).toBe(0);
});

async function autumnRow(): Promise<string> {
  return (await ask('GET', '/api/campaigns/autumn/recipients?state=skipped')).json.items[0].id;
}

it('nobody calls the person again: not a list, not a single call, not a retry', async () => {
  const creates = () =>
    [...api.simulator.journal({ method: 'POST', path: '/v1/call' })].filter((each) =>
      JSON.stringify(each).includes('5550301'),
    ).length;
  const before = creates();
  const call = await ask('POST', '/api/calls', { agent: 'a', phone: ann });
  expect([call.status, call.json.code]).toEqual([409, 'phone-erased']);
  const typed = await type(`call create --agent a --phone ${ann}`);
  expect([typed.code, typed.err]).toEqual([2, expect.stringContaining('was erased')]);
  const added = await api.ask('POST', '/api/campaigns/autumn/recipients', {
    headers: { ...headers, 'content-type': 'text/csv' },
    body: csv,
  });
  expect(added.json).toMatchObject({ accepted: 1, rejected: 1, rejects: [{ row: 2, reason: 'erased' }] });
  expect((await ask('GET', '/api/campaigns/autumn')).json.balance).toMatchObject({ rows: 2, rejected: 0 });
  await ask('POST', '/api/campaigns', { name: 'new', agent: 'a' });
  const fresh = await api.ask('POST', '/api/campaigns/new/recipients', {
    headers: { ...headers, 'content-type': 'text/csv' },
    body: csv,
  });
  expect(fresh.json).toMatchObject({ accepted: 1, rejected: 1 });
  expect((await ask('GET', '/api/campaigns/new/rejects')).json.items).toEqual([
    { row: 2, reason: 'erased', input: {} },
  ]);
  const trial = await api.ask('POST', '/api/campaigns/new/recipients?dry_run=1', {
    headers: { ...headers, 'content-type': 'text/csv' },
    body: csv,
  });
  expect(trial.json).toMatchObject({ accepted: 1, rejected: 1, never: 0 });
  await ask('POST', '/api/campaigns/spring/retry', {
    outcomes: ['answered', 'failed', 'no-answer', 'busy', 'voicemail'],
  });
  await ask('POST', '/api/campaigns/spring/clone', { name: 'clone', people: true });
  await until(
    () => ask('GET', '/api/campaigns/spring'),
    ({ json }) => json.balance.done === 2,
  );
  expect((await ask('GET', '/api/campaigns/clone/recipients')).json.items).toHaveLength(1);
  expect(creates()).toBe(before);
  expect(logged).not.toMatch(/5550301|Wilhelmina/);
});

it('a run of the same file leaves the erased row as it is, and calls nobody for it', async () => {
  writeFileSync(join(folder, 'list.csv'), csv.replaceAll('0301', '0311').replaceAll('0302', '0312'));
  const out = join(folder, 'list.results.csv');
  const line = `run ${join(folder, 'list.csv')} --agent a --yes --json --limit 1 --max-calls 1 --out ${out}`;
  const first = await type(line);
  expect([first.code, first.err]).toEqual([0, expect.any(String)]);
  const erased = await type('erase +14155550312 --yes --json');
  expect([erased.code, erased.json]).toEqual([0, { people: 1, campaigns: 1, pending: null, lifted: false }]);
  const second = await type(line.replace('--limit 1 ', ''));
  expect([second.code, second.err]).toEqual([0, expect.any(String)]);
  expect(second.json).toMatchObject({ rows: 2, done: 1, skipped: 1, rejected: 0 });
  const results = readFileSync(out, 'utf8');
  expect(results).not.toContain('5550312');
  expect(results.split('\n')[2]).toMatch(/^3,,,skipped,/);
  // Someone who was never here is not called in the future, either.
  const unknown = await type('erase +14155550399 --yes');
  expect([unknown.code, unknown.out]).toEqual([0, expect.stringContaining('No campaign has this person')]);
  const lifted = await type('erase +14155550399 --lift');
  expect([lifted.code, lifted.out]).toEqual([0, expect.stringContaining('may be called again')]);
  const again = await type('erase +14155550399 --lift');
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('Nothing was changed')]);
  const kept = await type('activity --verb person.lift --json');
  expect(kept.json.items).toEqual([expect.objectContaining({ after: { lifted: true } })]);
});

it('a process with another secret does not dial, and doctor says so', async () => {
  const env = { ...api.env, CARILLON_SECRET: 'another secret than the one in home', LOG_LEVEL: 'silent' };
  const call = await typeLine('call create --agent a --phone +14155550398', env, folder);
  expect([call.code, call.err]).toEqual([2, expect.stringContaining('CARILLON_SECRET')]);
  const doctor = await typeLine('doctor', env, folder);
  expect(doctor.out).toContain('were hashed with another CARILLON_SECRET');
});

it('after the secret was lost, only an explicit act gives up who was erased, and says what that costs', async () => {
  const env = { ...api.env, CARILLON_SECRET: 'another secret than the one in home', LOG_LEVEL: 'silent' };
  const typed = (line: string, answer?: string) =>
    typeLine(line, env, folder, answer === undefined ? {} : { answer });
  const known = await type('erase --forget-secret');
  expect([known.code, known.out]).toEqual([0, expect.stringContaining('Nothing was changed')]);
  for (const line of ['erase --forget-secret', `erase ${ann} --forget-secret --yes`, 'erase']) {
    const refused = await typed(line);
    expect([line, refused.code, refused.out]).toEqual([line, 2, '']);
    expect(refused.err).toMatch(/^carillon: [^\n]+\n$/);
  }
  const no = await typed('erase --forget-secret', 'n');
  expect([no.code, no.out]).toEqual([0, 'Nothing was changed.\n']);
  const n = Number(/^(\d+) people were erased under another CARILLON_SECRET/m.exec(no.err)?.[1]);
  expect(n).toBeGreaterThan(1);
  const wrong = await ask('POST', '/api/erase/forget-secret', { people: n });
  expect([wrong.status, wrong.json.detail]).toEqual([
    422,
    expect.stringContaining('0 were erased under another'),
  ]);

  const done = await typed('erase --forget-secret --yes --json');
  expect([done.code, done.json]).toEqual([0, { people: n, pending: 0, suppressed: expect.any(Number) }]);
  const { json } = await ask('GET', '/api/activity?verb=secret.forget');
  expect(json.items).toMatchObject([{ verb: 'secret.forget', after: { people: n } }]);
  // They are as anybody else now, under either secret; the erased data stays erased.
  const call = await typed(`call create --agent a --phone ${ann} --json`);
  expect([call.code, call.json.phone]).toEqual([0, ann]);
  expect((await typed('doctor')).out).not.toContain('were hashed with another');
  const rows = (await ask('GET', '/api/campaigns/spring/recipients')).json.items as { erased_at?: string }[];
  expect(rows.some(({ erased_at }) => erased_at)).toBe(true);
});

it('a person with several numbers is called on none of their own, until all are lifted with the one that was named', async () => {
  const [first, second, shared, barred] = ['+14155550321', '+14155550322', '+14155550323', '+14155550324'];
  await ask('POST', '/api/campaigns', { name: 'numbers', agent: 'a' });
  const add = (rows: object[]) => ask('POST', '/api/campaigns/numbers/recipients', rows);
  await add([{ phone: first, phones: [second, shared, barred] }]);
  await ask('POST', '/api/campaigns', { name: 'house', agent: 'a' });
  await ask('POST', '/api/campaigns/house/recipients', [{ phone: shared }]);
  await ask('POST', '/api/suppressions', { phones: [barred] });
  expect((await ask('POST', '/api/erase', { phone: first })).json).toEqual({
    people: 1,
    campaigns: 1,
    pending: null,
    lifted: false,
  });
  const refused = async (phone: string) =>
    (await ask('POST', '/api/calls', { agent: 'a', phone })).json.code as string | undefined;
  for (const phone of [first, second, barred]) expect(await refused(phone)).toBe('phone-erased');
  expect((await add([{ phone: second }])).json.rejects).toMatchObject([{ reason: 'erased' }]);
  // Somebody else has this one too.
  expect((await ask('GET', '/api/campaigns/house/recipients')).json.items).toMatchObject([{ phone: shared }]);
  await ask('POST', '/api/erase', { phone: first, lift: true });
  expect(await refused(barred)).toBe('phone-erased');
  expect((await add([{ phone: second }, { phone: first }])).json).toMatchObject({ new: 2, rejected: 0 });
});
