import { describe, expect, test } from 'vitest';
import { parseMap } from '../../src/intake/columns.ts';
import { formatOf } from '../../src/intake/list.ts';
import { readPlace } from '../../src/rules/phone/place.ts';
import { readFrom, utf16 } from './files.ts';

const phones = ({ accepted }: { accepted: { phone: string }[] }) => accepted.map((row) => row.phone);
const lines = ({ accepted }: { accepted: { row: number }[] }) => accepted.map((row) => row.row);

describe('a file of recipients', () => {
  test('gives each row with its line, its zones and its variables', async () => {
    const read = await readFrom(
      'Phone,Name,time zone,City\n+14155550123, Ann ,,Reno\n+442079460958,,Europe/Paris, York \n',
    );
    expect(read).toEqual({
      sheets: null,
      columns: ['Phone', 'Name', 'time zone', 'City'],
      mapping: {
        phone: 'Phone',
        morePhones: [],
        name: 'Name',
        timezone: 'time zone',
        state: null,
        agent: null,
        variables: [],
      },
      hint: null,
      isRejects: false,
      encoding: 'utf-8',
      delimiter: ',',
      table: [
        { name: 'Phone', values: ['+14155550123', '+442079460958'] },
        { name: 'Name', values: [' Ann ', ''] },
        { name: 'time zone', values: ['', 'Europe/Paris'] },
        { name: 'City', values: ['Reno', ' York '] },
      ],
      accepted: [
        {
          row: 2,
          phone: '+14155550123',
          name: 'Ann',
          place: 'America/Los_Angeles;US-CA',
          input: { Phone: '+14155550123', Name: ' Ann ', 'time zone': '', City: 'Reno' },
          variables: { City: 'Reno' },
        },
        {
          row: 3,
          phone: '+442079460958',
          name: null,
          place: 'Europe/Paris',
          ownPlace: true,
          input: { Phone: '+442079460958', Name: '', 'time zone': 'Europe/Paris', City: ' York ' },
          variables: { City: 'York' },
        },
      ],
      rejected: [],
    });
  });

  test('takes the zone from its own column, else from the option, else from the number', async () => {
    const read = await readFrom('phone,Time Zone\n+14155550123,UTC\n+14155550124,\n', {
      timezone: 'Asia/Tokyo',
    });
    expect(read.accepted.map((row) => row.place)).toEqual(['UTC;US-CA', 'Asia/Tokyo;US-CA']);
  });

  test('rejects a row with a wrong zone, a wrong phone or too many cells, and keeps the others', async () => {
    const read = await readFrom(
      'phone,name,timezone\n+14155550123,A,EST\n4155550124,B,\n+14155550125,C,,x,\n+14155550126,D,,,\n,E\n+14155550127\n',
    );
    expect(read.rejected).toEqual([
      expect.objectContaining({
        row: 2,
        reason: '"EST" is not a time zone: use a name such as America/New_York',
      }),
      expect.objectContaining({
        row: 3,
        reason: '"4155550124" is in national form: give the country (--country, or `country` in a request)',
      }),
      expect.objectContaining({ row: 4, reason: 'has 4 cells, the header has 3' }),
      { row: 6, reason: 'has no phone number', input: { phone: '', name: 'E', timezone: '' } },
    ]);
    expect(phones(read)).toEqual(['+14155550126', '+14155550127']);
  });

  test('rejects the second of two equal phones with the line of the first', async () => {
    const read = await readFrom(
      'phone\n+1 415 555 0123\n+14155550124\n"+1 (415) 555-0123\n"\n+14155550124\n',
    );
    expect(read.rejected.map(({ row, reason }) => [row, reason])).toEqual([
      [4, 'duplicate of line 2'],
      [6, 'duplicate of line 3'],
    ]);
  });

  test('does not count a rejected row as the first of a pair', async () => {
    const read = await readFrom('phone,timezone\n+14155550123,Nowhere\n+14155550123,UTC\n');
    expect(lines(read)).toEqual([3]);
  });

  test('with only a header has no rows', async () => {
    for (const text of [
      'phone,name',
      'phone,name\n',
      '\r\n\r\nphone,name\r\n,\r\n ; \r\n'.replace(' ; ', ' , '),
    ]) {
      expect(await readFrom(text)).toMatchObject({ columns: ['phone', 'name'], accepted: [], rejected: [] });
    }
  });

  test('comes in batches of the requested size', async () => {
    const { openCsv } = await import('../../src/intake/csv.ts');
    const { Readable } = await import('node:stream');
    const text = `phone\n${Array.from({ length: 7 }, (_, at) => `+1415555012${at}\n`).join('')}`;
    const intake = await openCsv(
      { stream: Readable.from([text.slice(0, 9), text.slice(9)]) },
      { batchSize: 3 },
    );
    const sizes: number[] = [];
    for await (const { accepted } of intake.batches) sizes.push(accepted.length);
    expect(sizes).toEqual([3, 3, 1]);
  });
});

