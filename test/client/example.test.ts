import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openDesk } from '../support/carillon.ts';
import { freePort } from '../support/ports.ts';

/** The example of the client, against the program and a simulated service. */
const example = fileURLToPath(new URL('../../examples/client/campaign.mjs', import.meta.url));

it('examples/client/campaign.mjs calls everyone once, tells how each call ended, and can be started again', async () => {
  const desk = await openDesk('postgres', { speed: 600 });
  try {
    const port = String(await freePort());
    const server = desk.start(['up'], { PORT: port });
    await server.prints(/Workers run|listens on/);
    const env = { PATH: process.env.PATH, CARILLON_URL: `http://127.0.0.1:${port}` };
    const run = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, [example, ...args], { env })).stdout.trim().split('\n');
    const first = await run('spring', 'agent-1');
    expect(first[0]).toBe('spring: 40 new, 0 known, 0 rejected');
    expect(first.filter((line) => /^\S+Z \+1415555\d{4} \w/.test(line)).length).toBe(40);
    const again = await run('spring', 'agent-1');
    expect(again[0]).toBe('spring: 0 new, 40 known, 0 rejected');
    expect(again.slice(1).join()).toBe(first.slice(41).join());
    expect([...desk.sim.calls()].length).toBe(40);
  } finally {
    await desk.close();
  }
});
