import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rejectedPath, writeRejected } from '../../src/export/csv.ts';
import type { RecipientLine } from '../../src/export/recipient.ts';
import { formatOf, writeResults } from '../../src/export/results.ts';
import { checkTarget } from '../../src/export/target.ts';
import { openCsv } from '../../src/intake/csv.ts';
import { readAll } from '../intake/files.ts';
import { resultOf as rowOf } from './people.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carillon-export-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const header =
  'row,phone,name,state,outcome,attempts,call_id,status,duration,cost,started_at,ended_at,transcript,recording_url,structured_data,error';

const bare: Partial<RecipientLine> = {
  name: null,
  outcome: null,
  callId: null,
  status: null,
  duration: null,
  cost: null,
  currency: null,
  ended_reason: null,
  startedAt: null,
  endedAt: null,
  transcript: null,
  recording_url: null,
  structured_data: null,
  provider_call_sid: null,
  direction: null,
  contact_id: null,
  org_id: null,
  agent_id: null,
  metadata: null,
};

async function* batches<T>(...all: T[][]): AsyncGenerator<T[]> {
  yield* all;
}

describe('results as CSV', () => {
  test('have the columns of the contract, then the input’s own', async () => {
    const path = join(folder, 'r.csv');
    const count = await writeResults(
      { path },
      'csv',
      ['Phone', 'City'],
      batches([rowOf()], [rowOf({ ...bare, row: 3, state: 'unknown', attempts: 0, error: 'lost' })]),
    );
    expect(count).toBe(2);
    expect(await readFile(path, 'utf8')).toBe(
      `${header},in_Phone,in_City\n` +
        '2,+14155550123,Ann,done,answered,1,c-1,completed,61.5,0.12,2026-01-09T10:00:00.250Z,2026-01-09T10:01:01.000Z,' +
        '"Agent: ""Hi,""\nAnn: hello",https://example.com/r/1,"{""ok"":true,""note"":""a,b""}",,(415) 555-0123,Reno\n' +
        '3,+14155550123,,unknown,,0,,,,,,,,,,lost,(415) 555-0123,Reno\n',
    );
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['+1+1', "'+1+1"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\'\t\'=1"'],
    ['\r=1', '"\'\r\'=1"'],
    [' =1', "' =1"],
    ['＝1+1', "'＝1+1"],
    ['＠x', "'＠x"],
    ['+1 (415) 555-0123', "'+1 (415) 555-0123"],
    ['+14155550123', '+14155550123'],
    ['-5', '-5'],
    ['-1.25', '-1.25'],
    ['a=b', 'a=b'],
    ['', ''],
  ])('turn %j into %j, so that no spreadsheet runs it', async (given, shown) => {
    const path = join(folder, 'r.csv');
    await writeResults(
      { path },
      'csv',
      ['x'],
      batches([rowOf({ ...bare, name: given, input: { x: given } })]),
    );
    const text = await readFile(path, 'utf8');
    expect(text.slice(text.indexOf('\n') + 1)).toBe(`2,+14155550123,${shown},done,,1,,,,,,,,,,,${shown}\n`);
  });

  test('are read back by the intake', async () => {
    const path = join(folder, 'r.csv');
    const odd = { '=A, "B"': 'x\r\ny', '': ' z ' };
    await writeResults({ path }, 'csv', Object.keys(odd), batches([rowOf({ input: odd })]));
    const read = await readAll(await openCsv({ path }));
    expect(read.accepted[0]?.input).toMatchObject({
      phone: '+14155550123',
      'in_=A, "B"': 'x\r\ny',
      in_: ' z ',
    });
  });

  test('of nobody are only the header', async () => {
    const path = join(folder, 'r.csv');
    expect(await writeResults({ path }, 'csv', [], batches())).toBe(0);
    expect(await readFile(path, 'utf8')).toBe(`${header}\n`);
  });
});

test('results as NDJSON have the same names and real types, and nothing is neutralised', async () => {
  const stream = new PassThrough();
  await writeResults(
    { stream },
    'ndjson',
    ['x'],
    batches([rowOf({ name: '=A', input: { x: '=1' } }), rowOf({ ...bare, input: {} })]),
  );
  const [first, second] = stream
    .read()
    .toString()
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(Object.keys(first)).toEqual(
    expect.arrayContaining(['id', 'campaign', ...header.split(','), 'reason', 'until', 'input', 'in_x']),
  );
  expect(first).toMatchObject({
    row: 2,
    name: '=A',
    duration: 61.5,
    structured_data: { ok: true },
    started_at: '2026-01-09T10:00:00.250Z',
    in_x: '=1',
  });
  expect(second).toMatchObject({ duration: null, ended_at: null, structured_data: null, in_x: null });
});