describe('lines', () => {
  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('may end with %s', async (_, end) => {
    const read = await readFrom(['phone,name', '+14155550123,A', '', ' , ', '+14155550124,B', ''].join(end));
    expect(read.accepted.map(({ row, name }) => [row, name])).toEqual([
      [2, 'A'],
      [5, 'B'],
    ]);
  });

  test('may end in any mix of newlines, and quoted newlines count', async () => {
    const read = await readFrom(
      '\r\n \n\tphone,note\r+14155550123,"a\r\nb\rc\nd"\r\n+14155550124,"x"\r\r\n+14155550125,y',
    );
    expect(lines(read)).toEqual([4, 8, 10]);
    expect(read.accepted[0]?.input.note).toBe('a\r\nb\rc\nd');
  });

  test('that are blank are ignored, before the header too', async () => {
    const read = await readFrom('\n  \n,,,\n"",\u00a0\nphone,name\n\n,\n" ",\n+14155550123,A\n   \n');
    expect(read.rejected).toEqual([]);
    expect(lines(read)).toEqual([9]);
  });

  test('are counted after any number of blank ones', async () => {
    const read = await readFrom(
      `${'\r\n'.repeat(400_000)}  phone\r\n+14155550123\r\n${'\n'.repeat(300_000)}+14155550124`,
    );
    expect(lines(read)).toEqual([400_002, 700_003]);
  });
});

describe('delimiters', () => {
  test.each([',', ';', '\t', '|'])('%j is found', async (mark) => {
    const row = (...cells: string[]) => `${cells.join(mark)}\n`;
    const read = await readFrom(
      row('name', 'phone', 'note') +
        row('Smith', '+14155550123', '"a,b;c|d\te"') +
        row('B', '+14155550124', ''),
    );
    expect(read.delimiter).toBe(mark);
    expect(read.accepted[0]?.input.note).toBe('a,b;c|d\te');
  });

  test('are found from the header even if the rows are full of others', async () => {
    const read = await readFrom(
      'name;phone;note\nSmith, John;+14155550123;a, b, c\nRoe, Jane;+14155550124;d, e, f\n',
    );
    expect(read.accepted.map((row) => row.name)).toEqual(['Smith, John', 'Roe, Jane']);
  });

  test('are found from the phone column', async () => {
    expect((await readFrom('phone;a,b,c\n+14155550123;1,2,3\n')).columns).toEqual(['phone', 'a,b,c']);
    expect((await readFrom('who;a,b,c\n+14155550123;1,2,3\n', { map: { phone: 'who' } })).columns[0]).toBe(
      'who',
    );
  });

  test('are optional', async () => {
    expect(phones(await readFrom('phone\n+14155550123\n"+1 415 555 0124"'))).toHaveLength(2);
  });

  test('named by a spreadsheet’s sep= line are used', async () => {
    const read = await readFrom('sep=;\r\nphone;name\r\n+14155550123;Smith, John\r\n');
    expect(read).toMatchObject({ columns: ['phone', 'name'], accepted: [{ row: 3, name: 'Smith, John' }] });
  });

  test('at the end are not columns, unless a row has text under them', async () => {
    for (const name of ['Full Name', 'FIRST NAME', 'first_name'])
      expect((await readFrom(`phone,${name}\n+14155550123,Ann\n`)).accepted).toMatchObject([{ name: 'Ann' }]);
    expect((await readFrom('phone,name,,\n+14155550123,A,,\n')).columns).toEqual(['phone', 'name']);
    const read = await readFrom('phone,name,,\n+14155550123,A,,\n+14155550124,B,vip,\n');
    expect(read.columns).toEqual(['phone', 'name', 'column_3']);
    expect(read.accepted[1]?.variables).toEqual({ column_3: 'vip' });
  });
});

