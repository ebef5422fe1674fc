import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { startSimulator } from '../../simulator/server.ts';
import { type ServiceName, serviceNames } from '../../simulator/settings.ts';
import { createCli } from '../../src/cli/command-io.ts';
import { runCommand } from '../../src/cli/commands/run/run.ts';
import { type Desk, type Ended, openDesk, type Printed, people, summaryOf } from '../support/carillon.ts';
import { agentOf, caller, profileOf } from '../support/dialects.ts';
import { expectSound, until, worstOverrun } from '../support/journeys.ts';
import { runs } from '../support/property.ts';
import { canUseRedis } from '../support/redis.ts';
import { serve } from '../voice/servers.ts';
import { it } from './desk.ts';

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
  it.for(['postgres', 'redis'] as const)(
    'beside a run takes its tokens from the same bucket, in %s, and no second holds more than the limit',
    async (engine, { openDesk }) => {
      if (engine === 'redis' && !canUseRedis('a dry run beside a run')) return;
      const desk = await openDesk(engine, { rate: null, speed: 1 });
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
      expect(entries.filter((entry) => entry.path.startsWith('/v1/phone-number'))).toHaveLength(dryRuns + 1);
      expect(worstOverrun(entries, rate)).toBeLessThan(2);
    },
  );

  it('foretells a simulated campaign at the speed that the simulator tells', async () => {
    const endsIn = async (speed: number) => {
      const desk = await openDesk('postgres', { speed });
      try {
        desk.write('people.csv', people(300));
        const ended = await desk.run([...args, '--max-calls', '10', '--dry-run'], {
          DATABASE_URL: undefined,
        });
        expect(ended.code, ended.stderr).toBe(0);
        const { forecast } = JSON.parse(ended.stdout) as { forecast: { ends_at: { p50: string } } };
        return Date.parse(forecast.ends_at.p50) - Date.now();
      } finally {
        await desk.close();
      }
    };
    // Ten calls at once, of about 40 seconds each: about a third of an hour.
    expect(await endsIn(1)).toBeGreaterThan(10 * 60_000);
    // 300 creates at one a second.
    expect(await endsIn(100)).toBeLessThan(8 * 60_000);
  });

  it('on a machine without a ledger makes none', async ({ openDesk }) => {
    const desk = await openDesk('postgres');
    desk.write('people.csv', people(3));
    const ended = await desk.run([...args, '--dry-run'], { DATABASE_URL: undefined });
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 3, waiting: 3, requests: 1 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ rejects: [], forecast: { calls: 3 } });
    expect(ended.stderr).toBe('');
    expect(existsSync(join(desk.folder, 'home'))).toBe(false);
  });
});

/** The parts of an order. What no list could tell is refused by the service alone. */
const agents = ['listed', 'nobody', '7b0d2f0e-57a3-4a86-9f6c-0c1d5b1f9e77'];
const unlisted = ['+14155559999', 'nope'];
const froms = [[], ['--from', caller], ['--from', unlisted[0]!], ['--number-id', unlisted[1]!]];
const needsSetting = (service: ServiceName) => service === 'synthflow' || service === 'dograh';
const takesAny = (service: ServiceName) => service === 'standard' || service === 'bland';

describe('an order', () => {
  it.for(serviceNames)(
    'at %s passes a dry run if and only if its run is not refused',
    async (service, { openDesk }) => {
      const desk = await openDesk('postgres', { service, speed: 6_000, unknownAgents: agents });
      const bare = { extends: service, ...(service === 'ultravox' && { settings: { provider: 'sip' } }) };
      let nth = 0;
      desk.write('whole.json', JSON.stringify(profileOf(service)));
      desk.write('bare.json', JSON.stringify(bare));
      desk.write('one.csv', people(1));
      const order = fc.tuple(
        takesAny(service) ? fc.constant('listed') : fc.constantFrom(...agents),
        fc.constantFrom(...froms),
        fc.constantFrom('whole.json', 'bare.json'),
      );
      await fc.assert(
        fc.asyncProperty(order, async ([agent, from, profile]) => {
          const isListed = service !== 'ultravox' && (profile === 'whole.json' || !needsSetting(service));
          fc.pre(isListed || !unlisted.includes(from[1]!));
          const named = agent === 'listed' ? agentOf(service) : agent;
          const line = ['run', 'one.csv', '--name', `order-${nth++}`, '--agent', named, ...from, '--yes'];
          const env = { VOICE_SERVICE: service, VOICE_PROFILE: join(desk.folder, profile), VOICE_RATE: '50' };
          const dry = await desk.type([...line, '--dry-run'], env);
          const creates = () =>
            [...desk.sim.journal({ method: 'POST' })].filter((entry) => entry.phone).length;
          const before = creates();
          const real = await desk.type(line, env);
          expect(dry.code, `${line.join(' ')}: ${dry.stderr}${real.stdout}${real.stderr}`).toBe(real.code);
          if (dry.code === 0) return;
          expect(creates()).toBe(before);
          expect(dry.stderr).toBe(real.stderr);
        }),
        {
          numRuns: runs(6),
          examples: [
            [['listed', [], 'whole.json']],
            [['listed', ['--from', caller], 'bare.json']],
            [[takesAny(service) ? 'listed' : 'nobody', ['--from', caller], 'whole.json']],
          ],
        },
      );
    },
  );
});

