import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createReporter } from '../../src/background/process-report.ts';
import type { Environment } from '../../src/base/config/config.ts';
import { loadConfig } from '../../src/base/config/config.ts';
import { CarillonError } from '../../src/base/errors.ts';
import { createCheck } from '../../src/control/doctor/findings.ts';
import { checkPolicy } from '../../src/control/doctor/rules.ts';
import { packNamed } from '../../src/rules/policy/packs.ts';
import { startHttpProxy } from '../support/http-proxy.ts';
import { freePort } from '../support/ports.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { makeCampaign, useTerminal } from './terminal.ts';

type Finding = { state: string; what: string; detail: string; remedy: string | null };

const term = useTerminal('test');

async function examine(
  env: Environment = {},
): Promise<{ code: number; find(what: string): Finding | undefined }> {
  const typed = await term.type('doctor --json', { env });
  const checks: Finding[] = typed.json.checks;
  expect(typed.json.ok).toBe(typed.code === 0);
  for (const check of checks)
    expect([check.what, check.state === 'ok']).toEqual([check.what, check.remedy === null]);
  return { code: typed.code, find: (what) => checks.find((check) => check.what === what) };
}

it('finds no fault in a sound setup', async () => {
  const doctor = await term.type('doctor');
  expect(doctor).toMatchObject({ code: 0, err: '' });
  const lines = doctor.out.trim().split('\n');
  expect(lines.map((line) => line.slice(0, 4))).toEqual(lines.map(() => 'ok  '));
  const names =
    'node settings profile home spool api service ledger policy webhooks alerts heartbeat erasures workers queue proxy key a clock';
  expect(lines.map((line) => line.slice(6, 18).trim()).join(' ')).toBe(names);
  expect(doctor.out).not.toContain('good');
});

it('tells the date of the packs of hours in force, and warns when they are older than half a year', async () => {
  const { asOf } = packNamed('us-telemarketing')!;
  const later = Date.parse(asOf) + 200 * 86_400_000;
  writeFileSync(join(term.folder, 'rules.json'), '{"hours": ["us-telemarketing"]}');
  expect((await term.type('policy set rules.json')).code).toBe(0);
  expect((await examine()).find('policy')).toMatchObject({
    detail: expect.stringContaining(`as of ${asOf}`),
  });
  const found: Finding[] = [];
  const ledger = { url: term.env.DATABASE_URL!, upToDate: true };
  await checkPolicy(
    createCheck((finding) => found.push(finding)),
    loadConfig(term.env),
    ledger,
    later,
  );
  expect(found).toContainEqual(expect.objectContaining({ state: 'warn', what: 'policy' }));

  const listed = await term.type('policy list');
  expect([listed.out.includes(`as of ${asOf}`), listed.err]).toEqual([true, '']);
  vi.useFakeTimers({ toFake: ['Date'], now: later });
  try {
    expect((await term.type('policy list')).err).toMatch(
      /^carillon: us-telemarketing and ca-.* half a year ago/,
    );
    expect((await term.type('policy list --json')).json.items[0]).toMatchObject({
      as_of: asOf,
      outdated: true,
    });
  } finally {
    vi.useRealTimers();
  }
});

it('asks the service once a key, and creates no tables in an empty database', async () => {
  const empty = await emptyDatabase();
  try {
    const { code, find } = await examine({ DATABASE_URL: empty.url, VOICE_API_KEYS: 'a=good,b=second' });
    expect(code).toBe(0);
    expect(find('ledger')?.detail).toContain('empty');
    expect([...term.simulator.journal()]).toHaveLength(2);
    expect((await examine({ DATABASE_URL: empty.url })).find('ledger')?.detail).toContain('empty');
  } finally {
    await empty.drop();
  }
});

it('continues when the ledger is away: checks that do not need it are still made', async () => {
  const { code, find } = await examine({ DATABASE_URL: 'postgres://127.0.0.1:9/none' });
  expect(code).toBe(1);
  expect(find('ledger')).toMatchObject({ state: 'fail' });
  expect(find('queue')?.remedy).toBe('Fix the ledger first.');
  expect(find('key a')).toMatchObject({ state: 'ok' });
});

