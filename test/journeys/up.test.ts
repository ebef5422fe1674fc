import { describe, expect } from 'vitest';
import { type Desk, people, type Running, summaryOf } from '../support/carillon.ts';
import { ask, asked, expectSound, until, worstOverrun } from '../support/journeys.ts';
import { canUseRedis } from '../support/redis.ts';
import { it } from './desk.ts';

/** The long-lived processes: campaigns over HTTP, stops in the middle, servers that go away. */
async function listen(desk: Desk, args: string[], env: Record<string, string>) {
  const running = desk.start(args, { PORT: '0', ...env });
  let text = '';
  running.child.stdout!.on('data', (chunk) => {
    text += chunk;
  });
  await running.prints(/Carillon listens on http:\/\/127\.0\.0\.1:\d+/);
  const url = /Carillon listens on (http:\S+)/.exec(text)![1]!;
  return { running, api: createApi(url) };
}

type Shown = { state: string; balance: Record<string, number> };
function createApi(url: string) {
  const call = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const response = await fetch(url + path, {
      method,
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': type },
      }),
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    call,
    async show(name: string): Promise<Shown> {
      const answer = await call('GET', `/api/campaigns/${name}`);
      expect(answer.status, answer.text).toBe(200);
      return JSON.parse(answer.text);
    },
    /** Creates the campaign, adds the list as CSV, and starts it. */
    async begin(name: string, csv: string): Promise<void> {
      const made = await call('POST', '/api/campaigns', { name, agent: 'agent_1' });
      expect(made.status, made.text).toBe(201);
      const added = await call('POST', `/api/campaigns/${name}/recipients`, csv, 'text/csv');
      expect(added.status, added.text).toBeLessThan(300);
      const started = await call('POST', `/api/campaigns/${name}/start`, {});
      expect(started.status, started.text).toBeLessThan(300);
    },
  };
}

function stop({ child, ended }: Running) {
  child.kill('SIGTERM');
  return ended;
}

describe.concurrent('carillon up', () => {
  it('takes a campaign over HTTP to its results, stops cleanly in the middle, and continues when restarted', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 25 });
    const env = { VOICE_RATE: '25' };
    const first = await listen(desk, ['up'], env);
    expect((await first.api.call('GET', '/healthz')).status).toBe(200);
    expect((await first.api.call('GET', '/readyz')).status).toBe(200);
    await first.api.begin('march', people(100));
    await until(() => desk.sim.state().created >= 30, '30 calls');
    const stopped = await stop(first.running);
    expect(stopped.code, stopped.stderr).toBe(0);
    expect(stopped.stderr).toMatch(/Stopping: no new calls/);
    const before = desk.sim.state().created;
    expect(before).toBeLessThan(100);

    const second = await listen(desk, ['up'], env);
    await until(async () => (await second.api.show('march')).state === 'done', 'the end');
    expect((await second.api.show('march')).balance).toMatchObject({
      rows: 100,
      done: 100,
      unknown: 0,
      attempts: 100,
    });
    const results = await second.api.call('GET', '/api/campaigns/march/results.csv');
    expect(results.text.trim().split('\n').length).toBeGreaterThan(100);
    expect(desk.sim.state().created).toBe(100);
    await stop(second.running);
    await expectSound(desk);
  });

  it('takes over a campaign that a run began only when it is resumed', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 25 });
    desk.write('people.csv', people(60));
    const run = desk.start(['run', 'people.csv', '--agent', 'agent_1', '--json'], { VOICE_RATE: '10' });
    await until(() => desk.sim.state().created >= 10, '10 calls');
    run.child.kill('SIGINT');
    const interrupted = await run.ended;
    expect(interrupted.code, interrupted.stderr).toBe(130);
    const before = desk.sim.state().created;
    const up = await listen(desk, ['up'], { VOICE_RATE: '25' });
    // While another list is called to its end, the interrupted one stays as it is.
    await up.api.begin('other', people(20, 60));
    await until(async () => (await up.api.show('other')).state === 'done', 'the end of the other list');
    expect(desk.sim.state().created).toBe(before + 20);
    const resumed = await desk.run(['campaign', 'resume', 'people', '--json']);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ driver: 'background' });
    await until(async () => (await up.api.show('people')).state === 'done', 'the end');
    await stop(up.running);
    expect(desk.sim.state().created).toBe(80);
    await expectSound(desk);
  });

  it('continues when all its Postgres sessions are ended', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 25 });
    const env = { VOICE_RATE: '25' };
    const up = await listen(desk, ['up'], env);
    await up.api.begin('march', people(80));
    await until(() => desk.sim.state().created >= 30, '30 calls');
    await ask(
      desk,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await until(async () => {
      const answer = await up.api.call('GET', '/api/campaigns/march');
      // A request at that very moment may fail: then the answer says so, and names what to check.
      if (answer.status === 503) {
        expect(JSON.parse(answer.text)).toMatchObject({ code: 'ledger-unreachable' });
        return false;
      }
      expect(answer.status, answer.text).toBe(200);
      const { balance } = JSON.parse(answer.text) as Shown;
      return balance.done! + balance.unknown! === 80;
    }, 'the end');
    const { balance } = await up.api.show('march');
    // Only creates between request and answer at that moment may be unknown: less than a second's worth.
    expect(balance.unknown).toBeLessThan(25);
    for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
    const stopped = await stop(up.running);
    expect(stopped.code, stopped.stderr).toBe(0);
    await expectSound(desk);
  });

  it('a run continues when all its Postgres sessions are ended', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 25 });
    desk.write('people.csv', people(80));
    const run = desk.start(['run', 'people.csv', '--agent', 'agent_1', '--json'], { VOICE_RATE: '25' });
    await until(() => desk.sim.state().created >= 30, '30 calls');
    await ask(
      desk,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const ended = await run.ended;
    const summary = summaryOf(ended);
    expect(ended.code, ended.stderr).toBe(summary.unknown > 0 ? 3 : 0);
    expect(summary.unknown).toBeLessThan(25);
    expect(summary.done + summary.unknown).toBe(80);
    for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
    await expectSound(desk);
  });
});

