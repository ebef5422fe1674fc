import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import { createCli, endWith, type Io } from '../../src/cli/command-io.ts';
import { runCommand } from '../../src/cli/commands/run/run.ts';
import { people, summaryOf } from '../support/carillon.ts';
import { until } from '../support/journeys.ts';
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

/** Types a run. The answer is what a person's keys send; `interrupt` is Ctrl-C from outside, while it waits. */
async function type(name: string, more: string[], answer: string | null, interrupt = false) {
  const file = name === '-' ? '-' : join(folder, `${name}.csv`);
  if (file !== '-') writeFileSync(file, people(2));
  const stdin: PassThrough & { isTTY?: boolean } = new PassThrough();
  stdin.isTTY = true;
  if (answer !== null) stdin.write(answer);
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
  const before = process.listeners('SIGINT');
  const run = runCommand(cli).parseAsync([file, '--agent', 'agent_1', '--out', results, ...more], {
    from: 'user',
  });
  if (interrupt) {
    const added = () => process.listeners('SIGINT').filter((each) => !before.includes(each));
    await until(() => added().length > 0 && (file === '-' || err.text().includes('[y/N]')), 'the wait');
    for (const listener of added()) listener('SIGINT');
  }
  const code = await run.then(
    () => cli.exitCode(),
    (error: unknown) => endWith(error, io),
  );
  return { code, out: out.text(), err: err.text() };
}

describe('a terminal', () => {
  it('asks how many, from whom and when; any answer except yes calls nobody and exits with 130', async () => {
    const order = ['--from', '+14155550100', '--window', '00:00-24:00'];
    const no = await type('asked', order, '\n');
    expect(no.code, no.err).toBe(130);
    expect(no.err).toContain(
      'Call 2 people, from +14155550100; every hour and day; one attempt, no retry? [y/N] ',
    );
    expect(no.out).toMatch(/Nothing was dialled/);
    expect(sim.state().created).toBe(0);
    const few = await type('asked', [...order, '--limit', '1'], '\n');
    expect(few.err).toContain('Call 1 of 2 people, from +14155550100;');
    // The terminal has 80 columns, and no word is broken.
    expect(few.err.replace(/\s+/g, ' ')).toContain(
      'one attempt, no retry; at most 1 new call in this run? [y/N] ',
    );
    const yes = await type('asked', order, 'y\n');
    expect(yes.code, yes.err).toBe(0);
    expect(sim.state().created).toBe(2);
    // With nobody left no question is asked.
    const again = await type('asked', order, null);
    expect(again.code).toBe(0);
    expect(again.err).not.toContain('[y/N]');
  });

  it.each([
    ['no', 'n\n', false],
    ['the end of its input', '\x04', false],
    ['Ctrl-C', '\x03', false],
    ['a signal from outside', null, true],
  ])('that answers with %s gets the summary as its one line of --json', async (_, answer, interrupt) => {
    const before = sim.state().created;
    const name = `declined-${answer?.charCodeAt(0) ?? 'signal'}`;
    const no = await type(name, ['--json'], answer, interrupt);
    expect(no.code, no.err).toBe(130);
    expect(summaryOf({ code: no.code, stdout: no.out, stderr: no.err })).toMatchObject({
      campaign: name,
      rows: 2,
      waiting: 2,
      attempts: 0,
    });
    expect(sim.state().created).toBe(before);
  });

  it.each([
    ['a run', []],
    ['a dry run', ['--dry-run']],
  ])('that interrupts %s before its input ends gets the summary, too', async (_, more) => {
    const ended = await type('-', ['--json', ...more], 'phone\n+14155550100\n', true);
    expect(ended.code, ended.err).toBe(130);
    expect(summaryOf({ code: ended.code, stdout: ended.out, stderr: ended.err })).toMatchObject({
      campaign: 'stdin',
      rows: 0,
    });
    expect(ended.err).toMatch(/Interrupted before the file was read; nobody was called/);
  });

  it('is not asked with --yes, and sees a bar that is drawn over itself', async () => {
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
