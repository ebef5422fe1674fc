import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { typeLine } from './terminal.ts';

/** The long-lived processes judge their settings first. */
const service = { VOICE_BASE_URL: 'http://127.0.0.1:1/v1', VOICE_API_KEYS: 'sk_test' };

/** Started without a home, and whether it made one. */
async function start(args: string[], env: Record<string, string>) {
  const home = join(tmpdir(), `carillon-none-${randomUUID()}`);
  const { code, out, err } = await typeLine(
    args,
    { PORT: '0', CARILLON_HOME: home, ...service, ...env },
    tmpdir(),
  );
  return { code, out, err, made: existsSync(home) };
}

const long = 'a-token-of-some-length';
const guessed = 'API_TOKEN has fewer than 16 characters, and other machines reach the API';

describe.concurrent('before a home or a Postgres is made, one line refuses', () => {
  it.each([
    [['up'], { HOST: '0.0.0.0' }, 'HOST 0.0.0.0 is not loopback, and API_TOKEN is not set'],
    [['api'], { HOST: '0.0.0.0', API_TOKEN: 'short' }, guessed],
    [['api'], { PUBLIC_URL: 'https://calls.example', API_TOKEN: 'short' }, guessed],
    [['up'], { TRUSTED_PROXIES: '10.0.0.0/8', API_TOKEN: 'short' }, guessed],
    [['up'], { API_READ_TOKEN: long }, 'API_READ_TOKEN is set and API_TOKEN is not'],
    [['up'], { CORS_ORIGINS: 'https://calls.example' }, 'CORS_ORIGINS is set, and API_TOKEN is not'],
    [['up'], { PORT: '70000' }, 'PORT is not a port number from 0 to 65535: 70000'],
    [['up'], { HOST: '192.0.2.1', API_TOKEN: long }, 'Carillon cannot listen on HOST 192.0.2.1'],
    [['worker', '--metrics-port', '0'], { HOST: '::' }, 'HOST :: is not loopback, and API_TOKEN is not set'],
    [['up'], { CARILLON_POLICY: '/none.json' }, '/none.json'],
    [['up'], { VOICE_BASE_URL: '' }, 'VOICE_BASE_URL is not set'],
    [['api'], { VOICE_PROFILE: '/none.json' }, 'VOICE_PROFILE /none.json: the file does not exist'],
  ])('%j with %j', async (args, env, line) => {
    const ended = await start(args, env as Record<string, string>);
    expect(ended).toMatchObject({ code: 2, out: '', made: false });
    expect(ended.err).toMatch(/^carillon: [^\n]+\n$/);
    expect(ended.err).toContain(line);
  });

  it('a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      expect(await start(['up'], { PORT: `${port}` })).toEqual({
        code: 2,
        out: '',
        err: `carillon: PORT ${port} is in use on 127.0.0.1. Give another port, or stop the program that listens there.\n`,
        made: false,
      });
    } finally {
      server.close();
    }
  });
});
