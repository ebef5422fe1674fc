import { readFileSync, writeFileSync } from 'node:fs';
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
