import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, type Ended, openDesk, summaryOf } from '../support/carillon.ts';
import { openRecords } from '../support/csv.ts';
import { asked, expectRefused, inTurns } from '../support/journeys.ts';

/** Realistic lists: what each one gets dialled and rejected, and how its run ends. */
type List = {
  /** The sentence that the test proves. */
  says: string;
  text: string | Buffer;
  args?: string[];
  stdin?: boolean;
  /** The phones that are dialled, in any order; [] if the whole list is refused. */
  dials: string[];
  /** `line reason` of every rejected row. */
  rejects?: RegExp[];
  /** The one-line error if the whole list is refused. */
  refused?: RegExp;
};

/** Every list has different numbers, so that they can be told apart in the one service. */
let block = 0;
const phonesOf = (count: number) => {
  block += 1;
  return Array.from({ length: count }, (_, i) => `+1415555${String(block * 10 + i).padStart(4, '0')}`);
};

function lists(): Record<string, List> {
  const made: Record<string, List> = {};
  const add = (name: string, count: number, make: (phones: string[]) => List) => {
    made[name] = make(phonesOf(count));
  };
  add('bom', 2, ([a, b]) => ({
    says: 'a UTF-8 byte order mark is not part of the first column',
    text: `\ufeffphone,name\n${a},Zoë\n${b},李\n`,
    dials: [a!, b!],
  }));
  add('utf16le', 2, ([a, b]) => ({
    says: 'UTF-16 LE, as spreadsheets save "Unicode text", is read',
    text: Buffer.from(`\ufeffphone\tname\r\n${a}\tZoë\r\n${b}\t李\r\n`, 'utf16le'),
    dials: [a!, b!],
  }));
  add('cp1252', 2, ([a, b]) => ({
    says: 'a file that is not UTF-8 is read as Windows-1252',
    text: Buffer.from(`phone;name\r\n${a};Zo\xeb \x80\r\n${b};Bj\xf6rn\r\n`, 'latin1'),
    dials: [a!, b!],
  }));
  add('semicolon', 2, ([a, b]) => ({
    says: 'semicolons separate cells that contain commas',
    text: `Phone;Name;Note\n${a};"Doe; Jane";one, two\n${b};Roe, Rick;three\n`,
    dials: [a!, b!],
  }));
  add('newlines', 3, ([a, b, c]) => ({
    says: 'a newline inside quotes is part of the cell, and line numbers count it',
    text: `phone,note\n${a},"first\nsecond\nthird"\n${b},"say ""hi"""\nnonsense,x\n${c},y\n`,
    dials: [a!, b!, c!],
    rejects: [/^6 .*nonsense/],
  }));
  add('headers', 2, ([a, b]) => ({
    says: 'spaces and case in the header do not hide the phone column',
    text: `  Full Name , Phone Number ,  Time Zone\nJane, ${a} ,America/New_York\nRick,${b},\n`,
    dials: [a!, b!],
  }));
  add('damage', 1, ([a]) => ({
    says: 'a number damaged by a spreadsheet is rejected with the reason, never guessed',
    text: `phone\n1.41556E+10\n"1,41556E+10"\n${a}\n#NAME?\n`,
    dials: [a!],
    rejects: [/^2 .*1\.41556E\+10.*spreadsheet/i, /^3 .*1,41556E\+10.*spreadsheet/i, /^5 .*#NAME\?/],
  }));
  add('nationals', 3, ([a, b, c]) => ({
    says: 'national format is read with --country',
    text: `phone\n(415) 555-${a!.slice(-4)}\n${b!.slice(2)}\n1-415-555-${c!.slice(-4)}\n`,
    args: ['--country', 'us'],
    dials: [a!, b!, c!],
  }));
  add('lostplus', 2, ([a, b]) => ({
    says: 'a number without a plus is rejected without --country, and the reason names the option',
    text: `phone\n${a!.slice(1)}\n${b}\n(415) 555-0199\n`,
    dials: [b!],
    rejects: [/^2 .*--country.*"\+"/, /^4 .*--country/],
  }));
  add('twice', 2, ([a, b]) => ({
    says: 'a duplicate phone is rejected with the line of the first',
    text: `phone,name\n${a},First\n${b},Other\n"(+1) 415-555-${a!.slice(-4)}",Second\n${a},Third\n`,
    dials: [a!, b!],
    rejects: [/^4 duplicate of line 2$/, /^5 duplicate of line 2$/],
  }));
  add('mapped', 2, ([a, b]) => ({
    says: '--map names any columns and takes precedence over the known names',
    text: `phone,Büro Nr.,Wer,Wo\n+14155559999,${a},Jane,Europe/Berlin\n+14155559998,${b},Rick,\n`,
    args: ['--map', 'phone=büro nr.,name=Wer,timezone=Wo'],
    dials: [a!, b!],
  }));
  add('first', 1, ([a]) => ({
    says: 'the first of the known names is the phone column, in the contract’s order',
    text: `msisdn,mobile,number\n+14155559997,+14155559996,${a}\n`,
    dials: [a!],
  }));
  add('broken', 2, ([a, b]) => ({
    says: 'a broken row is rejected with its line, and the others are called',
    text: `phone,name\n${a},A\n,nobody\n${b},B,too,many\n+1,short\n+14155550${'0'.repeat(12)},long\nTBD,x\n${b},B\n`,
    dials: [a!, b!],
    rejects: [/^3 .*(empty|no phone)/i, /^4 has 4 cells, the header has 2$/, /^5 /, /^6 .*long/, /^7 .*TBD/],
  }));
  add('zones', 2, ([a, b]) => ({
    says: 'a time zone that does not exist is rejected with the reason',
    text: `phone,timezone\n${a},America/New_York\n${b},Mars/Olympus\n`,
    dials: [a!],
    rejects: [/^3 .*Mars\/Olympus.*time zone/],
  }));
  add('stdin', 2, ([a, b]) => ({
    says: 'a list is read from standard input with -',
    text: `phone,name\n${a},A\n${b},B\n`,
    args: ['--name', 'stdin-list'],
    stdin: true,
    dials: [a!, b!],
  }));
  const refuse = (name: string, says: string, text: string | Buffer, refused: RegExp, args?: string[]) => {
    made[name] = { says, text, refused, dials: [], ...(args && { args }) };
  };
  refuse(
    'headeronly',
    'a header without rows is refused',
    'phone,name\n',
    /headeronly\.csv has a header but no rows/,
  );
  refuse('empty', 'an empty file is refused', '', /empty\.csv is empty/);
  refuse(
    'xlsx',
    'a workbook is refused with the reason',
    Buffer.from('PK\x03\x04\x14\x00\x06\x00\x08\x00', 'latin1'),
    /xlsx\.csv is not CSV but a workbook/,
  );
  refuse(
    'unclosed',
    'a quote that is never closed refuses the whole file, even late in it, and nobody is called',
    `phone,name\n${phonesOf(1)
      .map((p) => `${p},A\n`)
      .join(
        '',
      )}${Array.from({ length: 5_000 }, (_, i) => `+1628555${String(i).padStart(4, '0')},"P ${i}"\n`).join('')}+14155550002,"never closed\n+14155550003,B\n`,
    /unclosed\.csv has a quote that opens on line 5003 and is never closed/,
  );
  refuse(
    'headless',
    'a list without a header is refused with the reason',
    '+14155550001,Jane\n+14155550002,Rick\n',
    /headless\.csv has no header row/,
  );
  refuse(
    'nophone',
    'a list without a phone column is refused, naming its columns and --map',
    'who,where\nJane,+14155550001\n',
    /nophone\.csv has no column .*who, where.*--map phone=COL/,
  );
  refuse(
    'wrongmap',
    'a --map of a column that does not exist is refused',
    'phone,name\n+14155550001,Jane\n',
    /no column named "Nummer".*phone, name/,
    ['--map', 'phone=Nummer'],
  );
  refuse(
    'allbad',
    'a list with no row that can be dialled is refused with an example',
    'phone\n12\nx\n',
    /allbad\.csv has no row that can be dialled: 2 rejected, for example line 2/,
  );
  return made;
}

const all = lists();
const formula = phonesOf(2);
const ndjson = phonesOf(1);
const ended = new Map<string, Ended>();
let desk: Desk;

beforeAll(async () => {
  desk = await openDesk('postgres', { speed: 6_000, rate: 400, shares: { busy: 1 } });
  const works = Object.entries(all).map(([name, list]) => async () => {
    if (!list.stdin) desk.write(`${name}.csv`, list.text);
    const args = [
      'run',
      list.stdin ? '-' : `${name}.csv`,
      '--agent',
      'agent_1',
      '--json',
      ...(list.args ?? []),
    ];
    ended.set(name, await desk.type(args, { VOICE_RATE: '400' }, list.stdin ? String(list.text) : undefined));
  });
  const extra = (name: string, text: string, args: string[] = []) => {
    works.push(async () => {
      desk.write(`${name}.csv`, text);
      const line = ['run', `${name}.csv`, '--agent', 'agent_1', '--json', ...args];
      ended.set(name, await desk.type(line, { VOICE_RATE: '400' }));
    });
  };
  const [a, b] = formula;
  extra(
    'formula',
    `phone,name,note\n${a},=HYPERLINK("http://x"),@SUM(A1)\n${b},+cmd|' /C calc'!A0,-2+3\n=1+1,-x,\t=2\n`,
  );
  extra('lines', `phone,name\n${ndjson[0]},Jane\nbad,x\n`, ['--out', 'my.lines.ndjson']);
  extra('ending', 'phone\n+14155551234\n', ['--out', 'x.xlsx']);
  extra('nowhere', 'phone\n+14155551235\n', ['--out', 'no/such/folder/x.csv']);
  await inTurns(works, 4);
}, 600_000);
afterAll(() => desk?.close());

describe('a list', () => {
  for (const [name, list] of Object.entries(all)) {
    it(list.says, () => {
      const run = ended.get(name)!;
      const dialled = asked(desk);
      if (list.refused) {
        expectRefused(run, list.refused);
        return;
      }
      expect(run.code, run.stderr).toBe(0);
      const rejects = list.rejects ?? [];
      const rows = list.dials.length + rejects.length;
      const campaign = list.args?.[0] === '--name' ? list.args[1]! : name;
      expect(summaryOf(run)).toMatchObject({
        campaign,
        rows,
        rejected: rejects.length,
        done: list.dials.length,
        attempts: list.dials.length,
      });
      for (const phone of list.dials) expect(dialled.get(phone), phone).toBe(1);
      const results = desk.table(`${campaign}.results.csv`);
      expect(results.map((row) => row.phone)).toEqual(list.dials);
      const rejected = openRecords(desk.read(`${campaign}.results.rejected.csv`));
      expect(rejected).toHaveLength(rejects.length);
      for (const [at, wanted] of rejects.entries()) {
        expect(`${rejected[at]!.line} ${rejected[at]!.reason}`).toMatch(wanted);
      }
    });
  }

  it('gets only its accepted people dialled', () => {
    const wanted = [...Object.values(all).flatMap((list) => list.dials), ...formula, ...ndjson];
    expect([...asked(desk).keys()].sort()).toEqual([...wanted].sort());
  });

  it('that is refused leaves no campaign behind', async () => {
    const listed = JSON.parse((await desk.type(['campaign', 'list', '--json'])).stdout);
    const names = listed.items.map((campaign: { name: string }) => campaign.name);
    for (const [name, list] of Object.entries(all)) {
      if (list.refused) expect(names, name).not.toContain(name);
    }
  });

  it('keeps its letters and its extra columns in the results', () => {
    expect(desk.table('cp1252.results.csv').map((row) => row.name)).toEqual(['Zoë €', 'Björn']);
    for (const name of ['bom', 'utf16le'])
      expect(desk.table(`${name}.results.csv`).map((row) => row.in_name)).toEqual(['Zoë', '李']);
    expect(desk.table('newlines.results.csv').map((row) => row.in_note)).toEqual([
      'first\nsecond\nthird',
      'say "hi"',
      'y',
    ]);
    const header = desk.read('mapped.results.csv').split('\n')[0];
    expect(header).toBe(
      'row,phone,name,state,outcome,attempts,call_id,status,duration,cost,started_at,ended_at,transcript,recording_url,structured_data,error,in_phone,in_Büro Nr.,in_Wer,in_Wo',
    );
    expect(desk.table('mapped.results.csv').map((row) => row.name)).toEqual(['Jane', 'Rick']);
  });

  it('cannot put a formula into the results or the rejects', () => {
    const run = ended.get('formula')!;
    expect(run.code, run.stderr).toBe(0);
    const results = openRecords(desk.read('formula.results.csv'));
    const rejected = openRecords(desk.read('formula.results.rejected.csv'));
    expect(results.map((row) => row.phone)).toEqual(formula);
    const cells = [...results, ...rejected].flatMap((row) => Object.values(row));
    for (const cell of cells) {
      if (/^\+1415555\d{4}$/.test(cell)) continue;
      expect(cell).not.toMatch(/^[\s]*[=+@-]/);
    }
    expect(results[0]!.in_name).toBe(`'=HYPERLINK("http://x")`);
    expect(rejected[0]!.phone).toBe("'=1+1");
  });

  it('gives NDJSON if the name of --out asks for it, with the same field names', () => {
    const run = ended.get('lines')!;
    expect(run.code, run.stderr).toBe(0);
    const [line, ...more] = desk.read('my.lines.ndjson').trim().split('\n');
    expect(more).toEqual([]);
    expect(JSON.parse(line!)).toMatchObject({
      row: 2,
      phone: ndjson[0],
      name: 'Jane',
      state: 'done',
      outcome: 'busy',
      attempts: 1,
      in_phone: ndjson[0],
      in_name: 'Jane',
    });
    expect(openRecords(desk.read('my.lines.rejected.csv'))).toMatchObject([{ line: '3', phone: 'bad' }]);
  });

  it('with an --out in an unknown format is refused before anybody is called', () => {
    expectRefused(ended.get('ending')!, /x\.xlsx must end in .csv, .ndjson or .parquet/);
    expect(asked(desk).has('+14155551234')).toBe(false);
  });

  it('is refused before anybody is called when its results cannot be written', () => {
    expectRefused(
      ended.get('nowhere')!,
      /no\/such\/folder\/x\.csv cannot be written: its folder does not exist/,
    );
    expect(asked(desk).has('+14155551235')).toBe(false);
  });
});
