import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createImporter } from '../../src/background/imports.ts';
import { textRow, workbook } from '../intake/workbooks.ts';
import { until } from '../support/until.ts';
import { openApi, serveApi } from './support.ts';

const api = serveApi();
let made = 0;
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

async function campaign(more: Record<string, unknown> = {}): Promise<string> {
  const body = { name: `import ${made++}`, agent: 'a', ...more };
  return (await api.ask('POST', '/api/campaigns', { body })).json.id;
}
const add = (id: string, type: string, body: string | Uint8Array, query = '', prefer = '') =>
  api.ask('POST', `/api/campaigns/${id}/recipients${query}`, {
    headers: { 'content-type': type, ...(prefer ? { prefer } : {}) },
    body,
  });
const later = (id: string, type: string, body: string | Uint8Array, query = '') =>
  add(id, type, body, query, 'wait=1, respond-async');
const phones = async (id: string) =>
  (await api.ask('GET', `/api/campaigns/${id}/recipients`)).json.items.map(
    (item: { phone: string }) => item.phone,
  );
const look = async (id: string) => (await api.ask('GET', `/api/imports/${id}`)).json;
const phone = (n: number) => `+1415555${String(n).padStart(4, '0')}`;
const csv = (...numbers: number[]) => `phone\n${numbers.map(phone).join('\n')}\n`;

