import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import { createCli } from '../../src/cli/command-io.ts';
import { checkOtherHome, refuseOtherHome } from '../../src/cli/sudo-home.ts';
import { stopEmbedded } from '../../src/embedded/embedded.ts';

const program = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));
let folder: string;
let simulator: Simulator;
const theirs = () => join(folder, '.carillon');
const ours = () => join(folder, 'root');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-sudo-'));
  // As root, the server runs as another user, who must be able to enter.
  chmodSync(folder, 0o711);
  simulator = await startSimulator({ rate: null, keys: ['good'], speed: 100 });
  writeFileSync(join(folder, 'spring.csv'), 'phone\n+14155550101\n');
});
afterAll(async () => {
  if (existsSync(theirs())) await stopEmbedded(theirs(), { force: true });
  await simulator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** By `sudo`, of a person whose home is the folder. */
function sudo(more: Record<string, string>) {
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, cwd: folder };
  return createCli({ ...io, env: { PATH: process.env.PATH!, HOME: ours(), ...more } });
}

/** The lines about homes that the one who typed `sudo carillon doctor` is told. */
function examine(more: Record<string, string> = {}): string[] {
  const told: string[] = [];
  checkOtherHome(sudo(more), (state, detail, remedy) => told.push(`${state}: ${detail} -> ${remedy}`), {
    folder,
  });
  return told;
}

/** The line that the one who typed `sudo carillon run` is told. */
function tell(campaign: string, more: Record<string, string> = {}): string {
  try {
    refuseOtherHome(sudo(more), campaign, { folder }, program);
    return '';
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
}

it('a run with sudo is refused where the home of the person who typed it has the campaign', async () => {
  expect(tell('spring')).toBe('');
  expect(examine()).toEqual([]);
  const run = spawn(process.execPath, [program, 'run', 'spring.csv', '--agent', 'a', '--yes'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      CARILLON_HOME: theirs(),
      VOICE_BASE_URL: simulator.url,
      VOICE_API_KEYS: 'main=good',
    },
    stdio: 'ignore',
  });
  expect(await once(run, 'exit')).toEqual([0, null]);

  expect(tell('spring')).toContain('home-other: ');
  expect(tell('spring')).toContain(`the ledger in ${theirs()} already has the campaign spring`);
  expect(tell('summer')).toBe('');
  expect(examine()).toEqual([
    expect.stringMatching(
      `^warn: with sudo it is .+, and the ledger in ${theirs()} is another one -> Run it without sudo, `,
    ),
  ]);
  // A home or a ledger that is named is meant.
  expect(examine({ CARILLON_HOME: ours() })).toEqual([]);
  expect(tell('spring', { CARILLON_HOME: ours() })).toBe('');
  expect(tell('spring', { DATABASE_URL: 'postgres://somewhere/carillon' })).toBe('');
  // A ledger that cannot be read may have it.
  writeFileSync(join(theirs(), 'ledger', 'PG_VERSION'), 'unreadable\n');
  expect(tell('summer')).toContain('may have the campaign summer, and it cannot be read now');
});