describe.skipIf(!canUseRedis('the processes on Redis')).concurrent('processes that share a Redis', () => {
  it('share one budget for the key, and call nobody twice', async ({ openDesk }) => {
    const desk = await openDesk('redis', { speed: 600, rate: 40 });
    const env = { VOICE_RATE: '40' };
    const [{ running, api }, one, two] = await Promise.all([
      listen(desk, ['api'], env),
      Promise.resolve(desk.start(['worker'], env)),
      Promise.resolve(desk.start(['worker'], env)),
    ]);
    await Promise.all([one.prints(/Workers run/), two.prints(/Workers run/)]);
    await api.begin('march', people(150));
    const dialers = new Set<string>();
    await until(async () => {
      const live = await ask<{ dialer: string }>(
        desk,
        'select dialer from carillon.attempts where dialer is not null',
      );
      for (const each of live) dialers.add(each.dialer);
      const { state, balance } = await api.show('march');
      return state === 'done' || balance.unknown! > 0;
    }, 'the end');
    expect((await api.show('march')).balance).toMatchObject({ rows: 150, done: 150, attempts: 150 });
    expect(desk.sim.state().answers['429']).toBeUndefined();
    expect(worstOverrun([...desk.sim.journal()], 40)).toBeLessThanOrEqual(40 * 0.25);
    expect(desk.sim.state().created).toBe(150);
    expect(dialers.size).toBe(2);
    for (const each of [running, one, two]) {
      const stopped = await stop(each);
      expect(stopped.code, stopped.stderr).toBe(0);
    }
    await expectSound(desk);
  });

  it('continue when that Redis dies in the middle and comes back empty', async ({ openDesk }) => {
    const desk = await openDesk('redis', { speed: 600, rate: 25 });
    desk.write('people.csv', people(80));
    const run = desk.start(['run', 'people.csv', '--agent', 'agent_1', '--json'], {
      VOICE_RATE: '25',
      LOG_LEVEL: 'warn',
    });
    await until(() => desk.sim.state().created >= 30, '30 calls');
    await desk.redis!.kill();
    await run.prints(/has errors/);
    await desk.redis!.restart();
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 80, done: 80, unknown: 0, attempts: 80 });
    await expectSound(desk);
  });
});