// An order of a time to come: the run imports its list, and calls nobody.
const later = ['--start-at', '2099-01-01T00:00:00Z'];
/** The balance that both tell; a dry run's requests, seconds, rejects and forecast are its own. Without what a run may still do between its first line and its end. */
function balanceOf(ended: Ended) {
  const told = summaryOf(ended) as Printed & { rejects?: unknown; forecast?: unknown };
  const { seconds: _, requests: __, polls: ___, rejects: ____, forecast: _____, ...balance } = told;
  return balance;
}

/** The balance that a dry run tells, and the one with which the same run then begins. */
async function dryAndReal(desk: Desk, more: string[] = []) {
  const line = [...args, ...more, ...later];
  // Whether a killed run is still taken for alive changes by itself, and with it why nobody is called.
  const listed = async () =>
    (await desk.type(['campaign', 'list', '--json'])).stdout.replaceAll(
      /"run_active":(?:true|false)|"standstill":(?:null|\{[^}]*\})/g,
      '',
    );
  const kept = await listed();
  const dry = await desk.run([...line, '--dry-run']);
  expect(dry.code, dry.stderr).toBe(0);
  expect(await listed()).toBe(kept);
  const run = desk.start(line);
  await run.prints(/to call|nothing is left/);
  run.child.kill('SIGINT');
  const real = await run.ended;
  return { told: balanceOf(dry), began: balanceOf(real) };
}