describe('quotes', () => {
  test.each<[string, string]>([
    ['"say ""hi"", x"', 'say "hi", x'],
    ['""', ''],
    ['""""', '"'],
    ['12" screen', '12" screen'],
    ['the "big" one', 'the "big" one'],
    [' "Smith, John" ', 'Smith, John'],
    [' "half', ' "half'],
    ['"padded"  ', 'padded'],
  ])('%s is read as %j', async (cell, value) => {
    const read = await readFrom(`phone,note,city\n+14155550123,${cell},Reno\n+14155550124,b,c\n`);
    expect(read.rejected).toEqual([]);
    expect(read.accepted[0]?.input).toMatchObject({ note: value, city: 'Reno' });
  });

  test('in the middle of a quoted cell reject only that row', async () => {
    const read = await readFrom('name,phone\n"Bob "Bobby" Smith",+14155550123\nAnn,+14155550124\n');
    expect(read.rejected).toEqual([
      expect.objectContaining({
        row: 2,
        reason: expect.stringContaining('cell 1 has text after its closing quote'),
      }),
    ]);
    expect(lines(read)).toEqual([3]);
  });

  test.each<[string, string, number]>([
    ['to the end', 'phone,name\n+14155550123,A\n+14155550124,"B\n+14155550125,C\n', 3],
    ['to the next quote', 'phone,name\n+14155550123,"A\n+14155550124,B\n+14155550125,"C, D"\n', 2],
    ['in the header', 'phone,"name\n+14155550123,A\n', 1],
    ['at the last byte', 'phone,name\n+14155550123,"', 2],
    ['after a quoted newline', 'phone,name\n+14155550123,"a\nb"\n+14155550124,"x', 4],
  ])('left open %s break the file, with the line', async (_, text, line) => {
    await expect(readFrom(text)).rejects.toMatchObject({
      code: 'file-broken',
      message: expect.stringContaining(`opens on line ${line} and is never closed`),
    });
  });

  test('left open in a long file are found before it is read into memory', async () => {
    const rows = Array.from({ length: 200_000 }, (_, at) => `+1415${5_000_000 + at},A\n`).join('');
    await expect(readFrom(`phone,name\n+14155550123,"B\n${rows}`)).rejects.toMatchObject({
      message: expect.stringContaining('opens on line 2'),
    });
  });
});

describe('encodings', () => {
  const text = 'phone,name\r\n+14155550123,Zoë “Q” €\r\n';
  const windows = Buffer.from('phone,name\r\n+14155550123,Zo\xeb \x93Q\x94 \x80\r\n', 'latin1');

  test.each<[string, string | Buffer, string]>([
    ['UTF-8', text, 'utf-8'],
    ['UTF-8 with a byte order mark', `\ufeff${text}`, 'utf-8'],
    ['UTF-8 with two byte order marks', `\ufeff\ufeff${text}`, 'utf-8'],
    ['UTF-16, little-endian', utf16(text, 'le'), 'utf-16le'],
    ['UTF-16, big-endian', utf16(text, 'be'), 'utf-16be'],
    ['Windows-1252', windows, 'windows-1252'],
  ])('%s is read', async (_, content, encoding) => {
    const read = await readFrom(content);
    expect(read).toMatchObject({ encoding, columns: ['phone', 'name'], accepted: [{ name: 'Zoë “Q” €' }] });
  });

  test('depend on the last byte as well as on the first', async () => {
    const head = `phone,name\n${Array.from({ length: 40_000 }, (_, at) => `+1415${5_000_000 + at},A\n`).join('')}`;
    const early = Buffer.concat([
      Buffer.from('phone,name\n+14085550123,Zo\xeb\n', 'latin1'),
      Buffer.from(head.slice(11)),
    ]);
    const late = Buffer.concat([Buffer.from(head), Buffer.from('+14085550123,Zo\xeb\n', 'latin1')]);
    const utf8 = Buffer.from(`${head}+14085550123,Zoë\n`);
    for (const content of [early, late]) {
      const read = await readFrom(content);
      expect(read.encoding).toBe('windows-1252');
      expect(read.accepted.find((row) => row.phone === '+14085550123')?.name).toBe('Zoë');
    }
    expect((await readFrom(utf8)).accepted.at(-1)?.name).toBe('Zoë');
  });

  test('may split a character at the border of two pieces', async () => {
    for (let shift = 0; shift < 4; shift++) {
      const filler = `phone,name\n+14155550123,${'x'.repeat(shift)}${'é😀'.repeat(60_000)}\n`;
      for (const content of [filler, utf16(filler, 'le'), utf16(filler, 'be')]) {
        expect((await readFrom(content)).accepted[0]?.name).toBe(
          `${'x'.repeat(shift)}${'é😀'.repeat(60_000)}`,
        );
      }
    }
  });
});

