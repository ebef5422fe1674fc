import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTerminal } from './terminal.ts';

/** A terminal gets no order from text that others wrote. */
const terminal = useTerminal('file');

const evil = 'x\x1b[2J\x9b31m\u202ey\rz';
const obeyed = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const shown = (text: string) => text.replace(/[\n\t]/g, '');

it('not from a name, a zone, a variable or a column of a list, on any way to the screen', async () => {
  const csv = join(terminal.folder, 'list.csv');
  const results = join(terminal.folder, 'out.csv');
  const cell = `"${evil}\nsecond line"`;
  writeFileSync(
    csv,
    `phone,name,time zone,${evil.replace('\r', '')}\n+14155550101,${cell},,${cell}\n${evil.replace('\r', '')},Bob,,\n+14155550102,Eve,${cell},\n`,
  );
  const lines = [
    `run ${csv} --agent a --name list --dry-run`,
    `run ${csv} --agent a --name list --dry-run --json`,
    `run ${csv} --agent a --name list --out ${results}`,
    'find +14155550101',
    'find +14155550101 --json',
    'campaign show list',
    'campaign list',
    'campaign list --json',
    'activity',
    'activity --json',
  ];
  for (const line of lines) {
    const { out, err, code } = await terminal.type(line);
    expect([line, code, err]).toEqual([line, 0, expect.anything()]);
    expect(shown(out + err), line).not.toMatch(obeyed);
  }
  // The files have what there was.
  expect(readFileSync(results, 'utf8')).toContain('\x1b[2J');
});

it('not from an agent, a name or a row, where a table of cells goes to the screen', async () => {
  const agent = 'a\u202eb';
  const few = join(terminal.folder, 'few.csv');
  writeFileSync(few, `phone,name\n+14155550103,"${evil}"\n`);
  expect(await terminal.type(['run', few, '--agent', agent, '--name', 'few'])).toMatchObject({ code: 0 });
  for (const line of [
    ['report', 'few', '--csv'],
    ['report', 'few', '--by', 'agent', '--csv'],
    ['report', 'few', '--by', 'agent'],
    ['campaign', 'export', 'few', '--out', '-'],
    ['campaign', 'export', 'few', '--attempts', '--out', '-'],
    ['suppress', 'export', '-'],
  ]) {
    const { out, err, code } = await terminal.type(line, { screen: true });
    expect([line, code]).toEqual([line, 0]);
    expect(shown(out + err), line.join(' ')).not.toMatch(obeyed);
  }
  // A file or a program gets what there was.
  expect((await terminal.type(['report', 'few', '--by', 'agent', '--csv'])).out).toContain(agent);
});

it('not from what was typed, in an error', async () => {
  for (const line of [
    ['run', `${evil}.csv`, '--agent', 'a'],
    ['campaign', 'show', evil],
    [evil],
    ['find', evil],
    ['run', 'list.csv', '--agent', 'a', '--name', evil],
    ['run', 'list.csv', '--agent', 'a', '--window', evil],
    ['suppress', 'import', evil],
    ['policy', 'check', `${evil}.json`],
    ['call', 'create', '--agent', 'a', '--phone', evil],
  ]) {
    const { out, err, code } = await terminal.type(line);
    // Nothing is found, or it is wrong.
    expect([line, code === 0 && line[0] !== 'find']).toEqual([line, false]);
    expect(shown(out + err), line.join(' ')).not.toMatch(obeyed);
  }
});

it('not from a reason of a suppression, nor from what the service says', async () => {
  await terminal.sql(`insert into carillon.suppressions (phone, reason) values ('+14155550199', $1)`, [evil]);
  for (const line of [
    'suppress list',
    'suppress list --json',
    'find +14155550199',
    'doctor',
    'doctor --json',
  ]) {
    const { out, err } = await terminal.type(line);
    expect(shown(out + err), line).not.toMatch(obeyed);
  }
});
