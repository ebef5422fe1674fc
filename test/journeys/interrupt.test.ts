import { describe, expect } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { bucketName } from '../../src/queues/job.ts';
import { type Desk, openDesk, people, summaryOf } from '../support/carillon.ts';
import { expectSound, until } from '../support/journeys.ts';
import { it } from './desk.ts';

/** Ctrl-C before anybody is called: whatever is waited for, it ends at once, with 130 and the summary. */
const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
const nobody = { done: 0, calling: 0, queued: 0, attempts: 0 };

/** The key rests for an hour, as a 429 can ask for. */
async function rest(desk: Desk): Promise<void> {
  await (await openLedger(desk.databaseUrl, desk.sim.url)).close();
  const engine = await createEngine({ databaseUrl: desk.databaseUrl, log: createLog('silent') });
  await engine.bucket.rest(bucketName(desk.sim.url, 'main'), 3_600_000);
  await engine.close();
}

describe.concurrent('Ctrl-C is heard', () => {
  it.each([
    ['a run', args],
    ['a dry run', [...args, '--dry-run']],
  ])('by %s while its key rests', async (_, line) => {
    const desk = await openDesk('postgres');
    try {
      desk.write('people.csv', people(3));
      await rest(desk);
      const run = desk.start(line);
      await run.prints(/Waiting \d+\.\d s for the key main/);
      run.child.kill('SIGINT');
      const ended = await run.ended;
      expect(ended.code, ended.stderr).toBe(130);
      expect(summaryOf(ended)).toMatchObject({ campaign: 'people', ...nobody });
      expect(ended.stderr).toMatch(/^carillon: Interrupted before anybody was called\. .+$/m);
      expect(desk.sim.state().requests).toBe(0);
    } finally {
      await desk.close();
    }
  });

  it.each([
    ['a run', args],
    ['a dry run', [...args, '--dry-run']],
  ])('by %s while the service does not answer', async (_, line) => {
    const desk = await openDesk('postgres');
    try {
      desk.write('people.csv', people(3));
      desk.sim.control({ addFaults: [{ kind: 'hang', on: 'list' }] });
      const run = desk.start(line, { VOICE_TIMEOUT_MS: '600000' });
      await until(() => desk.sim.state().requests > 0, 'the question');
      run.child.kill('SIGINT');
      const ended = await run.ended;
      expect(ended.code, ended.stderr).toBe(130);
      expect(summaryOf(ended)).toMatchObject(nobody);
    } finally {
      await desk.close();
    }
  });

  it('twice: it ends at once, and says who is on the phone and how to resume', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 1, shares: { answered: 1 } });
    desk.write('people.csv', people(20));
    const run = desk.start(['run', 'people.csv', '--agent', 'agent_1', '--max-calls', '3']);
    await run.prints(/calling 3/);
    // Both are there before it has ended by the first; two of the same name might arrive as one.
    run.child.kill('SIGINT');
    run.child.kill('SIGTERM');
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/3 people are still on the line\. Their calls continue at the service/);
    expect(stderr).toMatch(
      /Interrupted; nothing was lost\. Resume with: carillon run people\.csv --agent agent_1 --max-calls 3$/m,
    );
    // The process is gone: nobody says any more that a run dials.
    const shown = await desk.type(['campaign', 'show', 'people', '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ driver: 'run', run_active: false });
    const listed = await desk.type(['campaign', 'list']);
    expect(listed.stdout).toMatch(/people .*nobody/);
  });

  it('by a run that is started again: its summary is the campaign as it stands', async ({ openDesk }) => {
    const desk = await openDesk('postgres');
    desk.write('people.csv', people(5));
    const first = await desk.run([...args, '--limit', '2']);
    expect(summaryOf(first)).toMatchObject({ done: 2, waiting: 3 });
    await rest(desk);
    const again = desk.start(args);
    await again.prints(/Waiting .* for the key main/);
    again.child.kill('SIGINT');
    const ended = await again.ended;
    expect(ended.code, ended.stderr).toBe(130);
    expect(summaryOf(ended)).toMatchObject({ rows: 5, done: 2, waiting: 3, attempts: 2 });
    await expectSound(desk);
  });
});
