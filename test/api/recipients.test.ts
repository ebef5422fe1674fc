import { describe, expect, it } from 'vitest';
import { takeRunLock } from '../../src/run/prepare.ts';
import { serveApi } from './support.ts';

const api = serveApi();
let made = 0;

async function campaign(more: Record<string, unknown> = {}): Promise<string> {
  const { json } = await api.ask('POST', '/api/campaigns', {
    body: { name: `list ${made++}`, agent: 'a', ...more },
  });
  return json.id;
}
const add = (id: string, type: string, body: string | Uint8Array, query = '') =>
  api.ask('POST', `/api/campaigns/${id}/recipients${query}`, { headers: { 'content-type': type }, body });
const pages = (id: string, query = '') => api.ask('GET', `/api/campaigns/${id}/recipients${query}`);
const balance = async (id: string) => (await api.ask('GET', `/api/campaigns/${id}`)).json.balance;
type Reject = { row: number; reason: string; input: unknown };
async function rejects(id: string, limit = 1_000): Promise<Reject[]> {
  const all: Reject[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `?limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const { json } = await api.ask('GET', `/api/campaigns/${id}/rejects${query}`);
    all.push(...json.items);
    cursor = json.next;
  }
  return all;
}
const phone = (n: number) => `+1415555${String(n).padStart(4, '0')}`;

describe('POST /api/campaigns/{id}/recipients', () => {
  it('a JSON array, NDJSON and CSV give the same people, one list after the other', async () => {
    const id = await campaign();
    const json = await add(
      id,
      'application/json',
      JSON.stringify([{ phone: phone(1), name: 'Ann', plan: 'gold' }, { phone: 'x' }]),
    );
    expect(json.status).toBe(200);
    expect(json.json).toEqual({
      campaign: expect.any(String),
      state: 'draft',
      accepted: 1,
      new: 1,
      known: 0,
      changed: 0,
      rejected: 1,
      rejects: [{ row: 2, reason: expect.stringContaining('x') }],
    });
    const ndjson = await add(
      id,
      'application/x-ndjson; charset=utf-8',
      `{"phone":"${phone(2)}","name":"Bo"}\n\nnot json\n{"phone":"${phone(3)}","variables":{"plan":"tin"}}`,
    );
    expect(ndjson.json).toMatchObject({ accepted: 2, rejected: 1, rejects: [{ row: 3 }] });
    const csv = await add(
      id,
      'text/csv',
      `Telephone;Name;Plan\n${phone(4)};Cy;"a\nb"\n${phone(4)};Cy;twice\n`,
    );
    expect(csv.json).toMatchObject({
      accepted: 1,
      rejected: 1,
      rejects: [{ row: 4, reason: 'duplicate of line 2' }],
    });

    const { items } = (await pages(id)).json;
    expect(items.map((item: { phone: string }) => item.phone)).toEqual([
      phone(1),
      phone(2),
      phone(3),
      phone(4),
    ]);
    // With the three rejected rows, and without the headers, the rows of the list have no gap.
    expect(items.map((item: { row: number }) => item.row)).toEqual([1, 3, 5, 6]);
    expect(items[0]).toMatchObject({ row: 1, name: 'Ann', state: 'waiting', input: { plan: 'gold' } });
    expect(items[3].input).toMatchObject({ Plan: 'a\nb' });
    expect(await balance(id)).toMatchObject({ rows: 7, waiting: 4, rejected: 3 });
  });

  it('national numbers, columns of other names and the campaign’s time zone are read', async () => {
    const id = await campaign({ timezone: 'Europe/Berlin', window: '09:00-20:00' });
    const csv = 'Who,Line\nAnn,(415) 555-0123\n';
    expect((await add(id, 'text/csv', csv)).json).toMatchObject({
      code: 'request-invalid',
      remedy: expect.stringContaining('?phone=COL'),
    });
    expect((await add(id, 'text/csv', csv, '?phone=Line&name=Who&country=us')).json).toMatchObject({
      accepted: 1,
    });
    expect((await pages(id)).json.items[0]).toMatchObject({ phone: '+14155550123', name: 'Ann' });
    expect(await api.app.ledger.campaigns.places(id)).toEqual(['Europe/Berlin;US-CA']);
  });

  it('national numbers are of the campaign’s country, at its creation, later, and after a change of it', async () => {
    const id = await campaign({ country: 'us', recipients: [{ phone: '(415) 555-0131' }] });
    const shown = async () => (await api.ask('GET', `/api/campaigns/${id}`)).json.country;
    expect(await shown()).toBe('US');
    const later = await add(id, 'text/csv', 'phone\n(415) 555-0132\n');
    expect(later.json).toMatchObject({ accepted: 1, rejected: 0 });
    const other = await add(id, 'application/json', '[{"phone":"030 23125 001"}]', '?country=DE');
    expect(other.json).toMatchObject({ accepted: 1, rejected: 0 });
    const body = { phone: '(415) 555-0133' };
    const changed = await api.ask('PATCH', `/api/campaigns/${id}/recipients/%2B14155550132`, { body });
    expect(changed.json.phone).toBe('+14155550133');
    await api.ask('PATCH', `/api/campaigns/${id}`, { body: { country: null } });
    expect(await shown()).toBe(null);
    expect((await add(id, 'text/csv', 'phone\n(415) 555-0134\n')).json).toMatchObject({ rejected: 1 });
  });

  it.each([
    ['application/json', '{"phone":"+14155550001"}'],
    ['application/json', '[{"phone":"+14155550001"}'],
    ['application/json', '[{"phone":"+14155550001"},]'],
    ['application/json', '[{"phone":"+14155550001"} {"phone":"+14155550002"}]'],
    ['application/json', '[{"phone":"+14155550001"}] more'],
    ['application/json', '[{"phone":"+14155550001"]]'],
    ['application/json', '[}]'],
    ['application/json', '[{"phone":"+14155550001"},nonsense]'],
    ['application/json', ''],
    ['application/json', '[{"phone":"+14155550001"},{"phone":"\xff"}]'],
    ['text/csv', ''],
    ['text/csv', 'phone,name\n+14155550001,"open'],
  ])('a broken body is refused whole (%s %j)', async (type, body) => {
    const id = await campaign();
    const answer = await add(id, type, Buffer.from(body, 'latin1'));
    expect(answer.status).toBe(422);
    expect(['file-broken', 'request-invalid']).toContain(answer.json.code);
    expect((await balance(id)).rows).toBe(0);
  });

  it('strings with brackets, quotes and commas do not mislead the reader of arrays', async () => {
    const id = await campaign();
    const people = [
      { phone: phone(1), name: '],[{"\\' },
      { phone: phone(2), name: '\\"', deep: { list: [1, [2, '}']] } },
      { phone: phone(3), name: 'Zoë 😀' },
    ];
    const answer = await add(id, 'application/json', ` \n${JSON.stringify(people, null, 2)}\n `);
    expect(answer.json).toMatchObject({ accepted: 3, rejected: 0 });
    const { items } = (await pages(id)).json;
    expect(items.map((item: { name: string }) => item.name)).toEqual(people.map(({ name }) => name));
    expect(items[1].input.deep).toEqual(people[1]!.deep);
  });

  it('an empty array is an empty list', async () => {
    const id = await campaign();
    expect((await add(id, 'application/json', ' [ ] ')).json).toMatchObject({ accepted: 0, rejected: 0 });
  });

  it('a body without a length is accepted, beyond the limit of other bodies', async () => {
    const id = await campaign();
    // A megabyte and a half.
    const count = 16_000;
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        const lines = Array.from(
          { length: 1_000 },
          () => `{"phone":"+1415${String(5550000 + sent++)}","note":"${'x'.repeat(60)}"}`,
        );
        controller.enqueue(new TextEncoder().encode(`${lines.join('\n')}\n`));
        if (sent >= count) controller.close();
      },
    });
    const response = await fetch(`${api.url}/api/campaigns/${id}/recipients`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(await response.json()).toMatchObject({ accepted: count, rejected: 0 });
    const csv = await (await fetch(`${api.url}/api/campaigns/${id}/results.csv`)).text();
    expect(csv.trimEnd().split('\n')).toHaveLength(count + 1);
  });

  it('the rest of the rejects are had page by page, with what was sent', async () => {
    const id = await campaign();
    const bad = Array.from({ length: 250 }, (_, n) => ({ phone: `x${n}`, plan: n }));
    const { json } = await add(id, 'application/json', JSON.stringify([{ phone: phone(1) }, ...bad]));
    expect([json.rejected, json.rejects.length]).toEqual([250, 100]);
    const items = await rejects(id, 60);
    expect(items).toEqual(
      bad.map((input, n) => ({ row: n + 2, reason: expect.stringContaining(`"x${n}"`), input })),
    );
  });

  it('the same list sent again changes nothing, and its rejects have the places of the body', async () => {
    const id = await campaign();
    const list = [
      { phone: phone(1), plan: 1 },
      { phone: 'x' },
      { phone: phone(1), plan: 2 },
      { phone: 'x' },
      'nothing',
      { phone: phone(2) },
      { phone: phone(2) },
    ];
    const send = () => add(id, 'application/json', JSON.stringify(list));
    const first = await send();
    expect(first.json).toMatchObject({ accepted: 2, rejected: 5 });
    expect(first.json.rejects.map(({ row }: { row: number }) => row)).toEqual([2, 3, 4, 5, 7]);
    const before = [await balance(id), await rejects(id), (await pages(id)).json.items];
    expect(before[0]).toMatchObject({ rows: 7, waiting: 2, rejected: 5 });
    const known = { ...first.json, new: 0, known: 2 };
    for (const again of [await send(), await send()]) expect(again.json).toEqual(known);
    expect([await balance(id), await rejects(id), (await pages(id)).json.items]).toEqual(before);
    const csv = `phone,plan\n${phone(3)},a\nx,b\n${phone(3)},c\n`;
    const told = (await add(id, 'text/csv', csv)).json;
    expect(told.rejects).toMatchObject([{ row: 3 }, { row: 4 }]);
    expect((await add(id, 'text/csv', csv)).json).toEqual({ ...told, new: 0, known: told.new });
    expect(await balance(id)).toMatchObject({ rows: 10, waiting: 3, rejected: 7 });
    expect(await api.app.ledger.reports.audit()).toEqual(
      expect.arrayContaining([{ rule: 'a tally differs from what it counts', broken: 0 }]),
    );
  });

  it('a row that is sent again and taken now is not a reject any more', async () => {
    const id = await campaign();
    const list = [{ phone: '4155550001' }, { phone: '4155550001' }, { phone: 'x' }];
    await add(id, 'application/json', JSON.stringify(list));
    expect(await balance(id)).toMatchObject({ rows: 3, rejected: 3 });
    const { json } = await add(id, 'application/json', JSON.stringify(list), '?country=US');
    expect(json).toMatchObject({ accepted: 1, rejected: 2 });
    expect(await balance(id)).toMatchObject({ rows: 3, waiting: 1, rejected: 2 });
    expect(await rejects(id)).toEqual([
      { row: 1, reason: 'duplicate of item 1', input: { phone: '4155550001' } },
      { row: 3, reason: expect.stringContaining('"x"'), input: { phone: 'x' } },
    ]);
    // Another list with one bad row more.
    await add(id, 'application/json', JSON.stringify([{ phone: 'y' }, { phone: 'x' }]));
    expect(await balance(id)).toMatchObject({ rows: 4, rejected: 3 });
    expect((await rejects(id)).map(({ row }) => row)).toEqual([1, 3, 5]);
  });

  it('people who are added one by one leave the rejects of others as they are', async () => {
    const id = await campaign({ recipients: [{ phone: 'x' }, { phone: phone(1) }] });
    for (const each of [
      { phone: phone(2) },
      { phone: 'y' },
      { phone: phone(1) },
      { phone: 'y' },
      { phone: 'x' },
    ]) {
      await add(id, 'application/json', JSON.stringify([each]));
    }
    expect(await balance(id)).toMatchObject({ rows: 4, waiting: 2, rejected: 2 });
    expect((await rejects(id)).map(({ input }) => input)).toEqual([{ phone: 'x' }, { phone: 'y' }]);
  });

  it('more different fields than a table can have are refused', async () => {
    const id = await campaign();
    const people = Array.from({ length: 1_100 }, (_, n) => ({ phone: phone(n), [`field ${n}`]: 'x' }));
    expect(await add(id, 'application/json', JSON.stringify(people))).toMatchObject({
      status: 422,
      json: { code: 'request-invalid' },
    });
    expect((await balance(id)).rows).toBe(0);
  });

  it('two lists at once are both added whole, one after the other', async () => {
    const id = await campaign();
    const list = (from: number) =>
      JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ phone: phone(from + n) })));
    const answers = await Promise.all([
      add(id, 'application/json', list(0)),
      add(id, 'application/json', list(500)),
    ]);
    expect(answers.map(({ json }) => json.accepted)).toEqual([500, 500]);
    const rows = new Set<number>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json } = await pages(id, `?limit=300${cursor && `&cursor=${cursor}`}`);
      for (const item of json.items) rows.add(item.row);
      cursor = json.next;
    }
    expect(rows.size).toBe(1_000);
    const rowsOf = async (query: string) =>
      (await pages(id, query)).json.items.map(({ row }: { row: number }) => row);
    expect(await rowsOf('?row=700&limit=2')).toEqual([700, 701]);
    expect(await rowsOf('?row=998&state=waiting&limit=5')).toEqual([998, 999, 1_000]);
    expect(await rowsOf('?row=1001')).toEqual([]);
  });

  it('nobody is added to a canceled campaign, to single calls, or to a campaign that a run dials', async () => {
    const canceled = await campaign();
    await api.ask('POST', `/api/campaigns/${canceled}/cancel`);
    expect(await add(canceled, 'text/csv', `phone\n${phone(1)}\n`)).toMatchObject({
      status: 409,
      json: { code: 'campaign-state' },
    });
    const call = await api.ask('POST', '/api/calls', { body: { agent: 'a', phone: phone(1) } });
    const calls = call.json.links.campaign.split('/').at(-1);
    expect(await add(calls, 'text/csv', `phone\n${phone(1)}\n`)).toMatchObject({
      status: 409,
      json: { code: 'campaign-state' },
    });
    const run = await campaign();
    await api.app.ledger.campaigns.take(run, '00000000-0000-4000-8000-000000000000');
    const lock = await takeRunLock(api.app.ledger, run, 'people');
    expect(await add(run, 'text/csv', `phone\n${phone(1)}\n`)).toMatchObject({
      status: 409,
      json: { code: 'campaign-busy' },
    });
    await lock.release();
  });

  it('a finished campaign that gets new people says that it must be started again', async () => {
    const id = await campaign({ recipients: [{ phone: phone(1) }] });
    await api.ask('POST', '/api/suppressions', { body: { phones: [phone(1)] } });
    await api.ask('POST', `/api/campaigns/${id}/start`);
    await api.app.ledger.campaigns.resume(id);
    await api.app.ledger.campaigns.finish(api.app.baseUrl);
    expect((await api.ask('GET', `/api/campaigns/${id}`)).json.state).toBe('done');
    expect((await add(id, 'text/csv', `phone\n${phone(2)}\n`)).json.state).toBe('paused');
    expect((await api.ask('POST', `/api/campaigns/${id}/resume`)).json.state).toBe('running');
  });
});

describe('the output of a campaign', () => {
  it('results are files with a name, in the columns of the command line', async () => {
    const id = await campaign({
      name: 'naïve "list"\\',
      recipients: [{ phone: phone(900), name: '=1+1', plan: 'gold' }],
    });
    const csv = await api.ask('GET', `/api/campaigns/${id}/results.csv`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="na_ve_list_.results.csv"');
    const [header, row] = csv.text.split('\n');
    expect(header).toBe(
      'row,phone,name,state,outcome,attempts,call_id,status,duration,cost,started_at,ended_at,transcript,recording_url,structured_data,error,in_phone,in_name,in_plan',
    );
    expect(row).toContain(`1,${phone(900)},'=1+1,waiting`);
    const ndjson = await api.ask('GET', `/api/campaigns/${id}/results.ndjson`);
    expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(JSON.parse(ndjson.text)).toMatchObject({ row: 1, phone: phone(900), in_plan: 'gold' });
    const attempts = await api.ask('GET', `/api/campaigns/${id}/attempts.csv`);
    expect(attempts.headers.get('content-disposition')).toBe(
      'attachment; filename="na_ve_list_.attempts.csv"',
    );
    expect(attempts.text).toMatch(/^row,phone,.*in_plan\n$/);
  });

  it('rejects are a file that can be sent back when it is repaired', async () => {
    const id = await campaign({ name: 'to repair' });
    await add(id, 'text/csv', `phone,plan\n${phone(910)},a\nbad,=1\n`);
    const file = await api.ask('GET', `/api/campaigns/${id}/rejects.csv`);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="to_repair.rejected.csv"');
    expect(file.text).toBe(`phone,plan,line,reason\nbad,'=1,3,"""bad"" contains letters"\n`);
    expect((await add(id, 'text/csv', file.text.replace('bad,', `${phone(911)},`))).json).toMatchObject({
      accepted: 1,
      rejected: 0,
      hint: expect.stringMatching(/rejected rows/),
    });
    const people = (await api.ask('GET', `/api/campaigns/${id}/recipients`)).json.items;
    expect(people.map(({ input }: { input: object }) => input)).toEqual([
      { phone: phone(910), plan: 'a' },
      { phone: phone(911), plan: '=1' },
    ]);
    expect((await api.ask('GET', `/api/campaigns/${id}/rejects`)).json.items).toEqual([]);
  });

  it('a campaign that does not exist has no results and no people', async () => {
    for (const path of [
      'results.csv',
      'results.ndjson',
      'attempts.csv',
      'recipients',
      'rejects',
      'rejects.csv',
    ]) {
      expect(await api.ask('GET', `/api/campaigns/none/${path}`)).toMatchObject({
        status: 404,
        json: { code: 'campaign-unknown' },
      });
    }
  });

  it('a client that stops reading results breaks nothing', async () => {
    const id = await campaign({
      recipients: Array.from({ length: 3_000 }, (_, n) => ({ phone: phone(n), note: 'x'.repeat(200) })),
    });
    const stop = new AbortController();
    // Packed, the whole file would be on its way before the client stops.
    const headers = { 'accept-encoding': 'identity' };
    const { signal } = stop;
    const response = await fetch(`${api.url}/api/campaigns/${id}/results.csv`, { headers, signal });
    const reader = response.body!.getReader();
    await reader.read();
    stop.abort();
    await expect(reader.read()).rejects.toThrow();
    expect((await api.ask('GET', '/healthz')).status).toBe(200);
  });
});
