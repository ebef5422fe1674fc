import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createCli } from '../../src/cli/cli.ts';
import { runCommand } from '../../src/cli/commands/run.ts';
import { type Desk, openDesk, people, summaryOf } from '../support/carillon.ts';
import { until, worstOverrun } from '../support/journeys.ts';
import { canUseRedis } from '../support/redis.ts';

/** A dry run stores nothing, and its requests are the key's like any other. */
const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
const rate = 2;
const dryRuns = 6;

/** In this process, so that all of them ask at the same moment. */
async function dryRun(desk: Desk, env: Record<string, string | undefined>): Promise<number> {
  const sink = () => new PassThrough().resume();
  const io = { stdin: new PassThrough(), stdout: sink(), stderr: sink(), env, cwd: desk.folder };
  const cli = createCli(io);
  const file = join(desk.folder, 'people.csv');
  const out = join(desk.folder, 'dry.results.csv');
  const line = [file, '--agent', 'agent_1', '--dry-run', '--out', out];
  await runCommand(cli).parseAsync(line, { from: 'user' });
  return cli.exitCode();
}

describe.concurrent('a dry run', () => {
  it.each(['postgres', 'redis'] as const)(
    'beside a run takes its tokens from the same bucket, in %s, and no second holds more than the limit',
    async (engine) => {
      if (engine === 'redis' && !canUseRedis('a dry run beside a run')) return;
      const desk = await openDesk(engine, { rate: null, speed: 1 });
      try {
        desk.write('people.csv', people(500));
        const env = {
          VOICE_BASE_URL: desk.sim.url,
          VOICE_API_KEYS: 'main=sk_test_of_the_desk',
          VOICE_RATE: String(rate),
          DATABASE_URL: desk.databaseUrl,
          REDIS_URL: desk.redis?.url,
          CARILLON_HOME: join(desk.folder, 'home'),
        };
        const live = desk.start(args, env);
        await until(() => desk.sim.state().requests >= 4, 'a run at work');
        const codes = await Promise.all(Array.from({ length: dryRuns }, () => dryRun(desk, env)));
        expect(codes).toEqual(codes.map(() => 0));
        live.child.kill('SIGINT');
        expect((await live.ended).code).toBe(130);
        const entries = [...desk.sim.journal()];
        // The run's own check is the first.
        expect(entries.filter((entry) => entry.path.startsWith('/v1/phone-number'))).toHaveLength(
          dryRuns + 1,
        );
        expect(worstOverrun(entries, rate)).toBeLessThan(2);
      } finally {
        await desk.close();
      }
    },
  );

  it('on a machine without a ledger makes none', async () => {
    const desk = await openDesk('postgres');
    try {
      desk.write('people.csv', people(3));
      const ended = await desk.run([...args, '--dry-run'], { DATABASE_URL: undefined });
      expect(ended.code, ended.stderr).toBe(0);
      expect(summaryOf(ended)).toMatchObject({ rows: 3, waiting: 3, requests: 1 });
      expect(ended.stderr).toBe('');
      expect(existsSync(join(desk.folder, 'home'))).toBe(false);
    } finally {
      await desk.close();
    }
  });
});
