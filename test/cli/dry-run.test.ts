import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { createReporter } from '../../src/background/process-report.ts';
import { noteRestored } from '../../src/dispatch/trust/last-seen.ts';
import { makeCampaign, useTerminal } from './terminal.ts';

const terminal = useTerminal('file');
beforeAll(async () => {
  writeFileSync(join(terminal.folder, 'people.csv'), 'phone\n+14155550101\n+442079460958\n');
  writeFileSync(join(terminal.folder, 'rules.json'), '{"not_on": ["2099-06-01"]}');
});

const run = (rest: string) => {
  const at = (file: string) => join(terminal.folder, file);
  return `run ${at('people.csv')} --agent a --dry-run --out ${at('out.csv')} ${rest}`;
};
// The first of June in London, and still the last of May in California.
const dates = '--start-at 2099-06-01T05:00:00Z --end-at 2099-06-01T06:30:00Z';

it.each(['VOICE_BASE_URL', 'VOICE_API_KEYS'])(
  'a dry run says as the run does that %s is not set',
  async (name) => {
    const env = { [name]: '' };
    const dry = await terminal.type(run('').trim(), { env });
    expect(dry).toMatchObject({ code: 2, out: '' });
    expect(dry.err).toMatch(new RegExp(`^carillon: ${name} is not set\\. .+\\n$`));
    expect(await terminal.type(run('').trim().replace('--dry-run ', ''), { env })).toMatchObject({
      code: 2,
      err: dry.err,
    });
  },
);

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

it('by a dry run and a forecast, keys of one account take as long as one key, and keys of two take less', async () => {
  const phones = Array.from({ length: 600 }, (_, nth) => `+1415${5_550_000 + nth}`);
  writeFileSync(join(terminal.folder, 'many.csv'), `phone\n${phones.join('\n')}\n`);
  const id = await makeCampaign(terminal.ledger, { name: 'many', baseUrl: terminal.simulator.url }, 600);
  // No worker runs: what it would take is asked of one that is paused.
  await terminal.ledger.campaigns.pause([id], 'paused by hand');
  const two = 'a=good,b=second';
  const minutes = async (line: string, keys: string, accounts = '') => {
    const env = { VOICE_API_KEYS: keys, VOICE_ACCOUNTS: accounts, VOICE_RATE: '2' };
    const { code, out, err } = await terminal.type(line, { env });
    expect(code, err).toBe(0);
    const [, min, s] = out.match(/about (?:(\d+) min)? ?(?:(\d+) s)?/i) ?? [];
    return Number(min ?? 0) + Number(s ?? 0) / 60;
  };
  const dry = `run ${join(terminal.folder, 'many.csv')} --agent a --dry-run --out ${join(terminal.folder, 'many.out.csv')}`;
  for (const line of [dry, 'campaign forecast many']) {
    const [one, joined, apart] = [
      await minutes(line, 'a=good'),
      await minutes(line, two, 'a+b'),
      await minutes(line, two),
    ];
    expect(one, line).toBeGreaterThan(2);
    // A forecast is drawn by chance, and rounded.
    expect(joined / one, line).toBeGreaterThan(0.8);
    expect(joined / one, line).toBeLessThan(1.25);
    expect(apart / one, line).toBeLessThan(0.7);
  }
});

it('a dry run tells what would keep this process from dialling: other keys than those that dial, and a ledger that was restored', async () => {
  const { ledger, folder } = terminal;
  await ledger.lanes.join(['a']);
  const marks = { a: { digest: 'another', rate: 'auto' } };
  const permit = { aheadMs: () => 0, trouble: () => null };
  const deps = {
    ledger,
    permit,
    rounds: { ages: () => [] },
    engine: { kind: 'postgres' } as const,
    config: { secret: undefined, home: folder },
    sameKeys: { marks: async () => marks },
    clock: Date,
    dialer: 'w1',
  };
  await createReporter(deps, ['dialer']).report();
  await ledger.processes.agree('w1', marks, new Date(), true);
  const differs = await terminal.type(run('--quiet'));
  expect(differs.code, differs.err).toBe(0);
  expect(differs.err).toMatch(
    /^This process has another secret for the key a than .*: nothing would be dialled\. /m,
  );
  expect(differs.out).toMatch(/^Every check passed, except for the warnings above\./m);
  mkdirSync(join(folder, 'home'), { recursive: true });
  noteRestored(join(folder, 'home'), 'of a backup');
  const restored = await terminal.type(run('--quiet'));
  expect(restored).toMatchObject({ code: 3 });
  expect(restored.err).toMatch(/it was restored from a backup.*ledger confirm --lost-since 20/);
});
