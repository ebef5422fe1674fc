import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { carillon, startChild } from './child.ts';
import { useTerminal } from './terminal.ts';

describe('sim', () => {
  it('prints its address, serves by its options, and ends with Ctrl-C', async () => {
    const options = '--key s3cret --latency 1-5 --credits 3 --fault other-phone@get --late-record 5m';
    const sim = startChild(['sim', '--port', '0', ...options.split(' '), '--json']);
    const { url, port } = JSON.parse(await sim.line());
    expect(url).toBe(`http://127.0.0.1:${port}/v1`);
    const ask = (key: string) => fetch(`${url}/phone-number`, { headers: { 'x-api-key': key } });
    expect((await ask('s3cret')).status).toBe(200);
    expect((await ask('other')).status).toBe(401);
    const state = (await (await fetch(url.replace('/v1', '/_sim/state'))).json()) as { faults: unknown };
    expect(state.faults).toMatchObject([
      { kind: 'other-phone', on: 'get' },
      { kind: 'late-record', ms: 300_000 },
    ]);
    expect((await sim.stop()).code).toBe(0);
    await expect(ask('s3cret')).rejects.toThrow();
  });

  it('says which settings use it, its service among them', async () => {
    const sim = startChild(['sim', '--service', 'vapi', '--port', '0']);
    const [service, address] = [await sim.line(), await sim.line()];
    expect([service, address]).toEqual([
      'VOICE_SERVICE=vapi',
      expect.stringMatching(/^VOICE_BASE_URL=http:/),
    ]);
    expect((await sim.stop()).code).toBe(0);
  });

  it('that npx started ends with it, even if that is killed', async () => {
    const script = `require('child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })`;
    const npx = spawn(process.execPath, ['-e', script, carillon, 'sim', '--port', '0', '--json'], {
      env: { PATH: process.env.PATH, npm_command: 'exec' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // The pipe ends when the last process that writes to it does.
    const ended = once(npx.stdout, 'close');
    const [first] = await once(npx.stdout, 'data');
    const { url } = JSON.parse(String(first));
    expect((await fetch(url.replace('/v1', '/_sim/state'))).status).toBe(200);
    npx.kill('SIGKILL');
    npx.stdout.resume();
    await ended;
    await expect(fetch(url)).rejects.toThrow();
  });

  it('prints the two lines that lead Carillon to it', async () => {
    const sim = startChild(['sim', '--port', '0', '--rate', 'none']);
    expect(await sim.line()).toMatch(/^VOICE_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(await sim.line()).toMatch(/^VOICE_API_KEYS=\S+$/);
    expect((await sim.stop()).code).toBe(0);
  });
});

describe('sim, mistyped', () => {
  const term = useTerminal('file');

  it.each([
    ['sim --port 0 --rate fast', '--rate is not a number: fast'],
    ['sim --port 0 --rate -1', 'rate is not a number of requests a second above 0'],
    ['sim --port 0 --limiter odd', 'It must be token, fixed or sliding'],
    ['sim --port 70000', 'port is not a number from 0 to 65535'],
    ['sim --port 0 --latency soon', '--latency is not a number'],
    ['sim --port 0 --late-record soon', '--late-record is not a time'],
    ['sim --port 0 --callbacks 10%', '--callbacks is not a share and a time'],
    ['sim --port 0 --callbacks 200%/2m', 'callbacks.share is wrong'],
    ['sim --port 0 --fault nonsense', 'faults[0].kind is wrong'],
  ])('%s is one clear line', async (line, words) => {
    const typed = await term.type(line);
    expect(typed).toMatchObject({ code: 2, out: '' });
    expect(typed.err).toContain(words);
  });

  it('says that a port is in use', async () => {
    const typed = await term.type(`sim --port ${term.simulator.port}`);
    expect(typed).toMatchObject({ code: 2, out: '' });
    expect(typed.err).toContain('is in use');
  });
});
