import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constantFrom, double, property, string, stringMatching, uniqueArray } from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Config, loadConfig, readEnvironment } from '../../../src/base/config/config.ts';
import { accountOf, maxCallsOf, rateOf } from '../../../src/base/config/of-key.ts';
import { CarillonError } from '../../../src/base/errors.ts';
import { readPolicyFile } from '../../../src/control/policies/set.ts';
import { loadService } from '../../../src/voice/load-service.ts';
import { assert, runs } from '../../support/property.ts';

/** The settings: what is accepted, what is refused and with which message. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const load = (env: Record<string, string>): Config => loadConfig(env);
const keysOf = (text: string) =>
  load({ VOICE_API_KEYS: text }).voice.keys.map(({ name, secret }) => [name, secret]);

function refusal(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(CarillonError);
    expect(error).toMatchObject({ code: 'config-invalid', exit: 2 });
    return (error as CarillonError).message;
  }
  throw new Error(`was taken: ${JSON.stringify(env)}`);
}

const name = stringMatching(/^[a-z0-9_-]{1,32}$/);
/** Texts that are valid in a header, without the comma that separates the keys. */
const secret = stringMatching(/^[!-+\--<>-~]([!-+\--~]{0,40}[!-+\--<>-~])?={0,2}$/);

describe('the settings', () => {
  it('have defaults that need nothing', () => {
    const config = load({});
    expect(config).toMatchObject({
      voice: {
        baseUrl: undefined,
        keys: [],
        service: undefined,
        auth: undefined,
        rate: 'auto',
        rates: {},
        burst: 1,
        maxCalls: undefined,
        timeoutMs: 30_000,
        callDeadlineMs: 7_200_000,
        profilePath: undefined,
      },
      databaseUrl: undefined,
      redisUrl: undefined,
      host: '127.0.0.1',
      port: 3000,
      apiToken: undefined,
      apiReadToken: undefined,
      hookSecret: undefined,
      secret: undefined,
      webhookAllowPrivate: false,
      logLevel: 'info',
    });
    expect(isAbsolute(config.home)).toBe(true);
  });

  it('treat an empty value or spaces as not set', () => {
    const blank = Object.fromEntries(variables().map((each, index) => [each, index % 2 ? '' : '  ']));
    expect(load(blank)).toEqual(load({}));
  });

  it('are frozen at every level', () => {
    const config = load({ VOICE_API_KEYS: 'a=1,b=2', VOICE_RATE: 'a=3' });
    for (const part of [config, config.voice, config.voice.keys, config.voice.keys[0], config.voice.rates]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it.each([
    ['https://voice.example/v1', 'https://voice.example/v1'],
    ['https://voice.example/v1/', 'https://voice.example/v1'],
    ['https://voice.example/v1//', 'https://voice.example/v1'],
    ['HTTPS://Voice.Example/v1', 'https://voice.example/v1'],
    ['https://voice.example:443/v1', 'https://voice.example/v1'],
    ['http://voice.example:80/', 'http://voice.example'],
    ['http://voice.example:443/V1', 'http://voice.example:443/V1'],
    ['http://[0:0::1]:4010/v1/', 'http://[::1]:4010/v1'],
    ['https://voice.example/a/../v1', 'https://voice.example/v1'],
  ])('take the address %s in its one spelling', (text, url) => {
    expect(load({ VOICE_BASE_URL: text }).voice.baseUrl).toBe(url);
  });

  it.each([
    ['https://ann:hidden@voice.example/v1', 'user name or a password'],
    ['https://hidden@voice.example/v1', 'user name or a password'],
    ['https://voice.example/v1?token=hidden', 'a query'],
    ['https://voice.example/v1?', 'a query'],
    ['https://voice.example/v1#hidden', 'a hash'],
    ['ftp://ann:hidden@voice.example', 'http:// or https://'],
    ['hidden', 'http:// or https://'],
  ])('refuse the address %s in one line that does not repeat it', (text, words) => {
    const message = refusal({ VOICE_BASE_URL: text });
    expect(message).toMatch(/^VOICE_BASE_URL [^\n]+$/);
    expect(message).toContain(words);
    expect(message).not.toContain('hidden');
  });

  it('never live relative to where one happens to stand', () => {
    expect(load({ CARILLON_HOME: '/srv/carillon' }).home).toBe('/srv/carillon');
    expect(load({ CARILLON_HOME: '/srv/carillon/' }).home).toBe('/srv/carillon');
    expect(load({ CARILLON_HOME: '~/calls' }).home).toBe(join(homedir(), 'calls'));
    for (const relative of ['data', './data', '../data', '~ann/data']) {
      expect(refusal({ CARILLON_HOME: relative })).toBe(`CARILLON_HOME is not an absolute path: ${relative}`);
    }
    expect(() => load({ CARILLON_HOME: 'data' })).toThrow(
      expect.objectContaining({ remedy: `Write ${join(process.cwd(), 'data')} instead.` }),
    );
  });
});

describe('VOICE_API_KEYS', () => {
  it.each([
    ['sk_live_abc', [['default', 'sk_live_abc']]],
    ['main=one', [['main', 'one']]],
    [
      'main=one,spare=two',
      [
        ['main', 'one'],
        ['spare', 'two'],
      ],
    ],
    [
      ' main = one , spare = two ',
      [
        ['main', 'one'],
        ['spare', 'two'],
      ],
    ],
    ['main=one,', [['main', 'one']]],
    [',,', []],
    ['c2VjcmV0==', [['default', 'c2VjcmV0==']]],
    ['c2VjcmV=', [['default', 'c2VjcmV=']]],
    ['main=c2VjcmV0==', [['main', 'c2VjcmV0==']]],
    ['main=a=b=c', [['main', 'a=b=c']]],
    ['main==a', [['main', '=a']]],
    ['a-b_9=one', [['a-b_9', 'one']]],
    [`${'n'.repeat(32)}=one`, [['n'.repeat(32), 'one']]],
    [
      'bare,main=two',
      [
        ['default', 'bare'],
        ['main', 'two'],
      ],
    ],
  ])('reads %j', (text, keys) => {
    expect(keysOf(text)).toEqual(keys);
  });

  it.each([
    ['Main=hidden', 'entry 1'],
    ['main=one,Bad Name=hidden', 'entry 2'],
    [`${'n'.repeat(33)}=hidden`, 'entry 1'],
    ['=hidden', 'entry 1'],
    ['ma.in=hidden', 'entry 1'],
    ['main=hid den', 'main'],
    ['main=hidden\u00e9', 'main'],
    ['main=', 'entry 1 has no secret after its "="'],
    ['a=x,=', 'entry 2 has no secret'],
    ['hid\tden', 'default'],
    ['main=hidden1,main=hidden2', 'two keys named main'],
    ['hidden1,hidden2', 'two keys named default'],
    ['main=hidden,spare=hidden', 'one secret under two names, main and spare'],
  ])('refuses %j in one line without the secret', (text, words) => {
    const message = refusal({ VOICE_API_KEYS: text });
    expect(message).toMatch(/^VOICE_API_KEYS [^\n]+$/);
    expect(message).toContain(words);
    expect(message).not.toMatch(/hid/);
  });

  it('reads every list of names and secrets as it was written', () => {
    const named = uniqueArray(name, { minLength: 1, maxLength: 6 }).chain((names) =>
      uniqueArray(secret, { minLength: names.length, maxLength: names.length }).map((secrets) =>
        names.map((each, index) => [each, secrets[index]!] as const),
      ),
    );
    assert(
      property(named, (keys) => {
        expect(keysOf(keys.map(([each, value]) => `${each}=${value}`).join(','))).toEqual(keys);
      }),
    );
  });

  it('never shows any part of a value that it refuses', () => {
    assert(
      property(stringMatching(/^Q[!-+\--~]{11,30}$/), name, (hidden, each) => {
        const texts = [`${each.toUpperCase()}!=${hidden}`, `${each}=${hidden} x`, `a=${hidden},b=${hidden}`];
        for (const text of texts) expect(refusal({ VOICE_API_KEYS: text })).not.toContain(hidden);
      }),
    );
  });
});

describe('VOICE_MAX_CALLS', () => {
  const calls = (text: string) => {
    const config = load({ VOICE_API_KEYS: 'main=one,spare=two', VOICE_MAX_CALLS: text });
    return ['main', 'spare'].map((key) => maxCallsOf(config, key));
  };

  it('is of every key, or of one, and may keep some free for calls that come in', () => {
    expect(calls('10')).toEqual(Array(2).fill({ most: 10, inbound: 0 }));
    expect(calls('main=10-2')).toEqual([{ most: 10, inbound: 2 }, null]);
    expect(calls('5, main=10 - 2')).toEqual([
      { most: 10, inbound: 2 },
      { most: 5, inbound: 0 },
    ]);
  });

  it('that keeps all of them free is refused', () => {
    const text = refusal({ VOICE_API_KEYS: 'main=one', VOICE_MAX_CALLS: 'main=2-2' });
    expect(text).toContain('VOICE_MAX_CALLS keeps 2 of 2 calls free');
  });
});

describe('VOICE_RATE', () => {
  const rates = (text: string) => {
    const config = load({ VOICE_API_KEYS: 'main=one,spare=two', VOICE_RATE: text });
    return [rateOf(config, 'main'), rateOf(config, 'spare')];
  };

  it.each([
    ['auto', ['auto', 'auto']],
    ['AUTO', ['auto', 'auto']],
    ['20', [20, 20]],
    ['0.5', [0.5, 0.5]],
    ['main=20', [20, 'auto']],
    ['main=20,spare=auto', [20, 'auto']],
    [' 10 , spare = 2 ', [10, 2]],
    ['spare=2,10', [10, 2]],
  ])('reads %j', (text, wanted) => {
    expect(rates(text)).toEqual(wanted);
  });

  it.each(['0', '-1', 'fast', 'main=', 'main=0', 'NaN', 'Infinity', '100001', '20/s', 'main=20=3'])(
    'refuses %j in one line',
    (text) => {
      expect(refusal({ VOICE_API_KEYS: 'main=one', VOICE_RATE: text })).toMatch(/^VOICE_RATE [^\n]+$/);
    },
  );

  it('names a key that does not exist', () => {
    expect(refusal({ VOICE_API_KEYS: 'main=one', VOICE_RATE: 'other=2' })).toContain('other');
  });

  it('applies to the key that it names, whatever the others are called', () => {
    const rate = double({ min: 0.001, max: 100_000, noNaN: true });
    assert(
      property(uniqueArray(name, { minLength: 2, maxLength: 4 }), rate, (names, value) => {
        const config = load({
          VOICE_API_KEYS: names.map((each, index) => `${each}=secret${index}`).join(','),
          VOICE_RATE: `${names[0]}=${value}`,
        });
        expect(rateOf(config, names[0]!)).toBe(value);
        for (const other of names.slice(1)) expect(rateOf(config, other)).toBe('auto');
      }),
    );
  });

  it('is safe from names that every object has', () => {
    const config = load({ VOICE_API_KEYS: 'constructor=one,__proto__=two', VOICE_RATE: '__proto__=7' });
    expect(rateOf(config, 'constructor')).toBe('auto');
    expect(rateOf(config, '__proto__')).toBe(7);
  });
});

describe('VOICE_ACCOUNTS', () => {
  const keys = { VOICE_API_KEYS: 'main=one,spare=two,other=three,third=four' };
  const accounts = (text: string) => load({ ...keys, VOICE_ACCOUNTS: text }).voice.accounts;

  it('names the keys that share one limit', () => {
    expect(accounts('spare + main, other+third')).toEqual([
      ['main', 'spare'],
      ['other', 'third'],
    ]);
  });

  it('leaves each other key a limit of its own, as it does all keys by default', () => {
    expect(load(keys).voice.accounts).toEqual([]);
    const config = load({ ...keys, VOICE_ACCOUNTS: 'main,spare+other' });
    expect(['main', 'spare', 'other', 'third'].map((key) => accountOf(config, key))).toEqual([
      null,
      ['other', 'spare'],
      ['other', 'spare'],
      null,
    ]);
  });

  it.each([
    ['main+elsewhere', 'VOICE_ACCOUNTS names a key that is not in VOICE_API_KEYS: elsewhere'],
    ['main+spare,other+main', 'VOICE_ACCOUNTS names the key main twice'],
    ['main+main', 'VOICE_ACCOUNTS names the key main twice'],
    ['main+', 'VOICE_ACCOUNTS has an empty part'],
    ['main+spare,,other', 'VOICE_ACCOUNTS has an empty part'],
  ])('is refused as %s', (text, message) => {
    expect(refusal({ ...keys, VOICE_ACCOUNTS: text })).toBe(message);
  });

  it('joins only keys of one rate', () => {
    const env = { ...keys, VOICE_ACCOUNTS: 'main+spare' };
    expect(refusal({ ...env, VOICE_RATE: 'main=5' })).toBe(
      'VOICE_RATE gives main and spare different rates, which VOICE_ACCOUNTS joins',
    );
    expect(load({ ...env, VOICE_RATE: '5,other=7' }).voice.accounts).toEqual([['main', 'spare']]);
  });
});

describe('a wrong value', () => {
  it.each([
    ['VOICE_BASE_URL', 'voice.example/v1'],
    ['VOICE_BASE_URL', 'ftp://voice.example/v1'],
    ['VOICE_AUTH', 'basic'],
    ['VOICE_BURST', '0'],
    ['VOICE_BURST', '1.5'],
    ['VOICE_MAX_CALLS', '0'],
    ['VOICE_MAX_COST', '200'],
    ['VOICE_MAX_COST', 'day:0'],
    ['VOICE_MAX_COST', 'day:1,day:2'],
    ['VOICE_MAX_COST', 'week:5'],
    ['VOICE_MAX_CALLS', 'many'],
    ['VOICE_MAX_CALLS', '10-'],
    ['VOICE_MAX_CALLS', '10-10'],
    ['VOICE_MAX_CALLS', 'nobody=10'],
    ['VOICE_TIMEOUT_MS', '0'],
    ['VOICE_TIMEOUT_MS', '30s'],
    ['VOICE_TIMEOUT_MS', '600001'],
    ['VOICE_POLL', '0'],
    ['VOICE_POLL', '5s'],
    ['VOICE_CALL_DEADLINE_MS', '-5'],
    ['VOICE_CALL_DEADLINE_MS', '604800001'],
    ['DATABASE_URL', 'mysql://root:hidden@localhost/db'],
    ['DATABASE_URL', 'localhost:hidden'],
    ['REDIS_URL', 'http://user:hidden@localhost'],
    ['REDIS_URL', 'redis://localhost?cluster=true&node=user:hidden@localhost'],
    ['REDIS_URL', 'redis://localhost?cluster=true&node=localhost:port'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', 'http'],
    ['API_TOKEN', 'hidden token'],
    ['API_READ_TOKEN', 'hidden\u20ac'],
    ['API_RATE', '0'],
    ['TRUSTED_PROXIES', '10.0.0.5,proxy.example'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['PUBLIC_URL', 'calls.example'],
    ['PUBLIC_URL', 'https://calls.example/page'],
    ['PUBLIC_URL', 'ftp://calls.example'],
    ['CARILLON_HOOK_SECRET', 'hidden'],
    ['CARILLON_SECRET', 'hidden'],
    ['WEBHOOK_ALLOW_PRIVATE', 'maybe'],
    ['CARILLON_HOOK_SECRET', 'hidden/but/long/enough'],
    ['LOG_LEVEL', 'loud'],
    ['VOICE_PROXY', 'hidden'],
    ['VOICE_PROXY', 'hidden.example:3128'],
    ['VOICE_PROXY', 'socks5://ann:hidden@proxy.example:1080'],
    ['VOICE_PROXY', 'http://proxy.example:3128/hidden'],
    ['VOICE_PROXY', 'http://ann:hidden%@proxy.example:3128'],
  ])('of %s is one line that names it: %j', (variable, value) => {
    const message = refusal({ [variable]: value });
    expect(message.startsWith(`${variable} `)).toBe(true);
    expect(message).not.toContain('\n');
    expect(message).not.toContain('hidden');
  });

  it('is never a crash, whatever the variable holds', () => {
    assert(
      property(constantFrom(...variables()), string({ unit: 'binary', maxLength: 60 }), (variable, value) => {
        try {
          loadConfig({ [variable]: value });
        } catch (error) {
          expect(error).toBeInstanceOf(CarillonError);
          expect((error as CarillonError).message).toContain(variable);
        }
      }),
      { numRuns: runs(800) },
    );
  });
});

describe('.env', () => {
  const folders: string[] = [];
  const folderWith = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-env-'));
    folders.push(folder);
    writeFileSync(join(folder, '.env'), text);
    return folder;
  };
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  it('fills in what the environment does not set', () => {
    const folder = folderWith('PORT=4000\nHOST=0.0.0.0\n');
    expect(readEnvironment({ PORT: '5000' }, folder)).toEqual({ PORT: '5000', HOST: '0.0.0.0' });
  });

  it('may be missing', () => {
    expect(readEnvironment({ PORT: '5000' }, join(root, 'test', 'support'))).toEqual({ PORT: '5000' });
  });

  it('keeps secrets whole, quoted or not', () => {
    const folder = folderWith(`VOICE_API_KEYS='main=a#b$c==,spare=two'\n`);
    expect(loadConfig(readEnvironment({}, folder)).voice.keys).toEqual([
      { name: 'main', secret: 'a#b$c==' },
      { name: 'spare', secret: 'two' },
    ]);
  });

  it('that cannot be read is one clear line', () => {
    const folder = folderWith('');
    rmSync(join(folder, '.env'));
    mkdirSync(join(folder, '.env'));
    expect(() => readEnvironment({}, folder)).toThrow(/^\.env cannot be read/);
  });

  it('is read without a word on stdout or stderr', () => {
    const folder = folderWith('PORT=4000\n');
    const script = `
      import { loadConfig, readEnvironment } from ${JSON.stringify(join(root, 'src', 'base', 'config', 'config.ts'))};
      if (loadConfig(readEnvironment({}, ${JSON.stringify(folder)})).port !== 4000) process.exit(7);
    `;
    const file = join(folder, 'read.ts');
    writeFileSync(file, script);
    const run = spawnSync(process.execPath, ['--import', 'tsx', file], { cwd: root, encoding: 'utf8' });
    expect([run.status, run.stdout, run.stderr]).toEqual([0, '', '']);
  });
});

describe('the proxy', () => {
  const service = { VOICE_BASE_URL: 'https://voice.example/v1' };
  const routeOf = (env: Record<string, string>) => load({ ...service, ...env }).voice.route;

  it('is the one that VOICE_PROXY names, also for loopback and whatever the others say', () => {
    const others = { HTTPS_PROXY: 'http://other.example:1', NO_PROXY: '*' };
    for (const base of ['https://voice.example/v1', 'http://127.0.0.1:4010/v1']) {
      const route = routeOf({ VOICE_BASE_URL: base, VOICE_PROXY: 'http://proxy.example:3128/', ...others });
      expect(route).toEqual({
        proxy: { url: 'http://proxy.example:3128', authorization: null },
        why: 'VOICE_PROXY',
      });
    }
  });

  it('has its user name and password apart from its address', () => {
    expect(routeOf({ VOICE_PROXY: 'https://ann:p%40ss@proxy.example' }).proxy).toEqual({
      url: 'https://proxy.example',
      authorization: `Basic ${Buffer.from('ann:p@ss').toString('base64')}`,
    });
  });

  it('is that of the service’s scheme, and the spelling in lower case counts', () => {
    const both = { HTTPS_PROXY: 'http://s.example:1', HTTP_PROXY: 'http://p.example:2' };
    expect(routeOf(both)).toMatchObject({ proxy: { url: 'http://s.example:1' }, why: 'HTTPS_PROXY' });
    expect(routeOf({ ...both, VOICE_BASE_URL: 'http://voice.example/v1' })).toMatchObject({
      why: 'HTTP_PROXY',
    });
    const lower = { ...both, https_proxy: 'proxy.example:3' };
    expect(routeOf(lower)).toMatchObject({ proxy: { url: 'http://proxy.example:3' }, why: 'https_proxy' });
    expect(routeOf({ HTTP_PROXY: 'http://p.example:2' })).toEqual({ proxy: null, why: 'no proxy is set' });
  });

  it.each(['http://localhost:4010', 'http://127.0.0.1:4010/v1', 'http://[::1]:4010/v1'])(
    'of all programs is not used for %s, and need not be valid then',
    (base) => {
      expect(routeOf({ VOICE_BASE_URL: base, HTTP_PROXY: 'nonsense' })).toEqual({
        proxy: null,
        why: 'HTTP_PROXY is not used for loopback addresses',
      });
    },
  );

  it.each([
    ['*', 'https://voice.example/v1', true],
    ['other.example, voice.example', 'https://voice.example/v1', true],
    ['VOICE.example', 'https://voice.example/v1', true],
    ['example', 'https://voice.example/v1', true],
    ['.example', 'https://voice.example/v1', true],
    ['*.example', 'https://voice.example/v1', true],
    ['ice.example', 'https://voice.example/v1', false],
    ['voice.example.org', 'https://voice.example/v1', false],
    ['voice.example:443', 'https://voice.example/v1', true],
    ['voice.example:8443', 'https://voice.example/v1', false],
    ['voice.example:8443', 'https://voice.example:8443/v1', true],
    ['10.1.2.3', 'https://10.1.2.3/v1', true],
    ['10.1.2.3:80', 'https://10.1.2.3/v1', false],
    ['10.0.0.0/8', 'https://10.1.2.3/v1', true],
    ['11.0.0.0/8', 'https://10.1.2.3/v1', false],
    ['2.3', 'https://10.1.2.3/v1', false],
    ['2001:db8::1', 'https://[2001:db8::1]/v1', true],
    ['[2001:db8::1]:443', 'https://[2001:db8::1]/v1', true],
    ['2001:db8::/32', 'https://[2001:db8::1]/v1', true],
    [',, ,', 'https://voice.example/v1', false],
  ])('is left out by NO_PROXY=%s for %s: %s', (except, base, isLeftOut) => {
    const env = { VOICE_BASE_URL: base, HTTPS_PROXY: 'http://proxy.example:3128' };
    expect(routeOf({ ...env, NO_PROXY: except }).proxy === null).toBe(isLeftOut);
    expect(routeOf({ ...env, no_proxy: except, NO_PROXY: 'none' }).proxy === null).toBe(isLeftOut);
  });

  it('that is used and cannot be is refused in one line with the variable as it is spelled', () => {
    const https = { ...service, https_proxy: 'socks5://ann:hidden@proxy.example:1080' };
    expect(refusal(https)).toBe(
      'https_proxy is not the URL of an HTTP proxy, such as http://proxy.example:3128',
    );
    expect(refusal({ ...service, HTTPS_PROXY: 'hidden' })).toMatch(/^HTTPS_PROXY is not the URL/);
  });
});

describe('the settings that are shown', () => {
  const seen = (own: Record<string, string>, file: Record<string, string> = {}) =>
    new Map(loadConfig({ ...file, ...own }, own).settings.map((each) => [each.name, each]));

  it('says of each whether it is set, and where', () => {
    const settings = seen({ HOST: '127.0.0.2', PORT: ' ' }, { LOG_LEVEL: 'warn' });
    expect([...settings.keys()].sort()).toEqual(variables().sort());
    expect(settings.get('HOST')).toEqual({
      name: 'HOST',
      from: 'environment',
      value: '127.0.0.2',
      secret: false,
    });
    expect(settings.get('LOG_LEVEL')).toMatchObject({ from: '.env', value: 'warn' });
    expect(settings.get('PORT')).toMatchObject({ from: null, value: null });
  });

  it('never has a secret', () => {
    const settings = seen({
      VOICE_API_KEYS: 'main=hidden-1,spare=hidden-2',
      API_TOKEN: 'hidden-of-the-token-3',
      API_READ_TOKEN: 'hidden-of-the-reader-4',
      CARILLON_SECRET: 'hidden-of-the-seal-5',
      CARILLON_HOOK_SECRET: 'hidden-of-the-hook-6',
      DATABASE_URL: 'postgres://me:hidden7@db.example/carillon?password=hidden8',
      REDIS_URL: 'redis://:hidden9@redis.example:6379',
      VOICE_PROXY: 'http://hidden10:hidden11@proxy.example:3128',
      HTTPS_PROXY: 'hidden12:hidden13@proxy.example:3128',
    });
    expect(JSON.stringify([...settings.values()])).not.toContain('hidden');
    expect(settings.get('VOICE_API_KEYS')).toMatchObject({ value: 'main, spare', secret: true });
    expect(settings.get('API_TOKEN')).toMatchObject({ from: 'environment', value: null, secret: true });
    expect(settings.get('DATABASE_URL')!.value).toBe('postgres://me:***@db.example/carillon?password=***');
    expect(settings.get('VOICE_PROXY')!.value).toBe('http://***@proxy.example:3128');
  });
});

describe('the share of attempts that is told to OpenTelemetry', () => {
  it.each([
    [undefined, undefined, 1],
    ['parentbased_traceidratio', '0.25', 0.25],
    ['parentbased_traceidratio', undefined, 1],
    ['parentbased_always_off', undefined, 0],
    // These do not follow a parent, or are another program's.
    ['traceidratio', '0.25', 1],
    ['jaeger_remote', 'endpoint=http://a.example', 1],
  ])('of the sampler %s with %s is %s', (sampler, share, taken) => {
    const { traceShare } = loadConfig({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share });
    expect(traceShare).toBe(taken);
  });

  it.each(['2', '-1', 'half'])('is refused where it is none: %s', (share) => {
    const env = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: share };
    expect(() => loadConfig(env)).toThrow(`OTEL_TRACES_SAMPLER_ARG is not a share from 0 to 1: ${share}`);
  });
});

describe('every variable that is read', () => {
  it('is in .env.example, and nothing else is', () => {
    const text = readFileSync(join(root, '.env.example'), 'utf8');
    const named = [...text.matchAll(/^(?:# ?)?([A-Z][A-Z_]+)=/gm)].map((match) => match[1]);
    expect(named.sort()).toEqual(variables().sort());
  });

  it('has a row in docs/reference/configuration.md, with the default that .env.example shows', () => {
    const docs = readFileSync(join(root, 'docs', 'reference', 'configuration.md'), 'utf8');
    const rows = new Map(
      [...docs.matchAll(/^\| `([A-Z_]+)` +\| ([^|]*)\|/gm)].map((row) => [row[1]!, row[2]!.trim()]),
    );
    expect([...rows.keys()].sort()).toEqual(variables().sort());
    const example = readFileSync(join(root, '.env.example'), 'utf8');
    for (const [, variable, value] of example.matchAll(/^# ([A-Z][A-Z_]+)=(\S+)$/gm)) {
      expect(rows.get(variable!)).toBe(`\`${value}\``);
    }
  });

  it('has its default value in .env.example', () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-env-'));
    try {
      const text = readFileSync(join(root, '.env.example'), 'utf8');
      // The commented lines state the defaults too: setting them changes nothing.
      writeFileSync(join(folder, '.env'), text.replace(/^# ([A-Z][A-Z_]+=)/gm, '$1'));
      const { settings: _, ...read } = loadConfig(readEnvironment({}, folder));
      expect(load({})).toMatchObject(read);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** The names that are looked up when the settings are read. */
function variables(): string[] {
  const names = new Set<string>();
  const env = new Proxy({} as Record<string, string | undefined>, {
    get(_, name) {
      names.add(String(name));
      return undefined;
    },
  });
  loadConfig(env, env);
  // A proxy may also be named in small letters, as other programs do.
  return [...names].filter((name) => name === name.toUpperCase());
}

describe.skipIf(process.platform === 'win32')('a file that a setting names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-named-'));
  const at = (name: string) => join(folder, name);
  const put = (name: string, text = 'main=sk_1\n', mode = 0o600) => {
    writeFileSync(at(name), text, { mode });
    return at(name);
  };
  afterAll(() => rmSync(folder, { recursive: true }));
  const keys = (path: string) => refusal({ VOICE_API_KEYS_FILE: path });

  it('is taken through a link, as orchestrators mount secrets', () => {
    symlinkSync(put('target'), at('link'));
    expect(load({ VOICE_API_KEYS_FILE: at('link') }).voice.keys).toHaveLength(1);
  });

  it('is refused at once if it is a pipe, a folder, a device, too long, or of others', () => {
    spawnSync('mkfifo', ['-m', '600', at('pipe')]);
    for (const path of [at('pipe'), folder, '/dev/zero']) {
      expect(keys(path)).toContain(`${path} is a folder, a pipe or a device, not a file`);
      expect(() => readPolicyFile(path, true)).toThrow('a pipe or a device, not a file');
      expect(() => loadService(undefined, path)).toThrow('a pipe or a device, not a file');
    }
    expect(keys(put('long', 'x'.repeat(1_000_001)))).toContain('is longer than 1 MB');
    chmodSync(put('open'), 0o640);
    expect(keys(at('open'))).toContain('may be read by others (mode 0640)');
  });

  it.runIf(process.getuid?.() === 0)('is refused if it belongs to another account', () => {
    chownSync(put('theirs'), 65_534, 65_534);
    symlinkSync(at('theirs'), at('link-to-theirs'));
    for (const path of [at('theirs'), at('link-to-theirs')]) {
      expect(keys(path)).toMatch(/belongs to another account \(uid 65534\); `chown` it to 0 or root/);
      expect(() => readPolicyFile(path, true)).toThrow('another account');
      expect(() => loadService(undefined, path)).toThrow('another account');
    }
  });
});
