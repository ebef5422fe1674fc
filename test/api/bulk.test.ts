import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { typeLine } from '../cli/terminal.ts';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

let api: TestApi;
let folder: string;
beforeAll(async () => {
  api = await openApi();
  api.work();
  folder = mkdtempSync(join(tmpdir(), 'carillon-bulk-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api?.close();
});

const phone = (n: number) => `+1415555${String(n).padStart(4, '0')}`;
async function campaign(name: string, numbers: number[]): Promise<void> {
  const recipients = numbers.map((n) => ({ phone: phone(n), [`plan of ${name}`]: n }));
  const body = { name, agent: 'a', recipients };
  expect((await api.ask('POST', '/api/campaigns', { body })).status).toBe(201);
}
const post = (body: object) => api.ask('POST', '/api/bulk', { body });
const ended = (id: string) =>
  until(
    async () => (await api.ask('GET', `/api/bulk/${id}`)).json,
    (shown) => shown.state !== 'running',
  );

it('an act is counted, confirmed, and done by the workers', async () => {
  await campaign('spring', [1, 2, 3]);
  const order = { act: 'skip', filter: { campaign: 'spring', phone: [phone(1), phone(2)] } };
  expect(await post({ ...order, dry_run: true })).toMatchObject({
    status: 200,
    json: { act: 'skip', dry_run: true, people: 2, able: 2, passed: {} },
  });
  expect(await post(order)).toMatchObject({ status: 422 });
  expect(await post({ ...order, confirm: 1 })).toMatchObject({ status: 409, json: { code: 'bulk-more' } });
  const headers = { 'idempotency-key': 'skip-1' };
  const begun = await api.ask('POST', '/api/bulk', { headers, body: { ...order, confirm: 2 } });
  expect(begun).toMatchObject({ status: 202, json: { act: 'skip', people: 2, filter: order.filter } });
  expect(begun.headers.get('location')).toBe(`/api/bulk/${begun.json.id}`);
  const shown = await ended(begun.json.id);
  expect(shown).toMatchObject({ state: 'done', seen: 2, done: 2, passed: {} });
  const again = await api.ask('POST', '/api/bulk', { headers, body: { confirm: 2, ...order } });
  expect([again.status, again.json]).toEqual([202, shown]);
  const other = await api.ask('POST', '/api/bulk', { headers, body: { ...order, confirm: 3 } });
  expect(other).toMatchObject({ status: 409, json: { code: 'request-conflict' } });
  expect((await api.ask('GET', '/api/bulk')).json.items).toEqual([shown]);
  expect((await api.ask('POST', `/api/bulk/${shown.id}/stop`)).json).toEqual(shown);
  const { balance } = (await api.ask('GET', '/api/campaigns/spring')).json;
  expect(balance).toMatchObject({ waiting: 1, skipped: 2 });
  const activity = (await api.ask('GET', '/api/activity?verb=bulk')).json.items;
  expect(activity).toMatchObject([
    { verb: 'bulk.end', subject: shown.id, after: { act: 'skip', done: 2, passed: {} } },
    { verb: 'bulk.start', subject: shown.id, after: { act: 'skip', found: 2 } },
  ]);
  expect(await api.ask('GET', '/api/bulk/x')).toMatchObject({ status: 404, json: { code: 'bulk-unknown' } });
  expect(await api.ask('GET', `/api/bulk/${shown.id}/result.csv`)).toMatchObject({ status: 409 });
});

it('an export has the people of many campaigns, as they are when it is read', async () => {
  await campaign('june', [11]);
  await campaign('july', [12, 13]);
  const filter = { phone: [11, 12, 13].map(phone) };
  const { json } = await post({ act: 'export', filter });
  expect(json).toMatchObject({
    state: 'done',
    people: 3,
    done: 3,
    result: `/api/bulk/${json.id}/result.csv`,
  });
  await api.ask('DELETE', `/api/campaigns/july/recipients/${encodeURIComponent(phone(13))}`);
  const { text, headers } = await api.ask('GET', json.result);
  expect(headers.get('content-disposition')).toContain('.csv"');
  const [header, ...rows] = text.trimEnd().split('\n');
  expect(header).toMatch(/^campaign,row,phone,.*,in_phone,in_plan of june,in_plan of july$/);
  expect(rows.map((row) => row.split(',').slice(0, 5).join())).toEqual([
    `june,1,${phone(11)},,waiting`,
    `july,1,${phone(12)},,waiting`,
    `july,2,${phone(13)},,skipped`,
  ]);
  const lines = (await api.ask('GET', `/api/bulk/${json.id}/result.ndjson`)).text.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).campaign)).toEqual(['june', 'july', 'july']);
});

it('the command line does the same, and tells what became of everyone', async () => {
  await campaign('autumn', [21, 22]);
  const type = (line: string) => typeLine(line, api.env, folder);
  const tried = await type('bulk skip --campaign autumn --dry-run');
  expect(tried.err).toBe('');
  expect(tried.out).toBe('Take off their lists: 2 of 2 people. Nothing was changed.\n');
  const done = await type('bulk skip --campaign autumn --yes --json');
  expect(done).toMatchObject({ code: 0, json: { act: 'skip', state: 'done', people: 2, done: 2 } });
  expect(done.json).toEqual((await api.ask('GET', `/api/bulk/${done.json.id}`)).json);
  expect((await type('bulk skip --campaign autumn --yes')).out).toBe(
    '0 of 2 people were taken off their lists.\n  2 are skipped\n',
  );
  const none = await type('bulk retry --campaign autumn');
  expect([none.code, none.out]).toEqual([
    0,
    'Call again: 0 of 2 people. Nothing was changed.\n  2 are skipped\n',
  ]);
  expect((await type('campaign retry autumn --outcome no-answer')).out).toBe(
    'Nobody of autumn can be called again for these outcomes.\n',
  );
  expect((await type('bulk skip --campaign autumn --state waiting --yes')).out).toBe(
    'The filter finds nobody.\n',
  );
  expect((await type('bulk list --json')).json.items.slice(0, 3)).toMatchObject([
    { act: 'retry', people: 0, done: 0 },
    { act: 'skip', people: 2, done: 0 },
    { act: 'skip', people: 2, done: 2 },
  ]);
  expect((await type(`bulk show ${done.json.id}`)).out).toContain('2 of 2 people were taken off');
  expect((await type('bulk export --campaign autumn --out autumn.csv')).out).toBe(
    '2 rows written to autumn.csv.\n',
  );
  expect(readFileSync(join(folder, 'autumn.csv'), 'utf8').split('\n')).toHaveLength(4);
  expect(await type('bulk skip --yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining('must not be empty'),
  });
});
