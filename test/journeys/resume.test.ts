import { describe, expect } from 'vitest';
import { startSimulator } from '../../simulator/server.ts';
import type { SimulatorOptions } from '../../simulator/settings.ts';
import { type Desk, people, type Running, summaryOf } from '../support/carillon.ts';
import { ask, asked, creates, expectRefused, expectSound, until } from '../support/journeys.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { serve } from '../voice/servers.ts';
import { it } from './desk.ts';

/** A campaign that is resumed, paused, canceled or shared: nobody who was called is called again. */
const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
// Simulated time nearly stops and then runs fast, so learned poll times would be useless.
const env = { VOICE_RATE: '100', VOICE_POLL: '1' };

describe.concurrent('a run of the same name', () => {
  it('resumes with the file as it is now: new rows are added, removed ones skipped, called ones kept', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('people.csv', people(10));
    const first = await desk.run([...args, '--limit', '4'], env);
    expect(summaryOf(first)).toMatchObject({ rows: 10, done: 4, waiting: 6 });
    // Rows 0 to 3 were called. 2 to 5 are gone, 10 and 11 are new, 0 has another name, one is damaged.
    const lines = people(12).trim().split('\n');
    const kept = lines.filter((_, i) => i === 0 || ![3, 4, 5, 6].includes(i));
    desk.write('people.csv', `${kept.join('\n').replace('Person 0', 'Somebody else')}\n12,bad,x\n`);
    const second = await desk.run([...args, '--max-calls', '5'], env);
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).toMatch(/^people resumes: 6 to call, 4 already done; .*changed options apply/m);
    expect(summaryOf(second)).toMatchObject({ rows: 13, done: 10, skipped: 2, rejected: 1, attempts: 10 });
    const rows = desk.table('people.results.csv');
    expect(rows.filter((row) => row.state === 'skipped').map((row) => row.phone)).toEqual([
      '+14155550004',
      '+14155550005',
    ]);
    expect(
      rows.filter((row) => row.state === 'skipped').every((row) => /not in the file/.test(row.error!)),
    ).toBe(true);
    for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);

    // Another file name means another campaign, but --name finds this one.
    desk.write('other.csv', people(13));
    const third = await desk.run(
      ['run', 'other.csv', '--name', 'people', '--agent', 'agent_1', '--json'],
      env,
    );
    expect(third.code, third.stderr).toBe(0);
    // The two skipped rows come back; the rejects are those of this file.
    expect(summaryOf(third)).toMatchObject({
      campaign: 'people',
      rows: 13,
      done: 13,
      rejected: 0,
      skipped: 0,
    });
    expect(desk.sim.state().created).toBe(13);

    // With nothing left to call it exits 0 and writes the results again.
    desk.write('people.results.csv', 'lost');
    const last = await desk.run(['run', 'other.csv', '--name', 'people', '--agent', 'agent_1'], env);
    expect(last.code, last.stderr).toBe(0);
    expect(last.stdout).toMatch(/^people: nothing is left to call\./);
    expect(desk.table('people.results.csv')).toHaveLength(13);
    expect(desk.sim.state().created).toBe(13);
    await expectSound(desk);
  });

  it('starts over with --new, and the hint to resume never repeats --new', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('my people.csv', people(6));
    const own = ['run', 'my people.csv', '--agent', 'agent_1', '--json'];
    const first = await desk.run([...own, '--limit', '2'], env);
    expect(first.stderr).toMatch(
      /Continue with: carillon run 'my people\.csv' --agent agent_1 --json --limit 2$/m,
    );
    const second = await desk.run([...own, '--new', '--limit', '3'], env);
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).toMatch(
      /Continue with: carillon run 'my people\.csv' --agent agent_1 --json --limit 3$/m,
    );
    expect(summaryOf(second)).toMatchObject({ rows: 6, done: 3, waiting: 3, attempts: 3 });
    const third = await desk.run(own, env);
    expect(summaryOf(third)).toMatchObject({ rows: 6, done: 6, attempts: 6 });
    expect(desk.sim.state().created).toBe(8);
    await expectSound(desk, 2);
  });

  it('that has called people is refused on another VOICE_BASE_URL with the remedy, and nobody is called there', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    const real = await startSimulator({ speed: 600, rate: 100 });
    try {
      desk.write('people.csv', people(3));
      const trial = await desk.run(args, env);
      expect(trial.code, trial.stderr).toBe(0);
      const there = { ...env, VOICE_BASE_URL: real.url };
      expectRefused(
        await desk.run(args, there),
        /people belongs to http.*, and VOICE_BASE_URL is http.*--name.*--new/,
      );
      expect(real.state().created).toBe(0);
      const fresh = await desk.run([...args, '--new'], there);
      expect(fresh.code, fresh.stderr).toBe(0);
      expect(real.state().created).toBe(3);
      expect(desk.sim.state().created).toBe(3);
    } finally {
      await real.close();
    }
  });

  it('on another VOICE_BASE_URL continues there when it has called nobody, and its activity shows the move', async ({
    onTestFinished,
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    const wrong = await serve(
      ({ method }) => (method === 'POST' ? { status: 404 } : { json: [] }),
      onTestFinished,
    );
    desk.write('people.csv', people(3));
    const there = await desk.run(args, { ...env, VOICE_BASE_URL: wrong.baseUrl });
    expect(there.code, there.stderr).toBe(3);
    const dry = await desk.run([...args, '--dry-run'], env);
    expect(summaryOf(dry)).toMatchObject({ rows: 3, waiting: 3 });
    const here = await desk.run(args, env);
    expect(here.code, here.stderr).toBe(0);
    expect(summaryOf(here)).toMatchObject({ rows: 3, done: 3, attempts: 3 });
    const { items } = JSON.parse((await desk.type(['activity', '--json'])).stdout);
    expect(items).toContainEqual(
      expect.objectContaining({
        verb: 'campaign.change',
        before: { service: wrong.baseUrl },
        after: { service: desk.sim.url },
      }),
    );
    await expectSound(desk);
  });

  it('at the same time is refused with 2 and does not disturb the active one', async ({ openDesk }) => {
    const desk = await openDesk('postgres', slow);
    desk.write('people.csv', people(20));
    const first = await hold(desk);
    expectRefused(await desk.run(args, env), /Another run is dialling the campaign people/);
    expectRefused(await desk.run([...args, '--new'], env), /Another run is dialling/);
    desk.sim.control({ speed: 6_000 });
    const ended = await first.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 20, done: 20, attempts: 20 });
    await expectSound(desk);
  });
});

