import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { carillon } from './child.ts';
import { makeCampaign, useTerminal } from './terminal.ts';

const term = useTerminal('test');

it('adds numbers in any notation, takes effect at once, and says how many rows were skipped', async () => {
  const id = await makeCampaign(term.ledger, { name: 'march', baseUrl: term.simulator.url }, 3);
  const line = [
    'suppress',
    'add',
    '(415) 555-1000',
    '+1 415 555 1001',
    '--country',
    'US',
    '--reason',
    'asked',
    '--json',
  ];
  expect((await term.type(line)).json).toEqual({
    phones: 2,
    added: 2,
    known: 0,
    skipped: 2,
  });
  expect((await term.ledger.reports.standing(id)).counts).toMatchObject({ skipped: 2, waiting: 1 });
  expect((await term.type('suppress add +14155551000')).out).toBe(
    '0 numbers suppressed, 1 already on the list; 0 waiting rows were skipped.\n',
  );
});

it('removes numbers from the list', async () => {
  await term.type('suppress add +14155550123');
  const removed = await term.type('suppress remove +14155550123 +14155550124 --json');
  expect(removed.json).toEqual({ phones: 2, removed: 1, unknown: 1 });
});

it('lists all pages as one document', async () => {
  await term.sql(
    `insert into carillon.suppressions (phone) select '+1415555' || n from generate_series(1000, 3499) n`,
  );
  await term.type(['suppress', 'add', '+14155550001', '--reason', 'a "letter"']);
  const listed = await term.type('suppress list --json');
  expect(listed.json.items).toHaveLength(2_501);
  expect(listed.json.items[0]).toMatchObject({ phone: '+14155550001', reason: 'a "letter"' });
  expect((await term.type('suppress list')).out.trim().split('\n')).toHaveLength(2_501);
});

it('writes to its last line for a slow reader', async () => {
  await term.sql(
    `insert into carillon.suppressions (phone, reason)
     select '+1415555' || n, repeat('x', 100) from generate_series(1000, 4999) n`,
  );
  const slow = spawn(
    'sh',
    ['-c', `"${process.execPath}" "${carillon}" suppress list --json | (sleep 1; cat)`],
    {
      env: { PATH: process.env.PATH, ...term.env },
    },
  );
  const chunks: Buffer[] = [];
  for await (const chunk of slow.stdout) chunks.push(chunk as Buffer);
  expect(JSON.parse(Buffer.concat(chunks).toString()).items).toHaveLength(4_000);
});

it('imports a file, and names the lines that it cannot read', async () => {
  const file = 'Contact Number,why\n415-555-0123,x\nnobody,y\n+14155550124,z\n4155550123,again\n';
  writeFileSync(join(term.folder, 'dnc.csv'), file);
  const imported = await term.type('suppress import dnc.csv --country US --json');
  expect(imported.json).toEqual({ file: 'dnc.csv', phones: 2, added: 2, known: 0, skipped: 0, rejected: 1 });
  expect(imported).toMatchObject({ err: expect.stringMatching(/^Line 3: .+\n$/), code: 3 });
  const again = await term.type('suppress import - --map phone=n --country US', { input: 'n\n4155550123\n' });
  expect(again.out).toContain('1 already on the list');
});

it('reads reasons and ends from a file, and refuses one in which nothing can be read', async () => {
  const file =
    'NUMBER,Reason,EXPIRES\n+14155550123,letter,2099-01-01\n+14155550124,,soon\n+14155550125,,2001-01-01\n';
  writeFileSync(join(term.folder, 'register.csv'), file);
  const line = 'suppress import register.csv --map phone=NUMBER,until=EXPIRES --reason register';
  const imported = await term.type(line);
  expect(imported.out).toBe(
    '1 number suppressed; 0 waiting rows were skipped.\n1 row could not be read and is not suppressed.\n',
  );
  expect(imported.err).toBe('Line 3: the end "soon" is neither a time nor a span.\n');
  const listed = await term.type('suppress list --json');
  expect(listed.json.items).toMatchObject([
    { phone: '+14155550123', source: 'import', reason: 'letter', until: '2099-01-01T00:00:00.000Z' },
  ]);
  writeFileSync(join(term.folder, 'bad.csv'), 'phone\n12\nnobody\n');
  const bad = await term.type('suppress import bad.csv');
  expect(bad.code).toBe(2);
  expect(bad.err).toContain('None of the file’s 2 rows can be read');
  expect((await term.type('suppress add 12345')).err).toBe(
    'carillon: The phone number "12345" is in national form: give the country (--country, or `country` in a request). Nothing was changed. Write each number with its "+" and country code, for example +14155550123.\n',
  );
});

it('exports a list that an import reads again', async () => {
  await makeCampaign(term.ledger, { name: 'march', baseUrl: term.simulator.url }, 1);
  await term.type('suppress add +14155550123 --campaign march --until 2099-01-01');
  await term.type(['suppress', 'add', '+14155550123', '+14155550124', '--reason', '=a "letter"']);
  await term.sql(`update carillon.suppressions set source = 'opt-out' where phone = '+14155550124'`);
  const items = async () =>
    (await term.type('suppress list --json')).json.items.map(
      ({ created_at, ...item }: { created_at: string }) => item,
    );
  const before = await items();
  expect(before).toHaveLength(3);
  expect((await term.type('suppress export list.csv')).out).toBe('3 numbers written to list.csv.\n');
  await term.sql('delete from carillon.suppressions');
  expect((await term.type('suppress import list.csv --json')).json).toMatchObject({
    phones: 3,
    added: 3,
    rejected: 0,
  });
  expect(await items()).toEqual(before);
});
