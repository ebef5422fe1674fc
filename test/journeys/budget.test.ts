import { describe, expect } from 'vitest';
import { people, summaryOf } from '../support/carillon.ts';
import { creates, expectRefused, expectSound } from '../support/journeys.ts';
import { it } from './desk.ts';

/** Budgets: money ends before the list does, and nobody is called for more than was allowed. */
const talks = { speed: 600, rate: 100, shares: { answered: 1 } };
const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
const env = { VOICE_RATE: '100' };

describe.concurrent.each(['postgres', 'redis'] as const)('a run with --max-cost, queue on %s', (engine) => {
  it('makes the calls that fit, says so with 3, and goes on when the budget is raised', async ({
    openDesk,
  }) => {
    const desk = await openDesk(engine, talks);
    desk.write('people.csv', people(120));
    const first = await desk.type([...args, '--max-cost', '10'], env);
    expect(first.code, first.stderr).toBe(3);
    const spent = summaryOf(first);
    expect(spent).toMatchObject({ rows: 120, queued: 0, calling: 0, unknown: 0, parked: 0 });
    const costs = desk.table('people.results.csv').map((row) => Number(row.cost));
    const dearest = Math.max(...costs);
    // Nobody waits for whom there was money.
    expect(spent.cost).toBeLessThanOrEqual(10);
    expect(spent.cost).toBeGreaterThan(10 - dearest);
    expect(first.stderr).toMatch(
      /The budget lets no further call pass: [\d.]+ of 10 spent; [\d.]+ would be reserved for another call\. \d+ people wait\. Continue with a higher --max-cost: carillon run/,
    );
    const waiting = JSON.parse((await desk.type(['campaign', 'show', 'people', '--json'], env)).stdout);
    expect(waiting.budget).toMatchObject({ kind: 'campaign', max: 10, reserved: 0, calls: 0, open: false });
    expect(waiting.budget.spent).toBeCloseTo(spent.cost!);

    const dry = await desk.type(
      ['run', 'people.csv', '--agent', 'agent_1', '--max-cost', '12', '--dry-run'],
      env,
    );
    expect(dry.stdout).toMatch(/Forecast: .*the budget of 12 is enough for about \d+ of \d+ calls/);

    const before = creates(desk).length;
    const again = await desk.type([...args, '--max-cost', '10'], env);
    expect(again.code, again.stderr).toBe(3);
    expect(creates(desk).length).toBe(before);

    const raised = await desk.type([...args, '--max-cost', '300'], env);
    expect(raised.code, raised.stderr).toBe(0);
    expect(summaryOf(raised)).toMatchObject({ done: 120, waiting: 0, attempts: 120 });
    await expectSound(desk);
  });

  it('counts costs that the service tells after the calls', async ({ openDesk }) => {
    const faults = [{ kind: 'late-record' as const, ms: 4_000 * talks.speed }];
    const desk = await openDesk(engine, { ...talks, faults });
    desk.write('people.csv', people(12));
    const ended = await desk.type([...args, '--max-cost', '0.4'], env);
    expect(ended.code, ended.stderr).toBe(3);
    const costs = desk.table('people.results.csv').map((row) => Number(row.cost));
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(0.4 + Math.max(...costs));
    await expectSound(desk);
  });
});

describe.concurrent('VOICE_MAX_COST', () => {
  it('holds a run until the day ends, and says until when', async ({ openDesk }) => {
    const desk = await openDesk('postgres', talks);
    desk.write('people.csv', people(40));
    const run = desk.start(['run', 'people.csv', '--agent', 'agent_1'], {
      ...env,
      VOICE_MAX_COST: 'day:1',
    });
    await run.prints(/wait for the budget, the next at/);
    const shown = JSON.parse((await desk.type(['campaign', 'show', 'people', '--json'], env)).stdout);
    const { reason, until } = { reason: 'budget', until: shown.waits.budget.until };
    expect(reason).toBe('budget');
    const now = new Date();
    const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
    expect([midnight, midnight - 86_400_000]).toContain(Date.parse(until));
    expect(shown.balance.cost).toBeLessThanOrEqual(2);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    await expectSound(desk);
  });

  it('and --max-cost are refused where the service tells no cost', async ({ openDesk }) => {
    const desk = await openDesk('postgres', talks);
    desk.write('people.csv', people(3));
    desk.write('profile.json', JSON.stringify({ extends: 'standard', get: { fields: { cost: null } } }));
    const blind = { ...env, VOICE_PROFILE: `${desk.folder}/profile.json` };
    const plain = ['run', 'people.csv', '--agent', 'a', '--max-cost', '5'];
    expectRefused(await desk.type(plain, blind), /The service tells no cost of a call/);
    expectRefused(await desk.type([...plain, '--dry-run'], blind), /The service tells no cost of a call/);
    expectRefused(
      await desk.type(plain.slice(0, 4), { ...blind, VOICE_MAX_COST: 'day:5' }),
      /VOICE_MAX_COST cannot be kept: the service tells no cost of a call/,
    );
  });
});