/** Calls that do not end until the test lets time run: the run is in the middle of its campaign. */
const slow: SimulatorOptions = { speed: 0.1, rate: 100, shares: { answered: 1 } };
async function hold(desk: Desk): Promise<Running> {
  const run = desk.start([...args, '--max-calls', '10'], env);
  await until(() => desk.sim.state().created === 10, '10 calls');
  return run;
}

describe.concurrent('a run that is changed from outside', () => {
  it('pauses, says so, and continues when it is resumed', async ({ openDesk }) => {
    const desk = await openDesk('postgres', slow);
    desk.write('people.csv', people(20));
    const run = await hold(desk);
    const paused = await desk.type(['campaign', 'pause', 'people', '--json']);
    expect(JSON.parse(paused.stdout), paused.stderr).toMatchObject({
      name: 'people',
      state: 'paused',
    });
    desk.sim.control({ speed: 6_000 });
    // Calls in progress end, and nobody new is called.
    await run.prints(/10\/20 .*paused: paused by hand/);
    expect(desk.sim.state().created).toBe(10);
    const resumed = await desk.type(['campaign', 'resume', 'people', '--json']);
    expect(JSON.parse(resumed.stdout), resumed.stderr).toMatchObject({
      state: 'running',
      driver: 'run',
      run_active: true,
    });
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 20, done: 20, attempts: 20 });
    await expectSound(desk);
  });

  it('and canceled calls nobody else, follows its calls, and cannot be restarted by mistake', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', slow);
    desk.write('people.csv', people(20));
    const run = await hold(desk);
    const canceled = await desk.type(['campaign', 'cancel', 'people', '--yes', '--json']);
    expect(canceled.code, canceled.stderr).toBe(0);
    desk.sim.control({ speed: 6_000 });
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toMatch(/The campaign was canceled\./);
    expect(summaryOf(ended)).toMatchObject({ rows: 20, done: 10, skipped: 10, attempts: 10 });
    expect(desk.sim.state().created).toBe(10);
    expectRefused(await desk.run(args, env), /people was canceled\. .*--new/);
    await expectSound(desk);
  });

  it('skips a suppressed person at once', async ({ openDesk }) => {
    const desk = await openDesk('postgres', slow);
    desk.write('people.csv', people(20));
    const run = await hold(desk);
    const last = '+14155550019';
    const added = await desk.type(['suppress', 'add', last, '--json']);
    expect(added.code, added.stderr).toBe(0);
    desk.sim.control({ speed: 6_000 });
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 20, done: 19, skipped: 1, attempts: 19 });
    expect(asked(desk).has(last)).toBe(false);
    expect(desk.table('people.results.csv').at(-1)).toMatchObject({ phone: last, state: 'skipped' });
    await expectSound(desk);
  });
});

const importing = `select 1 from pg_stat_activity where datname = current_database() and query ilike 'copy %'`;

