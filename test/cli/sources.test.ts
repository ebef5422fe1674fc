import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textRow, workbook } from '../intake/workbooks.ts';
import { openRecords } from '../support/csv.ts';
import { type S3Store, startS3Store } from '../support/s3-store.ts';
import { useTerminal } from './terminal.ts';

/** Where the lists of a command come from, and where its results go. */
const terminal = useTerminal('file');

const at = (file: string) => join(terminal.folder, file);

describe('a workbook', () => {
  const sheets = {
    Leads: textRow(1, 'phone', 'name') + textRow(2, '+14155550111', 'Ann') + textRow(4, 'none', 'Bob'),
    More: textRow(1, 'phone') + textRow(2, '+14155550112'),
  };

  it('is a list of a dry run, and its rows are those of the sheet', async () => {
    writeFileSync(at('people.xlsx'), workbook({ sheets }));
    const run = `run ${at('people.xlsx')} --agent a --dry-run --out ${at('out.csv')}`;
    const told = await terminal.type(run);
    expect(told).toMatchObject({
      code: 0,
      err: expect.stringContaining('people.xlsx has 2 sheets, and "Leads" is read'),
    });
    expect(told.out).toContain('line 4: "none" contains letters');
    expect((await terminal.type(`${run} --json --sheet more`)).json).toMatchObject({
      waiting: 1,
      rejected: 0,
    });
    const wrong = await terminal.type(`${run} --sheet 3`);
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('people.xlsx has no sheet "3"') });
  });

  it('is a list for each of its sheets: one does not take the place of another', async () => {
    const run = (sheet: string) =>
      terminal.type(`run ${at('people.xlsx')} --agent a --sheet ${sheet} --limit 1 --yes --json`);
    writeFileSync(
      at('people.xlsx'),
      workbook({ sheets: { ...sheets, March: textRow(1, 'phone') + textRow(2, '+14155550116') } }),
    );
    expect((await run('More')).json).toMatchObject({ campaign: 'people more', rows: 1, skipped: 0, done: 1 });
    expect((await run('March')).json).toMatchObject({ campaign: 'people march', rows: 1, done: 1 });
    expect((await run('MORE')).json).toMatchObject({ campaign: 'people more', rows: 1, skipped: 0, done: 1 });
    writeFileSync(at('people.xlsx'), workbook({ sheets }));
  });

  it('is added to a campaign', async () => {
    await terminal.type('campaign create books --agent a');
    const added = await terminal.type(`campaign add books ${at('people.xlsx')} --sheet More --json`);
    expect(added.json).toMatchObject({ accepted: 1 });
  });

  it('has phones that are suppressed, and is refused where a sheet of it would not be read', async () => {
    const suppress = `suppress import ${at('people.xlsx')}`;
    const refused = await terminal.type(suppress);
    expect(refused).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/has 2 sheets: "Leads", "More".*Nobody was suppressed.*option sheet/),
    });
    expect((await terminal.type('suppress list')).out).toBe('Nobody is suppressed.\n');
    expect((await terminal.type(`${suppress} --sheet leads --json`)).json).toMatchObject({
      added: 1,
      rejected: 1,
    });
    expect((await terminal.type(`${suppress} --sheet 2`)).out).toContain('1 number suppressed');
    writeFileSync(at('twins.csv'), 'phone,Reason,reason\n+14155550114,a,b\n');
    const twins = `suppress import ${at('twins.csv')}`;
    expect((await terminal.type(twins)).err).toContain('2 columns have the same name');
    expect((await terminal.type(`${twins} --json`)).json.hint).toContain('2 columns have the same name');
  });

  it('that is broken is one line, and nothing is dialled or stored', async () => {
    writeFileSync(at('broken.xlsx'), readFileSync(at('people.xlsx')).subarray(0, 900));
    const told = await terminal.type(`run ${at('broken.xlsx')} --agent a --yes`);
    expect(told).toMatchObject({ code: 2, out: '' });
    expect(told.err.trim().split('\n')).toEqual([
      expect.stringMatching(/^carillon: broken\.xlsx is a damaged workbook: its end is missing/),
    ]);
    expect((await terminal.type('campaign show broken')).code).toBe(2);
  });

  it('has no name of another form: a CSV has no sheet', async () => {
    writeFileSync(at('people.csv'), 'phone\n+14155550113\n');
    const told = await terminal.type(`run ${at('people.csv')} --agent a --dry-run --sheet 1`);
    expect(told).toMatchObject({ code: 2, err: expect.stringContaining('people.csv is not a workbook') });
  });
});