describe.concurrent('the summary of a dry run', () => {
  it('is what the run begins with: for a new list, and one that was called in part', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    await desk.type(['suppress', 'add', '+14155550001']);
    desk.write('people.csv', `${people(8)}12,bad,x\n+14155550002,twice,x\n`);
    const told = JSON.parse((await desk.run([...args, '--dry-run'])).stdout);
    expect(told.rejects).toEqual([
      { row: 10, reason: expect.stringContaining('"12"'), input: expect.objectContaining({ phone: '12' }) },
      { row: 11, reason: 'duplicate of line 4', input: expect.objectContaining({ name: 'twice' }) },
    ]);
    const shown = await desk.run(['run', 'people.csv', '--agent', 'agent_1', '--dry-run']);
    expect(shown.stdout).toMatch(/^10 rows: 0 done, 7 waiting, 1 skipped, 2 rejected$/m);
    expect(shown.stdout).toMatch(/^Skipped: 1 suppressed$/m);
    expect(shown.stdout).toMatch(/^Rejected: 1 duplicate, 1 that cannot be taken:$/m);
    const fresh = await dryAndReal(desk);
    expect(fresh.told).toEqual(fresh.began);
    expect(fresh.told).toMatchObject({ rows: 10, rejected: 2, skipped: 1, waiting: 7 });

    expect(balanceOf(await desk.run([...args, '--limit', '3']))).toMatchObject({ done: 3, waiting: 4 });
    const part = await dryAndReal(desk);
    expect(part.told).toEqual(part.began);
    expect(part.told).toMatchObject({ done: 3, waiting: 4, skipped: 1, rejected: 2, attempts: 3 });
  });

  it('is what the run begins with: for a list that changed', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    await desk.type(['suppress', 'add', '+14155550001']);
    desk.write('people.csv', people(8));
    expect(balanceOf(await desk.run([...args, '--limit', '3']))).toMatchObject({ done: 3, waiting: 4 });
    // One who was called is gone, and two who were not; two are new.
    const kept = people(10)
      .split('\n')
      .filter((_, at) => ![1, 6, 7].includes(at));
    desk.write('people.csv', kept.join('\n'));
    const changed = await dryAndReal(desk);
    expect(changed.told).toEqual(changed.began);
    expect(changed.told).toMatchObject({ rows: 10, rejected: 0, skipped: 3, done: 3, waiting: 4 });
    const words = await desk.run(['run', 'people.csv', '--agent', 'agent_1', '--dry-run']);
    expect(words.stdout).toMatch(
      /^Dry run\. people resumes: 4 to call, 3 already done; .*changed options apply/,
    );
    expect(words.stdout).toMatch(/^Skipped: 2 not in the file any more, 1 suppressed$/m);
  });

  it('is what the run begins with: for a list that is over, and one that starts over', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    await desk.type(['suppress', 'add', '+14155550001']);
    desk.write('people.csv', people(7));
    expect(balanceOf(await desk.run(args))).toMatchObject({ done: 6, waiting: 0, skipped: 1 });
    const over = await dryAndReal(desk);
    expect(over.told).toEqual(over.began);
    expect(over.told).toMatchObject({ done: 6, waiting: 0, skipped: 1 });
    const finished = await desk.run(['run', 'people.csv', '--agent', 'agent_1', '--dry-run']);
    expect(finished.stdout).toMatch(/^Dry run\. people: nothing is left to call\.$/m);
    expect(finished.stdout).not.toMatch(/Forecast/);

    const again = await dryAndReal(desk, ['--new']);
    expect(again.told).toEqual(again.began);
    expect(again.told).toMatchObject({ rows: 7, done: 0, skipped: 1, waiting: 6 });
    await expectSound(desk, 2);
  });

  it('counts people in a call as such, next to the run that called them and after its end', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 0.1, rate: 100, shares: { answered: 1 } });
    desk.write('people.csv', people(6));
    const run = desk.start([...args, '--max-calls', '2']);
    await until(() => desk.sim.state().created === 2, '2 calls');
    await until(async () => balanceOf(await desk.run([...args, '--dry-run'])).calling === 2, 'two in a call');
    const beside = await desk.run([...args, '--dry-run']);
    expect(beside.stderr).toMatch(/A run is dialling people now: another one is refused until it ends\./);
    run.child.kill('SIGKILL');
    await run.ended;
    const dead = await dryAndReal(desk);
    expect(dead.told).toEqual(dead.began);
    expect(dead.told).toMatchObject({ rows: 6, calling: 2, waiting: 4 });
  });

  it('is held where the first people were called, as the run is', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100, shares: { answered: 1 } });
    desk.write('people.csv', people(5));
    const call = ['run', 'people.csv', '--agent', 'agent_1', '--first', '2'];
    const ran = await desk.run(call);
    const dry = await desk.run([...call, '--dry-run']);
    const held =
      /^The first 2 people were called: answered 2\. 3 people wait\. Continue with `carillon campaign resume people`, .*$/m;
    expect(held.exec(dry.stdout)?.[0]).toBe(held.exec(ran.stdout)?.[0]);
    expect(dry.stdout).toMatch(held);
    expect(dry.stdout).toMatch(/^5 rows: 2 done, 3 waiting$/m);
  });

  it('is refused as the run is: a name of another service, one that was canceled, and a list without anyone to call', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    const other = await startSimulator({ speed: 600, rate: 100 });
    try {
      desk.write('people.csv', people(2));
      desk.write('none.csv', 'phone\n12\n');
      const call = ['run', 'people.csv', '--agent', 'agent_1'];
      await desk.run(call);
      const both = async (line: string[], env = {}) => {
        const dry = await desk.run([...line, '--dry-run'], env);
        const real = await desk.run(line, env);
        expect(dry.stderr).not.toBe('');
        expect([dry.code, dry.stderr]).toEqual([real.code, real.stderr]);
        return dry.stderr;
      };
      expect(await both(call, { VOICE_BASE_URL: other.url })).toMatch(/belongs to http/);
      expect(await both(['run', 'none.csv', '--agent', 'agent_1'])).toMatch(/no row that can be dialled/);
      await desk.type(['campaign', 'cancel', 'people', '--yes']);
      expect(await both(call)).toMatch(/was canceled/);
      expect((await desk.run([...call, '--new', '--dry-run'])).stdout).toMatch(
        /^2 rows: 0 done, 2 waiting$/m,
      );
    } finally {
      await other.close();
    }
  });

  it('and doctor say the same of a key that the service does not accept, or does not answer', async ({
    onTestFinished,
    openDesk,
  }) => {
    const desk = await openDesk('postgres');
    const statuses: Record<string, number> = { 'Bearer sk_first': 503, 'Bearer sk_second': 401 };
    const { baseUrl } = await serve(({ headers }) => {
      const status = statuses[headers.authorization ?? ''] ?? 200;
      return { status, json: [] };
    }, onTestFinished);
    const env = { VOICE_BASE_URL: baseUrl, VOICE_API_KEYS: 'first=sk_first,second=sk_second,third=sk_third' };
    desk.write('people.csv', people(2));
    const { checks } = JSON.parse((await desk.type(['doctor', '--json'], env)).stdout);
    const found = checks.filter(({ what }: { what: string }) => what.startsWith('key '));
    expect(
      found.map(({ state }: { state: string }) => state),
      JSON.stringify(found),
    ).toEqual(['fail', 'fail', 'ok']);
    const dry = await desk.run(['run', 'people.csv', '--agent', 'agent_1', '--dry-run'], env);
    for (const { what, detail, remedy } of found.slice(0, 2))
      expect(dry.stderr).toContain(`The ${what}: ${detail}. ${remedy}`);
    expect(dry.stdout).toMatch(/^Every check passed, except for the warnings above\./m);
  });
});
