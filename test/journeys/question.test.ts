import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import { createCli, type Io } from '../../src/cli/cli.ts';
import { runCommand } from '../../src/cli/commands/run.ts';
import { people } from '../support/carillon.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

/** The question at a terminal before anybody is called. */
let folder: string;
let database: TestDatabase;
let sim: Simulator;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-question-'));
  database = await freshDatabase();
  sim = await startSimulator({ speed: 6_000, rate: 100, shares: { busy: 1 } });
});
afterAll(async () => {
  await sim.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function type(name: string, more: string[], answer: string | null) {
  const file = join(folder, `${name}.csv`);
  writeFileSync(file, people(2));
  const stdin: PassThrough & { isTTY?: boolean } = new PassThrough();
  stdin.isTTY = true;
  if (answer !== null) stdin.write(`${answer}\n`);
  const keep = () => {
    const chunks: string[] = [];
    const stream: Writable & { isTTY?: boolean; columns?: number } = new Writable({
      write(chunk, _, done) {
        chunks.push(String(chunk));
        done();
      },
    });
    stream.isTTY = true;
    stream.columns = 100;
    return { stream, text: () => chunks.join('') };
  };
  const [out, err] = [keep(), keep()];
  const env = {
    DATABASE_URL: database.url,
    VOICE_BASE_URL: sim.url,
    VOICE_API_KEYS: 'sk_1',
    VOICE_RATE: '100',
    CARILLON_HOME: join(folder, 'home'),
  };
  const io: Io = { stdin, stdout: out.stream, stderr: err.stream, env, cwd: folder };
  const cli = createCli(io);
  const results = join(folder, `${name}.results.csv`);
  await runCommand(cli).parseAsync([file, '--agent', 'agent_1', '--out', results, ...more], { from: 'user' });
  return { code: cli.exitCode(), out: out.text(), err: err.text() };
}

describe('a terminal', () => {
  it('asks how many, from whom and when; any answer except yes calls nobody and exits with 130', async () => {
    const order = ['--from', '+14155550100', '--window', '00:00-24:00'];
    const no = await type('asked', order, '');
    expect(no.code, no.err).toBe(130);
    expect(no.err).toContain(
      'Call 2 people, from +14155550100; every hour and day; one attempt, no retry? [y/N] ',
    );
    expect(no.out).toMatch(/Nothing was dialled/);
    expect(sim.state().created).toBe(0);
    const yes = await type('asked', order, 'y');
    expect(yes.code, yes.err).toBe(0);
    expect(sim.state().created).toBe(2);
    // With nobody left there is no question.
    const again = await type('asked', order, null);
    expect(again.code).toBe(0);
    expect(again.err).not.toContain('[y/N]');
  });

  it('asks nothing with --yes, and shows a bar that is redrawn in place', async () => {
    const before = sim.state().created;
    const run = await type('sure', ['--yes'], null);
    expect(run.code, run.err).toBe(0);
    expect(run.err).not.toContain('[y/N]');
    expect(sim.state().created).toBe(before + 2);
    expect(run.out).toContain('\x1b[4A');
    expect(run.out).toMatch(/█+.* 100%.*2\/2/);
    // The number of calls at a redraw varies; the line must show it.
    expect(run.out).toMatch(/requests\/s of 100\/s .*calling \d/);
    expect(run.out).toMatch(/outcomes: busy 2/);
  });
});