describe('a file', () => {
  test('that exists stays as it was when the rows break off', async () => {
    const path = join(folder, 'r.csv');
    await writeFile(path, 'old');
    const broken = async function* () {
      yield [rowOf()];
      throw new Error('the ledger is gone');
    };
    await expect(writeResults({ path }, 'csv', [], broken())).rejects.toThrow('the ledger is gone');
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['r.csv']);
  });

  test('appears under its name only when it is whole', async () => {
    const path = join(folder, 'r.csv');
    await writeFile(path, 'old');
    const watched = async function* () {
      yield [rowOf()];
      expect(await readFile(path, 'utf8')).toBe('old');
    };
    await writeResults({ path }, 'csv', [], watched());
    expect(await readdir(folder)).toEqual(['r.csv']);
    expect(await readFile(path, 'utf8')).toContain('+14155550123');
  });

  test('behind a link is written, and the link stays', async () => {
    const path = join(folder, 'link.csv');
    await writeFile(join(folder, 'real.csv'), 'old');
    await symlink('real.csv', path);
    await writeResults({ path }, 'csv', [], batches([rowOf()]));
    expect(await readFile(join(folder, 'real.csv'), 'utf8')).toContain('+14155550123');
  });

  test('that cannot be written is reported in one line', async () => {
    await mkdir(join(folder, 'd.csv'));
    await writeFile(join(folder, 'plain.txt'), '');
    const cases = [
      [join(folder, 'none', 'r.csv'), 'its folder does not exist'],
      [join(folder, 'd.csv'), 'a folder has that name'],
      [join(folder, 'plain.txt', 'r.csv'), 'a part of its path is not a folder'],
      [join(folder, `${'n'.repeat(300)}.csv`), 'its name is too long'],
    ] as const;
    for (const [path, why] of cases) {
      const refusal = {
        code: 'file-unwritable',
        exit: 2,
        message: `${path} cannot be written: ${why}`,
      };
      await expect(writeResults({ path }, 'csv', [], batches())).rejects.toMatchObject(refusal);
      // Also found before anybody is called.
      await expect(checkTarget({ path })).rejects.toMatchObject(refusal);
    }
  });

  test.runIf(existsSync('/dev/full'))('on a full disk says so', async () => {
    await expect(writeResults({ path: '/dev/full' }, 'csv', [], batches([rowOf()]))).rejects.toMatchObject({
      code: 'file-unwritable',
      message: '/dev/full cannot be written: the disk is full',
    });
  });

  test('that can be written leaves nothing behind when it is only checked', async () => {
    const path = join(folder, 'looked.csv');
    const before = await readdir(folder);
    await checkTarget({ path });
    expect(await readdir(folder)).toEqual(before);
  });
});

describe('a stream', () => {
  test('is never filled faster than it drains', async () => {
    const stream = new Writable({
      highWaterMark: 1_000,
      write(_chunk, _encoding, done) {
        setImmediate(done);
      },
    });
    let most = 0;
    const many = async function* () {
      for (let at = 0; at < 50; at++) {
        most = Math.max(most, stream.writableLength);
        yield Array.from({ length: 10 }, () => rowOf());
      }
    };
    expect(await writeResults({ stream }, 'csv', [], many())).toBe(500);
    expect(most).toBeLessThan(1_000);
  });

  test('stops the writing when its reader leaves', async () => {
    const stream = new PassThrough({ highWaterMark: 10 });
    const endless = async function* () {
      for (;;) yield [rowOf()];
    };
    const writing = writeResults({ stream }, 'csv', [], endless());
    setImmediate(() => stream.destroy());
    await expect(writing).rejects.toMatchObject({ message: 'The reader of the results has closed' });
  });
});

test('rejected rows are written with all their columns under their own names, then line and reason', async () => {
  const path = join(folder, 'x.csv');
  const rows = [{ row: 3, reason: '"+1" is too short', input: { phone: '+1', note: '=1' } }];
  expect(await writeRejected({ path }, ['phone', 'note'], batches(rows))).toBe(1);
  expect(await readFile(path, 'utf8')).toBe(`phone,note,line,reason\n+1,'=1,3,"""+1"" is too short"\n`);
});

test('file names show the format, and where the rejects go', () => {
  expect(formatOf('a/b.CSV')).toBe('csv');
  expect(formatOf('b.ndjson')).toBe('ndjson');
  expect(() => formatOf('b.xlsx')).toThrow(expect.objectContaining({ code: 'usage-invalid' }));
  expect(() => formatOf('csv')).toThrow(expect.objectContaining({ code: 'usage-invalid' }));
  expect(rejectedPath('a.b/people.results.csv')).toBe('a.b/people.results.rejected.csv');
  expect(rejectedPath('a.b/people')).toBe('a.b/people.rejected.csv');
});