it('continues when Redis is away', async () => {
  const { code, find } = await examine({ REDIS_URL: 'redis://127.0.0.1:9' });
  expect(code).toBe(1);
  expect(find('queue')).toMatchObject({ state: 'fail' });
  expect(find('queue')?.remedy).toContain('REDIS_URL');
  expect(find('ledger')).toMatchObject({ state: 'ok' });
  expect(find('key a')).toMatchObject({ state: 'ok' });
});

it('names the key that the service does not accept', async () => {
  const { code, find } = await examine({ VOICE_API_KEYS: 'a=good,bad=wrong' });
  expect(code).toBe(1);
  expect(find('key a')?.state).toBe('ok');
  expect(find('key bad')).toMatchObject({ state: 'fail', remedy: 'Put a valid key into VOICE_API_KEYS.' });
});

it('names the keys of each account, and says nothing of accounts where none is declared', async () => {
  const keys = { VOICE_API_KEYS: 'a=good,b=second' };
  const { code, find } = await examine({ ...keys, VOICE_ACCOUNTS: 'a+b' });
  expect(code).toBe(0);
  expect(find('accounts')).toMatchObject({
    state: 'ok',
    detail: 'one limit and one budget for a and b',
  });
  expect((await examine(keys)).find('accounts')).toBeUndefined();
});

it('reports what the ledger knows about a key', async () => {
  term.simulator.control({ credits: 0 });
  await term.type('call create --agent a --to +14155550123');
  expect((await examine()).find('key a')).toMatchObject({ state: 'warn' });
  expect((await examine()).find('key a')?.detail).toContain('no credit');
});

it('says what is missing when no service is set', async () => {
  const { code, find } = await examine({ VOICE_BASE_URL: '' });
  expect(code).toBe(1);
  expect(find('service')?.detail).toBe('VOICE_BASE_URL is not set');
  expect(find('key a')).toBeUndefined();
});

it('stops at settings that cannot be read, and names the variable', async () => {
  const { code, find } = await examine({ PORT: 'many' });
  expect(code).toBe(1);
  expect(find('settings')?.detail).toContain('PORT is not a port');
  expect(find('node')?.state).toBe('ok');
});

it('names settings that nothing reads, such as a misspelt one', async () => {
  const { json } = await term.type('doctor --json', { env: { VOICE_RTAE: '5' } });
  expect(json.checks).toContainEqual({
    what: 'settings',
    state: 'warn',
    detail: 'nothing reads VOICE_RTAE',
    remedy: '.env.example lists every setting.',
  });
});

it('warns of an address that is open to others', async () => {
  expect((await examine({ HOST: '0.0.0.0' })).find('api')?.state).toBe('fail');
  expect((await examine({ HOST: '0.0.0.0', API_TOKEN: 'short' })).find('api')?.state).toBe('warn');
  const token = 'x'.repeat(32);
  expect((await examine({ HOST: '0.0.0.0', API_TOKEN: token })).find('api')?.state).toBe('ok');
  expect((await examine({ API_TOKEN: token, API_READ_TOKEN: token })).find('api')?.state).toBe('warn');
});

it('doubts an address in the words of a dry run, and only by the rules of its own service', async () => {
  const { url } = term.simulator;
  const bare = url.replace('/v1', '');
  const found = (await examine({ VOICE_BASE_URL: bare })).find('service')!;
  expect(found).toMatchObject({ state: 'warn', detail: `${bare} does not end in a version` });
  writeFileSync(join(term.folder, 'people.csv'), 'phone\n+14155550101\n');
  const line = `run ${join(term.folder, 'people.csv')} --agent a --dry-run`;
  const dry = await term.type(line, { env: { VOICE_BASE_URL: bare } });
  expect(dry.err).toContain(`Warning: ${found.detail}. ${found.remedy}`);
  const vapi = await examine({ VOICE_SERVICE: 'vapi', VOICE_BASE_URL: bare });
  expect(vapi.find('service')).toMatchObject({ state: 'ok' });
});

it('warns of a ledger that is not up to date', async () => {
  await term.sql(`comment on schema carillon is 'the functions of an older version'`);
  expect((await examine()).find('ledger')).toMatchObject({
    state: 'warn',
    remedy: 'Run `carillon migrate`.',
  });
});