describe('a list at an address', () => {
  let lists: Record<string, string | Buffer>;
  let url: string;
  const env = { LIST_ALLOW_PRIVATE: '1' };
  const server = createServer((request, response) => {
    const found = lists[request.url ?? ''];
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    lists = {
      '/march.csv?key=hunter2': 'phone,name\n+14155550121,Ann\nx,Bob\n',
      '/april.csv': 'phone\n+14155550131\n',
      '/more.xlsx': workbook({ sheets: { A: textRow(1, 'phone') + textRow(2, '+14155550141') } }),
    };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is dialled, and nowhere does the ledger or a line show the secrets of the address', async () => {
    const typed = `run http://ann:hunter3@${url}/march.csv?key=hunter2 --name march --agent a --out ${at('march.csv')}`;
    const told = await terminal.type(`${typed} --limit 1 --yes`, { env });
    expect(told.code).toBe(0);
    expect(told.out + told.err).not.toContain('hunter');
    expect(readFileSync(at('march.csv'), 'utf8')).toContain('+14155550121,Ann,done');
    expect(readFileSync(at('march.rejected.csv'), 'utf8')).toContain('x,Bob,3,');
    const kept = await terminal.sql(
      'select c::text as text from carillon.campaigns c union all select a::text from carillon.activity a',
    );
    expect(kept.filter(({ text }) => String(text).includes('hunter'))).toEqual([]);
    const again = await terminal.type(`${typed} --yes`, { env });
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('nothing is left to call') });
  });

  it('gives the campaign its file’s name, unless it may name several lists', async () => {
    const dry = (address: string) =>
      terminal.type(`run ${address} --agent a --dry-run --out ${at('x.csv')}`, { env });
    expect((await dry(`http://${url}/april.csv`)).out).toContain('Dry run of april');
    const several = await dry(`http://${url}/march.csv?key=hunter2`);
    expect(several).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('does not say which list it is'),
    });
    expect(several.err).not.toContain('hunter');
  });

  it('is added to a campaign, in any form', async () => {
    await terminal.type('campaign create added --agent a');
    const added = await terminal.type(`campaign add added http://${url}/more.xlsx --json`, { env });
    expect(added.json).toMatchObject({ accepted: 1 });
  });

  it('is refused on a private network unless that is allowed, and where nothing answers', async () => {
    const refused = await terminal.type(`run http://${url}/april.csv --agent a`);
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('LIST_ALLOW_PRIVATE=1') });
    const gone = await terminal.type(`run http://${url}/none.csv --agent a`, { env });
    expect(gone.err.trim().split('\n')).toEqual([
      expect.stringMatching(/none\.csv cannot be read: it answered 404/),
    ]);
    expect(
      (await terminal.type('campaign list --json')).json.items.map(({ name }: { name: string }) => name),
    ).not.toContain('none');
  });
});

describe('results that go to a bucket', () => {
  let store: S3Store;
  beforeAll(async () => {
    store = await startS3Store();
    store.objects.set('/leads/may.csv', {
      bytes: Buffer.from('phone,city\n+14155550151,Reno\n+14155550152,=1+1\nnone,x\n'),
      type: 'text/csv',
    });
  });
  afterAll(() => store?.close());
  const objectAt = (path: string) => store.objects.get(path)!.bytes;
  const rowsOf = (path: string) => {
    const { buffer, byteOffset, length } = objectAt(path);
    return parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer });
  };

  it('come from a list in one: results, attempts and rejects are beside each other', async () => {
    const { env } = store;
    const typed = 'run s3://leads/may.csv --agent a --out s3://results/2026/may.parquet --attempts';
    const dry = await terminal.type(`${typed} --dry-run --json`, { env });
    expect(dry).toMatchObject({ code: 0, json: { campaign: 'may', waiting: 2, rejected: 1 } });
    expect(store.objects.size).toBe(1);
    const told = await terminal.type(`${typed} --yes`, { env });
    expect(told.code).toBe(0);
    expect(told.out).toContain('Results: s3://results/2026/may.parquet (2 rows)');
    expect(told.out).toContain('rejected: s3://results/2026/may.rejected.csv (1 row)');
    const rows = await rowsOf('/results/2026/may.parquet');
    expect(rows.map(({ row, phone, state, in_city }) => [row, phone, state, in_city])).toEqual([
      [2, '+14155550151', 'done', 'Reno'],
      [3, '+14155550152', 'done', '=1+1'],
    ]);
    expect((await rowsOf('/results/2026/may.attempts.parquet')).map(({ number }) => number)).toEqual([1, 1]);
    expect(objectAt('/results/2026/may.rejected.csv').toString()).toContain('none,x,4,');
    expect(store.uploads()).toEqual([]);
  });

  it('may be written at any time, in any form', async () => {
    const { env } = store;
    const line = 'campaign export may --out s3://results/now.csv --rejected s3://results/now.bad.csv --json';
    expect((await terminal.type(line, { env })).json).toMatchObject({ rows: 2, rejected: 1 });
    expect(openRecords(objectAt('/results/now.csv').toString())[1]).toMatchObject({ in_city: "'=1+1" });
    const path = at('may.parquet');
    expect((await terminal.type(`campaign export may --out ${path}`)).code).toBe(0);
    expect(readFileSync(path).subarray(0, 4).toString()).toBe('PAR1');
    expect(
      (await terminal.type(`bulk export --campaign may --out s3://results/bulk.parquet`, { env })).code,
    ).toBe(0);
    expect((await rowsOf('/results/bulk.parquet')).map(({ campaign }) => campaign)).toEqual(['may', 'may']);
  });

  it('that could not be written are told before anybody is called', async () => {
    const { env } = store;
    const dial = (out: string, more = env) =>
      terminal.type(`run s3://leads/may.csv --name june --agent a --out ${out} --yes`, { env: more });
    expect((await dial('s3://missing/june.csv')).err).toContain(
      's3://missing/june.csv cannot be written: NoSuchBucket',
    );
    expect((await dial('s3://results/june.csv', {})).err).toContain('s3:// needs AWS_ACCESS_KEY_ID');
    expect((await dial('s3://results/june.txt')).err).toContain('must end in .csv, .ndjson or .parquet');
    expect((await dial('s3://leads/may.csv')).err).toContain('is the list itself, and would be overwritten');
    expect((await terminal.type('campaign show june')).code).toBe(2);
  });
});