describe('a header', () => {
  test.each<[string, string]>([
    ['Mobile,Phone Number,phone', 'phone'],
    ['name,MSISDN', 'MSISDN'],
    ['to,telephone', 'telephone'],
    [' PHONE-number ,tel', 'PHONE-number'],
    ['Contact  Number,name', 'Contact Number'],
    ['\u200bPhone,name', 'Phone'],
  ])('%j has its phones in %j', async (header, column) => {
    expect((await readFrom(`${header}\n`)).mapping.phone).toBe(column);
  });

  test('with a duplicate or missing name gets distinct names', async () => {
    const read = await readFrom('phone,,phone,note,note,__proto__\n+14155550123,a,b,c,d,e\n');
    expect(read.columns).toEqual(['phone', 'column_2', 'phone_11', 'note', 'note_2', 'column_6']);
    expect(read.accepted[0]?.variables).toEqual({
      column_2: 'a',
      phone_11: 'b',
      note: 'c',
      note_2: 'd',
      column_6: 'e',
    });
  });

  test.each(['phone,Phone,phone', 'phone,phone,name,phone', 'phone_,phone_'])(
    'of the phone written twice is no further number: %s',
    async (header) => {
      const { mapping } = await readFrom(`${header}\n+14155550123,+14155550124,+14155550125,\n`);
      expect(mapping.morePhones).toEqual([]);
    },
  );

  test('is read through --map, by exact or similar name', async () => {
    const map = { phone: 'work_line', name: 'Who', timezone: 'zone' };
    const read = await readFrom('Work Line,Who,phone,zone\n+14155550123,Ann,+14155550124,UTC\n', { map });
    expect(read.accepted[0]).toMatchObject({ phone: '+14155550123', name: 'Ann', place: 'UTC;US-CA' });
    expect(read.accepted[0]?.variables).toEqual({ phone: '+14155550124' });
  });

  test('without a phone column is refused with its columns and the remedy', async () => {
    await expect(readFrom('name,e-mail\nAnn,a@example.com\n')).rejects.toMatchObject({
      code: 'usage-invalid',
      message: expect.stringMatching(/people\.csv .*name, e-mail/),
      remedy: expect.stringContaining('--map phone=COL'),
    });
  });

  test('without a mapped column is refused the same way', async () => {
    for (const role of ['phone', 'name', 'timezone']) {
      await expect(readFrom('phone,name\n', { map: { [role]: 'Handy' } })).rejects.toMatchObject({
        code: 'usage-invalid',
        message: expect.stringMatching(/no column named "Handy".*phone, name/),
        remedy: expect.stringContaining(`--map ${role}=COL`),
      });
    }
  });

  test('that is missing is reported', async () => {
    await expect(readFrom('+14155550123,A\n', { map: { phone: 'a' } })).rejects.toThrow('has no header row');
    for (const text of [
      '+14155550123,Ann\n+14155550124,Bob\n',
      'Ann;(415) 555-0123\n',
      '14155550123\n14155550124\n',
    ]) {
      await expect(readFrom(text)).rejects.toMatchObject({
        message: expect.stringContaining('has no header row'),
      });
    }
  });
});

