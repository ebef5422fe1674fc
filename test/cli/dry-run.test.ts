import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTerminal, type Terminal } from './terminal.ts';

let terminal: Terminal;
beforeAll(async () => {
  terminal = await openTerminal();
  writeFileSync(join(terminal.folder, 'people.csv'), 'phone\n+14155550101\n+442079460958\n');
  writeFileSync(join(terminal.folder, 'rules.json'), '{"not_on": ["2099-06-01"]}');
});
afterAll(() => terminal?.close());

const run = (rest: string) => {
  const at = (file: string) => join(terminal.folder, file);
  return `run ${at('people.csv')} --agent a --dry-run --out ${at('out.csv')} ${rest}`;
};
// The first of June in London, and still the last of May in California.
const dates = '--start-at 2099-06-01T05:00:00Z --end-at 2099-06-01T06:30:00Z';

it('a dry run is judged by the order’s first and last time, and by the contact rules in force', async () => {
  const free = await terminal.type(run(`--json ${dates}`));
  expect(free.err).toBe('');
  expect(free).toMatchObject({ code: 0, json: { waiting: 2, rejected: 0 } });
  expect((await terminal.type('policy set rules.json')).code).toBe(0);
  const held = await terminal.type(run(`--json ${dates}`));
  expect(held).toMatchObject({ code: 0, json: { waiting: 1, rejected: 1 } });
  const shown = await terminal.type(run(dates));
  expect(shown.out).toContain('line 3: can never be called');
  expect(shown.out).toMatch(/\nContact rules: .+\.\n/);
  const without = { env: { CARILLON_POLICY: join(terminal.folder, 'none.json') } };
  writeFileSync(join(terminal.folder, 'none.json'), '{}');
  expect((await terminal.type(run(`--json ${dates}`), without)).json).toMatchObject({
    waiting: 2,
    rejected: 0,
  });
  const over = await terminal.type(run('--start-at 2099-06-02T00:00:00Z --end-at 2099-06-01T00:00:00Z'));
  expect(over.code).toBe(2);
  expect((await terminal.type('campaign list --json')).json.items).toEqual([]);
});