async function serveList(text: string): Promise<number> {
  const server = createServer((_, response) => response.end(text)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Does what waits, in this process. */
async function work(id: string) {
  const importer = createImporter(api.app);
  const shown = await until(
    () => importer.round().then(() => look(id)),
    ({ state }) => ['done', 'failed'].includes(state),
  );
  await importer.close();
  return shown;
}

describe('a preview of a list', () => {
  const preview = (type: string, body: string | Uint8Array, query: Record<string, string> = {}) =>
    api.ask('POST', `/api/imports/preview?${new URLSearchParams(query)}`, {
      headers: { 'content-type': type },
      body,
    });

  it('tells the order in the words of the command line, by its parts', async () => {
    const order = { max_attempts: 2, retry: { busy: '10m' }, max_calls: 1, evergreen: true };
    for (const list of [`phone\n${phone(90)}\n`, 'who\nAnn\n']) {
      const { json } = await preview('text/csv', list, { order: JSON.stringify(order) });
      expect(json.order_words).toEqual({
        who: ['from the number that the service chooses'],
        when: ['every hour and day'],
        tries: ['up to 2 attempts: busy after 10 min'],
        pace: ['one call at a time'],
        brakes: ['people added later are called too'],
      });
    }
  });

  it('tells its columns, its rows and when the calls would end, before there is a campaign', async () => {
    await api.ask('POST', '/api/suppressions', { body: { phones: [phone(92)] } });
    const list = `Who,Mobile,City\nAnn,${phone(91)},Boston\nBo,${phone(92)},\nCy,${phone(91)},\nDi,12,\n`;
    const { json } = await preview('text/csv', list, { name: 'Who' });
    expect(json).toMatchObject({
      accepted: 2,
      rejected: 2,
      duplicates: 1,
      never: 0,
      suppressed: 1,
      encoding: 'utf-8',
      delimiter: ',',
      problem: null,
      mapping: { phone: 'Mobile', name: 'Who' },
      columns: [
        { name: 'Who', values: ['Ann', 'Bo', 'Cy', 'Di'] },
        { name: 'Mobile', values: [phone(91), phone(92), phone(91), '12'] },
        { name: 'City', values: ['Boston', '', '', ''] },
      ],
      forecast: {
        calls: 1,
        ends_at: { p50: expect.any(String) },
        next_call: { at: expect.any(String), timezones: ['America/Los_Angeles'] },
        timezones: ['America/Los_Angeles'],
      },
    });
    expect(json.rejects).toMatchObject([
      { row: 4 },
      { row: 5, input: { Who: 'Di', Mobile: '12', City: '' } },
    ]);
    expect(json.samples[0]).toMatchObject({ row: 2, phone: phone(91), variables: { City: 'Boston' } });
  });

  it('judges each row by the order that is sent with it', async () => {
    const order = { end_at: '2020-01-01T00:00:00Z' };
    const { json } = await preview('application/json', JSON.stringify([{ phone: phone(93) }]), {
      order: JSON.stringify(order),
    });
    expect(json).toMatchObject({ accepted: 0, rejected: 1, never: 1, columns: null, forecast: null });
    expect((await preview('text/csv', csv(1), { order: '{' })).json).toMatchObject({
      code: 'request-invalid',
      detail: 'order: must be JSON',
    });
    expect((await preview('text/csv', csv(1), { order: '{"windows":"9-17"}' })).status).toBe(422);
  });

  it('is of a workbook too, of the sheet that is named', async () => {
    const sheets = { Notes: textRow(1, 'words'), People: textRow(1, 'phone') + textRow(5, phone(93)) };
    const first = await preview(xlsx, workbook({ sheets }));
    expect(first.json).toMatchObject({
      problem: expect.stringContaining('no column'),
      encoding: null,
      sheets: ['Notes', 'People'],
    });
    const named = await preview(xlsx, workbook({ sheets }), { sheet: 'People' });
    expect(named.json).toMatchObject({
      accepted: 1,
      delimiter: null,
      samples: [{ row: 5, phone: phone(93) }],
    });
    const wrong = await preview(xlsx, workbook({ sheets }), { sheet: '3' });
    expect(wrong).toMatchObject({
      status: 422,
      json: { code: 'request-invalid', remedy: expect.stringContaining('"Notes", "People"') },
    });
  });

  it('shows the columns of a list in which none has the phones, so that one can be named', async () => {
    const { status, json } = await preview('text/csv', `A;B\n${phone(94)};x\n`);
    expect([status, json.accepted]).toEqual([200, 0]);
    expect(json).toMatchObject({
      problem: expect.stringContaining('phone'),
      mapping: null,
      delimiter: ';',
      columns: [
        { name: 'A', values: [phone(94)] },
        { name: 'B', values: ['x'] },
      ],
    });
    const named = await preview('text/csv', `A;B\n${phone(94)};x\n`, { phone: 'A' });
    expect(named.json).toMatchObject({ accepted: 1, problem: null });
  });
});

describe('a list that a preview keeps', () => {
  const preview = (list: string, body: string, query: Record<string, string> = {}) =>
    api.ask('POST', `/api/imports/preview?${new URLSearchParams({ ...query, list })}`, {
      headers: { 'content-type': 'text/csv' },
      body,
    });

  it('is read again by other columns and stored, without being sent again', async () => {
    const first = await preview('list-of-the-test', `A;B\n${phone(95)};Ann\n${phone(96)};Bo\n`);
    expect(first.json).toMatchObject({ accepted: 0, mapping: null });
    // A refusal does not lose it either.
    expect((await preview('list-of-the-test', '', { order: '{' })).status).toBe(422);
    const again = await Promise.all([
      preview('list-of-the-test', '', { phone: 'A' }),
      preview('list-of-the-test', '', { phone: 'A', name: 'B' }),
    ]);
    expect(again.map(({ json }) => [json.accepted, json.samples[0].name])).toEqual([
      [2, null],
      [2, 'Ann'],
    ]);
    const id = await campaign();
    expect((await add(id, 'text/csv', '', '?list=list-of-the-test&phone=A&name=B')).json).toMatchObject({
      accepted: 2,
      rejected: 0,
    });
    // A cell that was wrong is mended without another list: a row has then what was typed.
    await preview('list-of-the-test', `phone,who\n${phone(97)},Ann\n12\n`);
    const fixes = (cells: object) => JSON.stringify({ 3: cells });
    const mended = { fixes: fixes({ phone: phone(98), who: 'Bo' }) };
    expect((await preview('list-of-the-test', '', { fixes: '{"3": 7}' })).status).toBe(422);
    expect(
      (await preview('list-of-the-test', '', { fixes: fixes({ phone: '13' }) })).json.rejects,
    ).toMatchObject([{ row: 3, input: { phone: '13', who: '' } }]);
    const query = new URLSearchParams({ list: 'list-of-the-test', ...mended });
    expect((await add(id, 'text/csv', '', `?${query}`)).json).toMatchObject({ accepted: 2, rejected: 0 });
    const found = await api.ask('GET', `/api/campaigns/${id}/recipients?phone=${phone(98).slice(1)}`);
    expect(found.json.items).toMatchObject([{ row: 5, phone: phone(98) }]);
    expect((await preview('list-of-the-test', csv(1))).json.accepted).toBe(1);
    expect((await preview('list-of-the-test', '')).json.accepted).toBe(1);
  });

  it('gives way to newer ones, and says that it is gone', async () => {
    for (let nth = 0; nth < 9; nth++) await preview(`one-of-nine-${nth}`, csv(1));
    expect((await preview('one-of-nine-0', '')).json).toMatchObject({ status: 404, code: 'list-gone' });
    expect((await preview('one-of-nine-8', '')).json.accepted).toBe(1);
  });
});

describe('a dry run of an import', () => {
  it('tells how the list is read and what would become of each row, and stores nothing', async () => {
    const id = await campaign();
    await add(id, 'text/csv', csv(1));
    await api.ask('POST', '/api/suppressions', { body: { phones: [phone(2)] } });
    const list = `Nom;Numéro;plan\nZoé;${phone(1)};1\nBo;${phone(2)};2\n;${phone(3)};3\nCy;${phone(3)};4\n;12;5\n`;
    const answer = await add(
      id,
      'text/csv',
      Buffer.from(list, 'latin1'),
      '?dry_run=1&map=phone%3DNum%C3%A9ro,name%3DNom,plan:number',
    );
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      state: 'draft',
      dry_run: true,
      accepted: 3,
      rejected: 2,
      rejects: [{ row: 5, reason: 'duplicate of line 4' }, { row: 6 }],
      duplicates: 1,
      never: 0,
      known: 1,
      suppressed: 1,
      balance: { rows: 5, rejected: 2, skipped: 1, waiting: 2, done: 0 },
      skips: [{ reason: 'suppressed', rows: 1 }],
      encoding: 'windows-1252',
      delimiter: ';',
      columns: ['Nom', 'Numéro', 'plan'],
      mapping: { phone: 'Numéro', name: 'Nom', timezone: null },
      samples: [
        { row: 2, phone: phone(1), name: 'Zoé', variables: { plan: 1 } },
        { row: 3 },
        { row: 4, name: null },
      ],
    });
    expect(await phones(id)).toEqual([phone(1)]);
    expect((await add(id, 'application/json', '[1]', '?dry_run=1')).json).toMatchObject({
      accepted: 0,
      rejected: 1,
      encoding: null,
      mapping: null,
      samples: [],
    });
  });

  it('counts those who can never be called', async () => {
    const id = await campaign({ window: '09:00-10:00', end_at: '2099-01-01T00:00:00Z' });
    await api.ask('PATCH', `/api/campaigns/${id}`, {
      body: { start_at: '2098-12-31T22:00:00Z', end_at: '2098-12-31T23:00:00Z' },
    });
    const { json } = await add(id, 'text/csv', csv(1, 2), '?dry_run=1');
    expect(json).toMatchObject({ accepted: 0, rejected: 2, never: 2 });
  });
});