describe.concurrent('nothing is dialled', () => {
  it('and nothing stored by --dry-run, which counts accepted rows as waiting', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 }, emptyDatabase);
    desk.write('people.csv', `${people(4)}bad,x,y\n`);
    const dry = await desk.run([...args, '--dry-run', '--from', '+14155550100'], env);
    expect(dry.code, dry.stderr).toBe(0);
    const planned = summaryOf(dry);
    expect(planned).toMatchObject({
      campaign: 'people',
      rows: 5,
      rejected: 1,
      waiting: 4,
      done: 0,
      attempts: 0,
    });
    // One request for the phone numbers and nothing else.
    expect([...desk.sim.journal()].map((entry) => entry.method)).toEqual(['GET']);
    expect(planned.requests).toBe(1);
    const tables = await ask<{ n: number }>(
      desk,
      `select count(*)::integer as n from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables[0]!.n).toBe(0);
    const real = await desk.run(args, env);
    const names =
      'campaign rows rejected skipped waiting queued calling done parked unknown outcomes attempts requests polls cost seconds';
    expect(Object.keys(summaryOf(real))).toEqual(names.split(' '));
    expect(Object.keys(planned)).toEqual([...names.split(' '), 'rejects', 'forecast']);
    // A dry run makes the same checks as a real one.
    expectRefused(
      await desk.run([...args, '--dry-run', '--from', '+14155559999'], env),
      /caller number \+14155559999/,
    );
    expectRefused(
      await desk.run([...args, '--dry-run', '--out', 'no/where.csv'], env),
      /no\/where\.csv cannot be written/,
    );
    expectRefused(
      await desk.run([...args, '--dry-run'], { ...env, VOICE_BASE_URL: undefined }),
      /VOICE_BASE_URL/,
    );
  });

  it('if Ctrl-C comes while the list is read, and the campaign is unchanged', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('people.csv', longList);
    const run = desk.start(args, env);
    await until(async () => (await ask(desk, importing)).length > 0, 'the import');
    run.child.kill('SIGINT');
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(130);
    expect(ended.stderr).toMatch(/^carillon: Interrupted while the file was read; nobody was called/m);
    // The import was undone.
    const nothing = { rows: 0, rejected: 0, waiting: 0, queued: 0, done: 0, attempts: 0 };
    expect(summaryOf(ended)).toMatchObject({ campaign: 'people', ...nothing });
    expect(creates(desk)).toEqual([]);
    const listed = JSON.parse((await desk.type(['campaign', 'list', '--json'])).stdout);
    expect(listed.items).toEqual([]);
  });

  it.for(['postgres', 'redis'] as const)(
    'after a kill makes --limit new calls, by its own order: what was queued is taken back, queue on %s',
    async (engine, { openDesk }) => {
      const desk = await openDesk(engine, { speed: 60, rate: 20, shares: { answered: 1 } });
      desk.write('people.csv', people(120));
      const killed = desk.start(['run', 'people.csv', '--agent', 'old'], { VOICE_RATE: '20' });
      await until(() => desk.sim.state().created >= 9, 'nine calls');
      killed.child.kill('SIGKILL');
      await killed.ended;
      const before = creates(desk).length;
      const line = ['run', 'people.csv', '--agent', 'new', '--limit', '5'];
      const queued = /(\d+) of them (?:was|were) queued by an earlier run, for the agent old/;
      const dry = await desk.type([...line, '--dry-run'], env);
      expect(dry.stdout).toMatch(/at most 5 new calls in this run/);
      const promised = dry.stdout.match(queued);
      expect(promised, dry.stdout).not.toBeNull();
      const again = await desk.run(line, env);
      // A create that was on its way at the kill may be unknown.
      expect([0, 3], again.stderr).toContain(again.code);
      expect(again.stdout.match(queued)?.[1]).toBe(promised![1]);
      expect(again.stdout).toMatch(/^Limit of 5 new calls reached: /m);
      expect(creates(desk).length - before).toBe(5);
      const called = `select agent, count(*)::integer as n from carillon.all_attempts where dialing_at is not null group by 1`;
      expect(await ask(desk, called)).toContainEqual({ agent: 'new', n: 5 });
      await expectSound(desk);
    },
  );

  it('if the run is killed while the list is read: all rows are stored or none', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('people.csv', longList);
    const run = desk.start(args, env);
    await until(async () => (await ask(desk, importing)).length > 0, 'the import');
    run.child.kill('SIGKILL');
    await run.ended;
    const [kept] = await ask<{ rows: number }>(
      desk,
      'select count(*)::integer as rows from carillon.recipients',
    );
    expect([0, 400_000]).toContain(kept!.rows);
    expect(creates(desk)).toEqual([]);
    desk.write('people.csv', people(20));
    const again = await desk.run(args, env);
    expect(again.code, again.stderr).toBe(0);
    expect(summaryOf(again)).toMatchObject({ done: 20, attempts: 20 });
    await expectSound(desk);
  });
});

/** Made-up numbers in many area codes: a list that takes a while to read. */
const longList = `phone,name\n${Array.from(
  { length: 400_000 },
  (_, i) => `+1${200 + (i % 700)}55${String(i).padStart(5, '0').slice(-5)},P${i}`,
).join('\n')}\n`;
