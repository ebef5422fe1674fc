import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import readXlsxFile from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import { CarillonError } from '../../src/base/errors.ts';
import { openCsv } from '../../src/intake/csv.ts';
import { readJsonRecipients } from '../../src/intake/json.ts';
import { formatOf } from '../../src/intake/list.ts';
import type { RejectedRow } from '../../src/intake/recipients.ts';
import { openSource } from '../../src/intake/source.ts';
import type { TableOptions } from '../../src/intake/table.ts';
import { openSharedStrings } from '../../src/intake/xlsx/sheet.ts';
import { openWorkbook } from '../../src/intake/xlsx/workbook.ts';
import { createXmlReader } from '../../src/intake/xlsx/xml.ts';
import { readPhone } from '../../src/rules/phone/phone.ts';
import { notAPhone, writtenPhone } from '../support/odd-texts.ts';
import { runs } from '../support/property.ts';
import { type Everything, gather, readAll } from './files.ts';
import { sheetOf, textRow, workbook, zip } from './workbooks.ts';

/** A list in an Excel workbook: what its cells say, which sheet is read, and which files are refused. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carillon-xlsx-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (bytes: Uint8Array, options: TableOptions = {}): Promise<Everything> =>
  openWorkbook({ stream: Readable.from([bytes]) }, options).then(readAll);

const refusal = async (bytes: Uint8Array, options: TableOptions = {}): Promise<CarillonError> => {
  const error = await read(bytes, options).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CarillonError);
  const { message } = error as CarillonError;
  expect(message).not.toContain('\n');
  return error as CarillonError;
};

const header = textRow(1, 'phone', 'name');

describe('the cells of a sheet', () => {
  const cells = async (cell: string, contents: { styles?: string; strings?: string; book?: string } = {}) => {
    const rows = `${textRow(1, 'phone', 'x')}<row r="4"><c r="A4" t="str"><v>+14155550123</v></c>${cell}</row>`;
    const { accepted, rejected } = await read(workbook({ sheets: { People: rows }, ...contents }));
    return accepted[0]?.input.x ?? rejected[0]?.reason;
  };
  const styles =
    '<numFmts><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="&quot;+&quot;0"/>' +
    '<numFmt numFmtId="166" formatCode="[$-409]d\\ mmm\\ yyyy;@"/><numFmt numFmtId="167" formatCode="#,##0.00\\ &quot;days&quot;"/>' +
    '<numFmt numFmtId="168" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>' +
    `<cellXfs>${[0, 14, 22, 164, 165, 166, 167, 168, 21].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs>`;

  it.each([
    ['<c t="s"><v>1</v></c>', 'Ann & Bob'],
    ['<c t="s"><v>2</v></c>', 'bold and plain'],
    [
      '<c t="inlineStr"><is><r><t>in</t></r><r><t xml:space="preserve"> line</t></r><rPh><t>furi</t></rPh></is></c>',
      'in line',
    ],
    ['<c t="inlineStr"><is><t>two_x000D_\nlines &#x1F600; &lt;b&gt;</t></is></c>', 'two\r\nlines 😀 <b>'],
    ['<c t="inlineStr"><is><t><![CDATA[a <b> & c]]></t></is></c>', 'a <b> & c'],
    ['<x:c t="str"><x:f>A1&amp;"!"</x:f><x:v>of a formula</x:v></x:c>', 'of a formula'],
    ['<c><f>1+1</f><v>2</v></c>', '2'],
    ['<c><v>14155550123</v></c>', '14155550123'],
    ['<c><v>1.4155550123E10</v></c>', '14155550123'],
    ['<c><v>0.10000000000000001</v></c>', '0.1'],
    ['<c t="b"><v>1</v></c>', 'TRUE'],
    ['<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['<c s="1"><v>45292</v></c>', '2024-01-01'],
    ['<c s="1"><v>59</v></c>', '1900-02-28'],
    ['<c s="1"><v>61</v></c>', '1900-03-01'],
    ['<c s="2"><v>45292.5</v></c>', '2024-01-01T12:00:00'],
    ['<c s="8"><v>0.395833333333333</v></c>', '09:30:00'],
    ['<c s="5"><v>45292</v></c>', '2024-01-01'],
    ['<c t="d"><v>2024-01-01T10:00:00Z</v></c>', '2024-01-01T10:00:00Z'],
    ['<c s="3"><v>123</v></c>', '00123'],
    ['<c s="4"><v>4930123456</v></c>', '+4930123456'],
    ['<c s="6"><v>3.5</v></c>', '3.5'],
    ['<c s="7"><v>1.5</v></c>', '1.5'],
    ['<c/>', ''],
  ])('%s is %j', async (cell, text) => {
    const strings =
      '<si><t>zero</t></si><si><t>Ann &amp; Bob</t></si><si><r><rPr><b/></rPr><t>bold</t></r><r><t xml:space="preserve"> and plain</t></r></si>';
    expect(await cells(cell, { styles, strings })).toBe(text);
  });

  const shown = (code: string, value: string) => {
    const one = `<numFmts><numFmt numFmtId="164" formatCode="${code.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`;
    return cells(`<c s="0"><v>${value}</v></c>`, { styles: one });
  };

  it.each([
    ['"+44 "0', '7700900123', '+447700900123'],
    ['"+44 (0)"0', '7700900123', '+447700900123'],
    ['"+1"0', '4155550123', '+14155550123'],
    ['"+49"General', '30123456', '+4930123456'],
    ['[$+44]0', '7700900123', '+447700900123'],
    ['\\+\\4\\4\\ 0', '7700900123', '+447700900123'],
    ['"0"0', '301234567', '0301234567'],
    ['"00"#', '4930123456', '004930123456'],
    ['+#,##0', '4930123456', '+4930123456'],
    ['00000 000000', '7700900123', '07700900123'],
    ['00000\\ 000000', '7700900123', '07700900123'],
    ['000-00-0000', '12345678', '012345678'],
    ['0##', '5', '005'],
    ['+0.00', '3.5', '+3.5'],
    ['+0.0%;-0.0%', '0.05', '0.05'],
    ['00000', '3.5', '3.5'],
    ['[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', '4155550123', '4155550123'],
    ['_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-', '5', '5'],
    ['[$€-407] #,##0', '5', '5'],
    ['# ?/16', '0.5', '0.5'],
    ['0.00E+00', '5', '5'],
    ['0" m2"', '80', '80'],
    ['yyyy"-Q1"', '45292', '2024-01-01'],
    ['h:mm AM/PM', '0.5', '12:00:00'],
  ])('in the format %s, %s is %s', async (code, value, text) => {
    expect(await shown(code, value)).toBe(text);
  });

  it.each(['0"00"', '"Tel +44 "0', '000"(0)"0000', '*0#', '"+44 "0%', '"+44"@', '[<=9]0;"+1"0', '"5550123"'])(
    'reject a row where the format %s shows digits that are not understood',
    async (code) => {
      expect(await shown(code, '4155550123')).toBe('cell B4 has a format that adds digits');
      expect(await cells('<c t="str" s="0"><v>4155550123</v></c>', { styles })).toBe('4155550123');
    },
  );

  it('count days from 1904 where the workbook does', async () => {
    const book = '<workbookPr date1904="1"/>';
    expect(await cells('<c s="1"><v>43830</v></c>', { styles, book })).toBe('2024-01-01');
  });

  it('reject a row whose formula was never calculated: nothing evaluates it here', async () => {
    expect(await cells('<c><f>HYPERLINK("http://x")</f></c>')).toBe(
      'cell B4 has a formula without its value',
    );
    expect(await cells('<c t="str"><f>IF(A1,"","")</f><v></v></c>')).toBe('');
  });

  it('are read wherever they stand, and a row is known by its number in the sheet', async () => {
    const sparse =
      '<row r="3"><c r="B3" t="str"><v>name</v></c><c r="D3" t="str"><v>phone</v></c></row>' +
      '<row r="7"><c r="D7"><v>14155550123</v></c></row><row><c r="D8"><v>14155550123</v></c></row><row r="12"><c r="D12" t="str"><v>1.41556E+10</v></c></row>';
    const { columns, accepted, rejected } = await read(workbook({ sheets: { People: sparse } }), {
      country: 'US',
    });
    expect(columns).toEqual(['column_1', 'name', 'column_3', 'phone']);
    expect(accepted.map(({ row, phone }) => [row, phone])).toEqual([[7, '+14155550123']]);
    expect(rejected.map(({ row, reason }) => [row, reason])).toEqual([
      [8, 'duplicate of line 7'],
      [12, expect.stringContaining('is a number that a spreadsheet has shortened')],
    ]);
  });

  it('are those that another program reads, whatever a third has written', async () => {
    const cell = fc.oneof(
      fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
        // The writer looks its texts up in a plain object: for "constructor" it writes a cell that names no text.
        .filter((text) => text.trim() === text && !/[\p{Cc}_]/u.test(text) && !(text in {})),
      fc.integer({ min: 0, max: 99_999_999_999 }),
      fc
        .double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
        .map((n) => Number(n.toPrecision(12))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 }), async (rows) => {
        const data = [['phone', 'a', 'b'], ...rows.map(([a, b], at) => [`+1415555${1000 + at}`, a, b])];
        const bytes = await writeXlsxFile(
          data.map((row) =>
            row.map((value) => ({ value, type: typeof value === 'string' ? String : Number })),
          ),
        ).toBuffer();
        const ours = await read(bytes);
        const [{ data: theirs }] = (await readXlsxFile(bytes)) as unknown as [{ data: unknown[][] }];
        expect(ours.rejected).toEqual([]);
        expect(ours.accepted.map(({ input }) => [input.phone, input.a, input.b])).toEqual(
          theirs.slice(1).map((row) => row.map((value) => String(value ?? ''))),
        );
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('a cell is a phone or it is not', () => {
  const number = fc.oneof(
    fc.integer({ min: 1_000_000, max: 99_999_999_999 }),
    fc.integer({ min: 2_000_000_000, max: 9_999_999_999 }),
    fc.double({ min: 1e6, max: 1e11, noNaN: true }).filter((n) => !Number.isInteger(n)),
    fc.integer({ min: -99_999_999_999, max: -1_000_000 }),
  );
  const cell = fc.oneof(
    writtenPhone.map(({ text }) => text),
    notAPhone.map(({ text }) => text),
    number,
  );
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const inSheet = (each: string | number) =>
    typeof each === 'string'
      ? `<c t="inlineStr"><is><t xml:space="preserve">${escaped(each)}</t></is></c>`
      : `<c><v>${each % 2 === 0 ? each.toExponential() : each}</v></c>`;

  it('by one grammar in a CSV, a workbook and JSON, and a number by all of its digits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(cell, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(undefined, 'US', 'DE'),
        async (cells, country) => {
          const csv = `name,phone\n${cells.map((each) => `x,"${String(each).replaceAll('"', '""')}"`).join('\n')}`;
          const rows = cells.map((each, at) => `<row r="${at + 2}"><c><v>1</v></c>${inSheet(each)}</row>`);
          const people = JSON.stringify(cells.map((phone) => ({ phone })));
          const lists = {
            csv: await openCsv({ stream: Readable.from([Buffer.from(csv)]) }, { country }).then(readAll),
            xlsx: await read(workbook({ sheets: { People: textRow(1, 'name', 'phone') + rows.join('') } }), {
              country,
            }),
            json: await gather(readJsonRecipients(JSON.parse(people), { country })),
          };
          const seen = new Set<string>();
          const wanted = cells.map((each) => {
            const reading = readPhone(String(each), country);
            if (!reading.ok) return reading.reason;
            return seen.has(reading.phone) ? 'a twin' : seen.add(reading.phone) && reading.phone;
          });
          for (const [form, { accepted, rejected }] of Object.entries(lists)) {
            const twin = ({ isTwin, row, reason }: RejectedRow) => ({
              row,
              phone: isTwin ? 'a twin' : reason,
            });
            const rows = [...accepted, ...rejected.map(twin)].sort((a, b) => a.row - b.row);
            expect(
              rows.map(({ phone }) => phone),
              form,
            ).toEqual(wanted);
          }
          for (const [at, each] of cells.entries())
            if (typeof each === 'number' && !Number.isInteger(each))
              expect(wanted[at]).toContain('is a decimal number');
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

describe('the sheet', () => {
  const two = {
    sheets: {
      Notes: textRow(1, 'Only words'),
      'Leads &amp; more': header + textRow(2, '+14155550123', 'Ann'),
    },
  };

  it('is the first that is not hidden; the others are named', async () => {
    expect((await refusal(workbook(two))).message).toContain('no column with a known name for phone numbers');
    const { hint } = await read(workbook({ sheets: { A: header + textRow(2, '+14155550123'), B: '' } }));
    expect(hint).toBe('The input has 2 sheets, and "A" is read; the option sheet names another.');
  });

  it.each(['Leads & more', ' leads & MORE ', '2'])('is named by %j', async (sheet) => {
    const { accepted, hint } = await read(workbook(two), { sheet });
    expect(accepted.map(({ phone }) => phone)).toEqual(['+14155550123']);
    expect(hint).toBeNull();
  });

  it('that is empty is told with the others', async () => {
    const { code, message, remedy } = await refusal(workbook({ sheets: { A: '<row r="3"/>', B: header } }));
    expect([code, message]).toEqual(['file-broken', 'The input has nothing in its sheet "A"']);
    expect(remedy).toContain('Its other sheets are "B"');
  });

  it('that is not there is told with those that are', async () => {
    const { code, message, remedy } = await refusal(workbook(two), { sheet: 'Sheet9' });
    expect([code, message]).toEqual(['usage-invalid', 'The input has no sheet "Sheet9"']);
    expect(remedy).toContain('"Notes", "Leads & more"');
  });
});

describe('a file that is not such a workbook is refused in one line', () => {
  const whole = workbook({ sheets: { People: header + textRow(2, '+14155550123', 'Ann') } });
  const cfb = (directory: Buffer) => {
    const head = Buffer.alloc(512);
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(head);
    head.writeUInt16LE(9, 30);
    return Buffer.concat([head, directory, Buffer.alloc(512)]);
  };
  const bomb = Buffer.alloc(60_000_000, ' ');
  const sheet = 'xl/worksheets/sheet1.xml';
  const withSheet = (part: Parameters<typeof zip>[0][string]) =>
    workbook({ sheets: { People: '' }, parts: { [sheet]: part } });

  it.each<[string, Uint8Array, string | RegExp]>([
    ['an old .xls', cfb(Buffer.from('Workbook', 'utf16le')), 'is an old Excel workbook (.xls)'],
    ['one with a password', cfb(Buffer.from('EncryptedPackage', 'utf16le')), 'is protected with a password'],
    ['an encrypted part', withSheet({ bytes: Buffer.from('x'), flags: 1 }), 'is protected with a password'],
    ['CSV', Buffer.from('phone\n+14155550123\n'), 'is not a workbook (.xlsx)'],
    ['nothing', Buffer.from(''), 'is not a workbook (.xlsx)'],
    ['.ods', zip({ mimetype: 'x', 'content.xml': '<x/>' }), 'is an OpenDocument spreadsheet (.ods)'],
    ['.xlsb', zip({ '[Content_Types].xml': '', 'xl/workbook.bin': '' }), 'is a binary workbook (.xlsb)'],
    ['another zip', zip({ 'a.txt': 'x' }), 'is a zip file, not a workbook'],
    ['half a file', whole.subarray(0, whole.length - 40), 'its end is missing'],
    ['no workbook', zip({ '[Content_Types].xml': '' }), 'its part xl/workbook.xml is missing'],
    [
      'other bytes than were packed',
      withSheet({ bytes: Buffer.from(sheetOf(header)), crc: 7 }),
      'is not what was packed',
    ],
    [
      'a longer part than it says',
      withSheet({ bytes: Buffer.from(sheetOf(header)), size: 20 }),
      'is longer than its directory says',
    ],
    ['a bomb', withSheet({ bytes: bomb }), /unpacks to 60 MB$/],
    [
      'a bomb that says so',
      withSheet({ bytes: Buffer.from('x'), size: 3_000_000_000 }),
      /unpacks to 3,000 MB$/,
    ],
    ['entities', withSheet('<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>'), 'it declares a document type'],
    ['half its XML', withSheet('<worksheet><sheetData>'), 'a part of it ends in the middle'],
    [
      'a text that it does not have',
      workbook({ sheets: { P: '<row><c t="s"><v>7</v></c></row>' } }),
      'a cell names the text 7',
    ],
    ['no sheet', workbook({ sheets: {} }), 'it has no sheet'],
    [
      'a tag that never ends',
      withSheet(`<worksheet a="${'>'.repeat(600_000)}`),
      'it has a mark of more than 65536 characters',
    ],
    [
      'sheets without end',
      workbook({
        sheets: { People: '' },
        parts: { 'xl/workbook.xml': `<w>${'<sheet id="s0"/>'.repeat(10_001)}</w>` },
      }),
      'it has more than 10000 sheets',
    ],
    [
      'parts without end',
      workbook({
        sheets: { People: '' },
        parts: { 'xl/_rels/workbook.xml.rels': `<r>${'<Relationship/>'.repeat(10_001)}</r>` },
      }),
      'it names more than 10000 parts',
    ],
    [
      'formats without end',
      workbook({ sheets: { People: header }, styles: ' '.repeat(16_000_000) }),
      /its part xl\/styles\.xml has 16000025 bytes/,
    ],
    [
      'a text of millions of characters',
      workbook({ sheets: { People: header }, strings: `<si><t>${'a'.repeat(1_000_001)}` }),
      'it has a text of more than a million characters',
    ],
    [
      'a cell of millions of characters',
      workbook({ sheets: { People: `<row><c t="str"><v>${'a'.repeat(1_000_001)}` } }),
      'row 1 has a cell of more than a million characters',
    ],
    [
      'a row of many long cells',
      workbook({
        sheets: { People: `<row>${'<c t="s"><v>0</v></c>'.repeat(10)}</row>` },
        strings: `<si><t>${'a'.repeat(900_000)}</t></si>`,
      }),
      'row 1 has more than 8 million characters',
    ],
    [
      'many rows of one long text',
      workbook({
        sheets: { People: '<row><c t="s"><v>0</v></c></row>'.repeat(1_000) },
        strings: `<si><t>${'a'.repeat(900_000)}</t></si>`,
      }),
      'are too long',
    ],
    ...[
      ['repeated', 2],
      ['decreasing', 1],
      ['beyond what a list can hold', 2_147_483_648],
    ].map(([words, row]): [string, Uint8Array, string] => [
      `row numbers that are ${words}`,
      workbook({ sheets: { People: `${textRow(2, 'phone')}<row r="${row}"/>` } }),
      'a row has no valid number after row 2',
    ]),
    ['an empty sheet', workbook({ sheets: { People: '' } }), 'is empty'],
  ])('%s', async (_, bytes, words) => {
    const { code, message, remedy } = await refusal(bytes);
    expect(code).toBe('file-broken');
    expect(message).toMatch(typeof words === 'string' ? new RegExp(words.replace(/[().]/g, '\\$&')) : words);
    expect(remedy).not.toBe('');
  });

  it('wherever a byte of it is wrong, it is read or refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const bytes = Buffer.from(whole);
        bytes[at] = bytes[at]! ^ by;
        await read(bytes).catch((error: unknown) => expect(error).toBeInstanceOf(CarillonError));
      }),
      { numRuns: runs(300) },
    );
  });
});

it('a workbook’s XML is the same however it is cut into pieces', () => {
  const xml =
    `<?xml version="1.0"?><a:b x=">'>" y='">'><!-- <c> -- > --><t>one &amp; two</t>` +
    `<t><![CDATA[] ]><&]]]></t><c/>\n<d z = "1"></d></a:b>`;
  const heard = (length: number) => {
    const told: string[] = [];
    const reader = createXmlReader(
      {
        open: (name, attributes) => told.push(`<${name}${attributes}>`),
        close: (name) => told.push(`</${name}>`),
        text: (text) => told.push(text),
      },
      'people.xlsx',
    );
    for (let at = 0; at < xml.length; at += length) reader.read(xml.slice(at, at + length));
    reader.end();
    return told.join('');
  };
  const whole = heard(xml.length);
  expect(whole).toBe(`<b x=">'>" y='">'><t>one &amp; two</t><t>] ]><&amp;]</t><c></c>\n<d z = "1"></d></b>`);
  for (let length = 1; length < 20; length++) expect(heard(length)).toBe(whole);
});

it('texts without end are refused, however short they are', async () => {
  const strings = await openSharedStrings('people.xlsx');
  try {
    const add = () => {
      for (let texts = 0; texts <= 16_777_216; texts++) strings.add('');
    };
    expect(add).toThrow('it has more than 16777216 texts');
  } finally {
    await strings.close();
  }
});

it('a list is known as a workbook by its name or, without one, by its first bytes', async () => {
  const path = join(folder, 'people.xlsx');
  await writeFile(path, workbook({ sheets: { People: header } }));
  const opened = await openSource({ path });
  try {
    expect(await formatOf('people.XLSX', opened)).toBe('xlsx');
    expect(await formatOf('-', opened)).toBe('xlsx');
    expect(await formatOf('people.csv', opened)).toBe('csv');
  } finally {
    await opened.handle.close();
  }
});