describe('a file that is not a table', () => {
  test.each<[string, string | Buffer, RegExp]>([
    ['nothing', '', /is empty/],
    ['blank lines', ' \r\n\n,,\n', /is empty/],
    ['only a byte order mark', '\ufeff', /is empty/],
    ['a workbook', Buffer.from('PK\x03\x04\x14\x00', 'latin1'), /a workbook or another zip file/],
    ['an old workbook', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1', 'latin1'), /old Excel/],
    ['a PDF', '%PDF-1.7\n', /a PDF/],
    ['a compressed file', Buffer.from([0x1f, 0x8b, 8, 0]), /a compressed file/],
    ['a web page', '<!DOCTYPE html><html>', /a web page/],
    ['JSON', '[{"phone": "+14155550123"}]', /JSON/],
    ['JSON lines', '{"phone": "+14155550123"}\n', /JSON/],
    ['a NUL', 'phone\n+14155550123\0\n', /NUL/],
    ['UTF-16 without a byte order mark', Buffer.from('phone\n+14155550123\n', 'utf16le'), /NUL/],
    ['half of a UTF-16 character', utf16('phone\n', 'le').subarray(0, -1), /middle of a character/],
    [
      'a giant cell',
      `phone,name\n+14155550123,${'x'.repeat(1_100_000)}\n`,
      /more than a million characters on line 2/,
    ],
    ['a giant quoted cell', `phone,name\n+14155550123,"${'x'.repeat(1_100_000)}"\n`, /line 2/],
    ['a million spaces', ' '.repeat(1_500_000), /starts with a million/],
  ])('%s is refused as a whole', async (_, content, message) => {
    await expect(readFrom(content)).rejects.toMatchObject({
      code: 'file-broken',
      message: expect.stringMatching(message),
    });
  });

  test('or does not exist, or is a folder, is refused as unreadable', async () => {
    const { openCsv } = await import('../../src/intake/csv.ts');
    await expect(openCsv({ path: '/nowhere/people.csv' })).rejects.toMatchObject({ code: 'file-unreadable' });
    await expect(openCsv({ path: '/' })).rejects.toMatchObject({ code: 'file-unreadable' });
    // A bad disk, or a share that went away, where the name does not say what the list is.
    const handle = { read: () => Promise.reject(Object.assign(new Error('EIO: read'), { code: 'EIO' })) };
    await expect(formatOf('people', { handle: handle as never, file: 'people' })).rejects.toMatchObject({
      code: 'file-unreadable',
    });
  });
});

describe('two columns of one name', () => {
  test('are told, with what each is used for', async () => {
    const read = await readFrom(
      'Phone,name,City,phone,Na me,city\n+14155550123,Ann,Reno,+14155550124,Bob,Elko\n',
    );
    expect(read.hint).toBe(
      [
        '2 columns have the same name and are used: column 1 (Phone) as the phone, column 4 (phone) as the variable "phone".',
        '2 columns have the same name and are used: column 2 (name) as the name, column 5 (Na me) as the variable "Na me".',
        '2 columns have the same name and are used: column 3 (City) as the variable "City", column 6 (city) as the variable "city".',
      ].join('\n'),
    );
    const twice = await readFrom('phone,note,note\n+14155550123,a,b\n');
    expect(twice.hint).toMatch(
      /column 2 \(note\) as the variable "note", column 3 \(note\) as the variable "note_2"/,
    );
    expect(twice.accepted[0]!.variables).toEqual({ note: 'a', note_2: 'b' });
  });
});

describe('a column named state', () => {
  test('says where each person is, as name and timezone are used, and a value that is not a state is a rejected row', async () => {
    const { mapping, accepted, rejected } = await readFrom(
      'phone,State\n+14155550123,TX\n+14155550124,Texas\n+14155550125,CA\n+14155550126,Atlantis\n+14155550127,\n',
    );
    expect(mapping.state).toBe('State');
    expect(accepted.map(({ place }) => readPlace(place).states)).toEqual([
      ['US-TX'],
      ['US-TX'],
      ['US-CA'],
      ['US-CA'],
    ]);
    expect(rejected).toMatchObject([
      { row: 5, reason: expect.stringMatching(/^"Atlantis" is not a state of the US or Canada/) },
    ]);
  });

  test('stays a variable where it is a status, or where --map says so', async () => {
    const status = await readFrom('phone,state\n+14155550123,ok\n+14155550124,failed\n+14155550125,new\n');
    expect(status.mapping.state).toBeNull();
    expect(status.accepted.map(({ variables }) => variables.state)).toEqual(['ok', 'failed', 'new']);
    const named = await readFrom('phone,state\n+14155550123,TX\n', { map: parseMap('state:text') });
    expect(named.mapping.state).toBeNull();
    expect(named.accepted[0]!.variables).toEqual({ state: 'TX' });
  });
});

test.each(['Handynummer', 'Mobilnummer', 'Telefon', 'Téléphone', 'teléfono', 'Numero', 'número', 'numéro'])(
  'the phones are found in a column %s',
  async (column) => {
    const { accepted } = await readFrom(`Name,${column}\nAnn,+14155550123\n`);
    expect(accepted.map(({ phone }) => phone)).toEqual(['+14155550123']);
  },
);
