import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeLine } from '../cli/terminal.ts';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

/** A list that is sent again: what becomes of the people who are on it already. */
let api: TestApi;
let made = 0;
const folder = mkdtempSync(join(tmpdir(), 'carillon-known-'));
beforeAll(async () => {
  api = await openApi({ simulator: { shares: { answered: 1 } } });
  api.work();
});
afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true });
});

async function campaign(recipients: object[]): Promise<string> {
  const body = { name: `list ${made++}`, agent: 'a', recipients };
  return (await api.ask('POST', '/api/campaigns', { body })).json.id;
}
const add = (id: string, body: object[], query = '') =>
  api.ask('POST', `/api/campaigns/${id}/recipients${query}`, { body });
const people = async (id: string) => (await api.ask('GET', `/api/campaigns/${id}/recipients`)).json.items;
const variables = async (id: string, phone: string) =>
  (await api.ask('GET', `/api/campaigns/${id}/recipients/${encodeURIComponent(phone)}`)).json.variables;
const added = async (campaignId: string) =>
  (await api.ask('GET', `/api/activity?campaign=${campaignId}&verb=recipients.add`)).json.items[0].after;
const phone = (n: number) => `+1415555${String(n).padStart(4, '0')}`;
const ann = { phone: phone(1), name: 'Ann', city: 'Oslo', score: 7 };
const other = { phone: phone(1), name: 'Anna' };

describe('a list that is sent again', () => {
  it('leaves people as they are by default, says how many it knew, and calls nobody twice', async () => {
    const id = await campaign([ann]);
    const sent = [other, { phone: phone(2) }];
    const counts = { accepted: 2, new: 1, known: 1, changed: 0, rejected: 0 };
    expect((await add(id, sent, '?dry_run=1')).json).toMatchObject(counts);
    expect((await add(id, sent)).json).toMatchObject(counts);
    expect(await added(id)).toEqual(counts);
    const [first] = await people(id);
    expect(first).toMatchObject({ name: 'Ann', input: { city: 'Oslo', score: 7 } });
    expect(await variables(id, phone(1))).toEqual({ city: 'Oslo', score: 7 });
  });

  it('with merge takes its columns, and leaves the others and their types', async () => {
    const id = await campaign([ann]);
    const counts = { accepted: 1, new: 0, known: 1, changed: 1, rejected: 0 };
    const sent = [{ ...other, city: 'Bergen' }];
    expect((await add(id, sent, '?on_known=merge&dry_run=1')).json).toMatchObject(counts);
    expect((await add(id, sent, '?on_known=merge')).json).toMatchObject(counts);
    expect(await added(id)).toEqual(counts);
    expect((await people(id))[0]).toMatchObject({ name: 'Anna', input: { city: 'Bergen', score: 7 } });
    expect(await variables(id, phone(1))).toEqual({ city: 'Bergen', score: 7 });
    expect((await add(id, sent, '?on_known=merge')).json).toMatchObject({ known: 1, changed: 0 });
  });

  it('with replace takes the row in the place of theirs', async () => {
    const id = await campaign([ann]);
    expect((await add(id, [other], '?on_known=replace')).json).toMatchObject({ known: 1, changed: 1 });
    expect((await people(id))[0]).toMatchObject({ name: 'Anna', input: other });
    expect(await variables(id, phone(1))).toEqual({});
    expect((await add(id, [other], '?on_known=rewrite')).status).toBe(422);
  });

  it('never changes what somebody’s call was made with, whatever it asks for', async () => {
    const id = await campaign([ann]);
    await api.ask('POST', `/api/campaigns/${id}/start`);
    await until(
      async () => (await api.ask('GET', `/api/campaigns/${id}`)).json.balance,
      ({ done }) => done === 1,
    );
    const results = async () => (await api.ask('GET', `/api/campaigns/${id}/results.csv`)).text;
    const before = await results();
    expect(before).toContain('Oslo');
    for (const rule of ['keep', 'merge', 'replace']) {
      const again = await add(id, [{ ...other, city: 'Bergen' }], `?on_known=${rule}`);
      expect(again.json).toMatchObject({ accepted: 1, new: 0, known: 1, changed: 0 });
    }
    expect(await results()).toBe(before);
  });

  it('tells the same on the command line, where the file of a run replaces', async () => {
    const id = await campaign([ann]);
    const { name } = (await api.ask('GET', `/api/campaigns/${id}`)).json;
    const file = join(folder, 'again.csv');
    writeFileSync(file, `phone,name\n${phone(1)},Anna\n${phone(2)},Bo\n`);
    const type = (line: string[]) => typeLine(line, { ...api.env, LOG_LEVEL: 'silent' }, folder);
    const tried = await type(['campaign', 'add', name, file, '--on-known', 'merge', '--dry-run']);
    expect(tried.out).toContain('2 (1 on the list already, of which 1 would change)');
    const run = await type(['run', file, '--agent', 'a', '--name', name, '--dry-run']);
    expect(run.out).toContain('1 person who was not called yet changes to what the file says now');
    const done = await type(['campaign', 'add', name, file, '--json']);
    expect(done.json).toMatchObject({ accepted: 2, new: 1, known: 1, changed: 0 });
    const again = await type(['campaign', 'add', name, file, '--on-known', 'replace']);
    expect(again.out).toContain('2 rows accepted (2 on the list already, of which 1 changed), 0 rejected');
  });

  it('counts the same when it is imported later', async () => {
    const id = await campaign([ann]);
    const begun = await api.ask('POST', `/api/campaigns/${id}/recipients?on_known=merge`, {
      headers: { prefer: 'respond-async' },
      body: [other, { phone: phone(2) }],
    });
    expect(begun.status).toBe(202);
    const done = await until(
      async () => (await api.ask('GET', `/api/imports/${begun.json.id}`)).json,
      ({ state }) => state === 'done' || state === 'failed',
    );
    expect(done).toMatchObject({ state: 'done', accepted: 2, new: 1, known: 1, changed: 1, rejected: 0 });
  });
});