describe('an import that continues after its answer', () => {
  it('is accepted when the whole body is here, stored by any process, and told as an event', async () => {
    const id = await campaign();
    const answer = await later(id, 'text/csv', `${csv(1, 2, 2)}x\n`, '?phone=phone');
    expect(answer.status).toBe(202);
    const { json } = answer;
    expect(answer.headers.get('location')).toBe(`/api/imports/${json.id}`);
    expect(answer.headers.get('preference-applied')).toBe('respond-async');
    expect(json).toMatchObject({ state: 'waiting', bytes: 47, bytes_read: 0, accepted: 0, ended_at: null });
    expect(await phones(id)).toEqual([]);

    const { events } = api.app.ledger;
    const from = await events.number();
    expect(await work(json.id)).toMatchObject({
      state: 'done',
      reason: null,
      bytes_read: 47,
      rows_read: 4,
      accepted: 2,
      rejected: 2,
      rejects: [{ row: 4, reason: 'duplicate of line 3' }, { row: 5 }],
      ended_at: expect.any(String),
    });
    expect(await phones(id)).toEqual([phone(1), phone(2)]);
    await events.number();
    const told = { types: ['import.done' as const], campaignId: id };
    expect((await events.read(from, 10, told)).events).toMatchObject([
      { type: 'import.done', subject: json.id },
    ]);
    const { items } = (await api.ask('GET', `/api/imports?campaign=${id}`)).json;
    expect(items).toEqual([await look(json.id)]);
    expect(await left(json.id)).toBe(0);
  });

  it('may be a workbook', async () => {
    const id = await campaign();
    const body = workbook({ sheets: { A: textRow(1, 'phone') + textRow(2, phone(96)) + textRow(3, 'x') } });
    const { json } = await later(id, xlsx, body);
    expect(await work(json.id)).toMatchObject({
      ...{ state: 'done', format: 'xlsx', accepted: 1, rejects: [{ row: 3 }] },
    });
    const again = await add(id, xlsx, body);
    expect(again.json).toMatchObject({ known: 1, new: 0 });
    expect(await add(id, xlsx, 'phone\n')).toMatchObject({ status: 422, json: { code: 'file-broken' } });
  });

  it('may be at an address, which this process reads at once', async () => {
    const id = await campaign();
    const web = await serveList(`phone\n${phone(97)}\n`);
    const careful = await add(id, 'text/uri-list', `https://127.0.0.1:${web}/people.csv`);
    expect(careful).toMatchObject({ status: 400, json: { code: 'file-unreadable' } });
    const open = await openApi({ env: { LIST_ALLOW_PRIVATE: '1' } });
    try {
      const { json } = await open.ask('POST', '/api/campaigns', { body: { name: 'far', agent: 'a' } });
      const send = (body: string, more: Record<string, string> = {}, query = '') =>
        open.ask('POST', `/api/campaigns/${json.id}/recipients${query}`, {
          headers: { 'content-type': 'text/uri-list', ...more },
          body,
        });
      const address = `# the list\nhttp://127.0.0.1:${web}/people.csv?token=hunter2\r\n`;
      expect((await send(address, {}, '?dry_run=1')).json).toMatchObject({ dry_run: true, new: 1 });
      const key = { 'idempotency-key': 'far-1' };
      expect(await send(address, key)).toMatchObject({ status: 200, json: { new: 1 } });
      expect(await send(address, key)).toMatchObject({ status: 200, json: { new: 1 } });
      expect((await send(address)).json).toMatchObject({ new: 0, known: 1 });
      const queued = await send(address, { prefer: 'respond-async' });
      expect(queued).toMatchObject({ status: 202, json: { format: 'csv' } });
      for (const body of ['s3://bucket/people.csv', 'people.csv', `${address}${address}`])
        expect(await send(body)).toMatchObject({ status: 422, json: { code: 'request-invalid' } });
    } finally {
      await open.close();
    }
  });

  it('at an address is read no longer than the sender waits, and few at once', async () => {
    const open = await openApi({ env: { LIST_ALLOW_PRIVATE: '1' } });
    const asked = new EventEmitter();
    const server = createServer((request, response) => {
      if (request.url === '/whole.csv') return void response.end(csv(98));
      response.write('phone\n');
      response.once('close', () => asked.emit('left'));
      asked.emit('asked');
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { json } = await open.ask('POST', '/api/campaigns', { body: { name: 'far', agent: 'a' } });
      const send = (name: string, signal: AbortSignal | null = null) =>
        fetch(`${open.url}/api/campaigns/${json.id}/recipients?dry_run=1`, {
          method: 'POST',
          headers: { 'content-type': 'text/uri-list' },
          body: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}.csv`,
          signal,
        });
      const leaving = new AbortController();
      const sent: Promise<unknown>[] = [];
      for (let n = 0; n < 8; n++) {
        const begun = once(asked, 'asked');
        sent.push(send('endless', leaving.signal).catch(() => null));
        await begun;
      }
      const refused = await send('whole');
      expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'too-many-readers' }]);
      let left = 0;
      const all = new Promise<void>((resolve) => asked.on('left', () => ++left === 8 && resolve()));
      leaving.abort();
      await all;
      await Promise.all(sent);
      const again = await until(
        () => send('whole'),
        ({ status }) => status === 200,
      );
      expect(await again.json()).toMatchObject({ accepted: 1 });
    } finally {
      server.closeAllConnections();
      server.close();
      await open.close();
    }
  });

  it('fails as a whole, and says why', async () => {
    const id = await campaign();
    const broken = (await later(id, 'application/json', `[{"phone":"${phone(1)}"},nonsense]`)).json;
    expect(await work(broken.id)).toMatchObject({
      state: 'failed',
      code: 'file-broken',
      reason: expect.stringContaining('item 2'),
      accepted: 0,
    });
    const late = (await later(id, 'text/csv', csv(1))).json;
    await api.ask('POST', `/api/campaigns/${id}/cancel`);
    expect(await work(late.id)).toMatchObject({ state: 'failed', code: 'campaign-state' });
    expect(await phones(id)).toEqual([]);
    expect([await left(broken.id), await left(late.id)]).toEqual([0, 0]);
    expect(await later(id, 'text/csv', csv(1))).toMatchObject({ status: 409 });
    const none = '00000000-0000-4000-8000-000000000000';
    expect(await api.ask('GET', `/api/imports/${none}`)).toMatchObject({ status: 404 });
    expect(await api.ask('GET', '/api/imports/x')).toMatchObject({ status: 404 });
  });

  it('may be one of several, on the same campaign and on others, next to bodies that are waited for', async () => {
    const [one, other] = [await campaign(), await campaign()];
    const begun = await Promise.all([
      later(one, 'text/csv', csv(1, 2)),
      later(one, 'application/x-ndjson', `{"phone":"${phone(3)}"}\n{"phone":"${phone(2)}"}`),
      later(other, 'text/csv', csv(1)),
    ]);
    const [direct] = await Promise.all([
      add(one, 'application/json', JSON.stringify([{ phone: phone(4) }, { phone: phone(1) }])),
      ...begun.map(({ json }) => work(json.id)),
    ]);
    expect(direct!.json).toMatchObject({ accepted: 2 });
    expect((await phones(one)).sort()).toEqual([1, 2, 3, 4].map(phone));
    const { items } = (await api.ask('GET', `/api/campaigns/${one}/recipients`)).json;
    expect(new Set(items.map((item: { row: number }) => item.row)).size).toBe(4);
    expect(await phones(other)).toEqual([phone(1)]);
  });

  it('that a killed process had in hand is done by the next one, once', async () => {
    const id = await campaign();
    const begun = (await later(id, 'text/csv', csv(1, 2, 3))).json;
    // An importer waits for this lock, in the middle of its transaction.
    const client = new pg.Client({ connectionString: api.env.DATABASE_URL! });
    await client.connect();
    const lock = `hashtextextended('carillon import ' || $1::text, 0)`;
    await client.query(`select pg_advisory_lock(${lock})`, [id]);
    const program = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));
    const child = spawn(process.execPath, [program, 'worker', '--only', 'importer'], {
      env: { PATH: process.env.PATH, ...api.env },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await until(
      () => api.app.ledger.imports.isFree(begun.id),
      (isFree) => !isFree,
    );
    child.kill('SIGKILL');
    await ended;
    await client.end();
    expect(await work(begun.id)).toMatchObject({ state: 'done', accepted: 3, rejected: 0 });
    expect(await phones(id)).toEqual([1, 2, 3].map(phone));
  });
});

it('the same list with the same Idempotency-Key has the same answer, whatever happened since', async () => {
  const id = await campaign();
  const send = (key: string, body: string, prefer = '') =>
    api.ask('POST', `/api/campaigns/${id}/recipients`, {
      headers: { 'content-type': 'text/csv', 'idempotency-key': key, ...(prefer ? { prefer } : {}) },
      body,
    });
  const list = `${csv(31, 32)}x\n`;
  const [first, twin] = await Promise.all([send('list-1', list), send('list-1', list)]);
  expect(first.json).toMatchObject({ accepted: 2, rejected: 1, rejects: [{ row: 4 }] });
  expect(twin.json).toEqual(first.json);
  expect(await send('list-1', csv(33))).toMatchObject({ status: 409, json: { code: 'request-conflict' } });
  const begun = await send('list-2', csv(34), 'respond-async');
  const again = await send('list-2', csv(34), 'respond-async');
  expect([begun.status, again.status, again.json.id]).toEqual([202, 202, begun.json.id]);
  expect(await work(begun.json.id)).toMatchObject({ state: 'done', accepted: 1 });
  await api.ask('POST', `/api/campaigns/${id}/cancel`);
  expect((await send('list-1', list)).json).toEqual({ ...first.json, state: 'canceled' });
  expect(await send('list-3', list)).toMatchObject({ status: 409, json: { code: 'campaign-state' } });
  expect(await phones(id)).toEqual([31, 32, 34].map(phone));
});

async function left(id: string): Promise<number> {
  const pieces: Buffer[] = [];
  for await (const piece of api.app.ledger.imports.body(id)) pieces.push(piece);
  return pieces.length;
}