it('says when a campaign waits for a worker, and why one that runs does not dial', async () => {
  expect((await examine()).find('workers')?.detail).toContain('no campaign waits');
  await makeCampaign(term.ledger, { name: 'calls-a', kind: 'calls', baseUrl: term.simulator.url }, 1);
  expect((await examine()).find('workers')?.detail).toBe('none runs, and single calls wait for one');
  await makeCampaign(term.ledger, { name: 'march', baseUrl: term.simulator.url }, 1);
  expect((await examine()).find('workers')).toMatchObject({
    state: 'warn',
    detail: 'none runs, and 1 campaign waits for one',
  });
  const { ledger } = term;
  const permit = { aheadMs: () => 0, trouble: () => new CarillonError('policy-differs') };
  const rounds = { ages: () => [] };
  const parts = ['planner', 'dialer'];
  const config = { secret: undefined, home: term.folder };
  const sameKeys = { marks: async () => ({}) };
  const engine = { kind: 'postgres' } as const;
  const deps = { ledger, permit, rounds, engine, config, sameKeys, clock: Date, dialer: 'w1' };
  await createReporter(deps, parts).report();
  expect((await examine()).find('workers')).toMatchObject({
    state: 'warn',
    detail: expect.stringMatching(/does not dial: The contact rules of this process are not those in force/),
    remedy: expect.stringContaining('CARILLON_POLICY'),
  });
});

it('counts call ids that wait on the disk', async () => {
  mkdirSync(join(term.folder, 'home', 'spool'), { recursive: true });
  for (const name of ['x.json', 'y.json']) writeFileSync(join(term.folder, 'home', 'spool', name), '{}\n');
  expect((await examine()).find('spool')?.detail).toContain('2 call ids');
});

it('reports a profile that cannot be used, and continues', async () => {
  const { find } = await examine({ VOICE_PROFILE: join(term.folder, 'none.json') });
  expect(find('profile')?.detail).toContain('the file does not exist');
  expect(find('queue')?.state).toBe('ok');
});

it('names the proxy and its variable, sends the keys’ requests through it, and shows no password', async () => {
  const proxy = await startHttpProxy(Number(new URL(term.simulator.url).port));
  try {
    const url = proxy.url.replace('//', '//ann:hidden@');
    const { code, find } = await examine({ VOICE_PROXY: url });
    expect(code).toBe(0);
    expect(find('proxy')?.detail).toBe(`${proxy.url.replace('//', '//***@')}, from VOICE_PROXY; it answers`);
    expect(proxy.seen.map((each) => each.url)).toEqual([`${term.simulator.url}/phone-number?limit=1`]);

    // A tunnel is opened, and nothing sent in it, before a key is tried.
    proxy.seen.length = 0;
    proxy.act = { refuse: 407 };
    const service = { VOICE_BASE_URL: 'https://voice.invalid/v1' };
    const denied = (await examine({ ...service, https_proxy: url })).find('proxy');
    expect(denied).toMatchObject({
      state: 'fail',
      detail: expect.stringMatching(
        /from https_proxy: the proxy .* does not accept the user name and password/,
      ),
      remedy: 'Correct https_proxy, or start the proxy. To go without it, add voice.invalid to NO_PROXY.',
    });
    expect(proxy.seen[0]).toMatchObject({ method: 'CONNECT', url: 'voice.invalid:443' });
    expect(JSON.stringify(denied)).not.toContain('hidden');
  } finally {
    await proxy.close();
  }
});

it('says when a proxy is away, and how to go without it', async () => {
  const port = await freePort();
  const { code, find } = await examine({ VOICE_PROXY: `http://127.0.0.1:${port}` });
  expect(code).toBe(1);
  expect(find('proxy')).toMatchObject({
    state: 'fail',
    detail: `http://127.0.0.1:${port}, from VOICE_PROXY: the proxy 127.0.0.1:${port} refused the connection`,
    remedy: 'Correct VOICE_PROXY, or start the proxy. To go without it, unset VOICE_PROXY.',
  });
  expect(find('key a')).toMatchObject({ state: 'fail', detail: expect.stringContaining('nothing was sent') });
});

it('goes directly to a service on this machine, whatever proxy other programs use', async () => {
  const { code, find } = await examine({
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
  });
  expect(code).toBe(0);
  expect(find('proxy')?.detail).toBe('none: HTTP_PROXY is not used for loopback addresses');
});
