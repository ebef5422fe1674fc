import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textRow, workbook } from '../intake/workbooks.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** Where the lists of a command come from, and where its results go. */
let terminal: Terminal;
beforeAll(async () => {
  terminal = await openTerminal();
});
afterAll(() => terminal?.close());

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

  it('is added to a campaign, and its phones are suppressed', async () => {
    await terminal.type('campaign create books --agent a');
    const added = await terminal.type(`campaign add books ${at('people.xlsx')} --sheet More --json`);
    expect(added.json).toMatchObject({ accepted: 1 });
    const suppressed = await terminal.type(`suppress import ${at('people.xlsx')} --json`);
    expect(suppressed.json).toMatchObject({ added: 1, rejected: 1 });
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
