import { describe, expect } from 'vitest';
import { mostCallbacks } from '../../src/rules/callback.ts';
import { people, summaryOf } from '../support/carillon.ts';
import { expectSound } from '../support/journeys.ts';
import { canUseRedis } from '../support/redis.ts';
import { it } from './desk.ts';

/** People who ask on each call to be called back: the record of one call orders the next. */
const engines = canUseRedis('callbacks on Redis')
  ? (['postgres', 'redis'] as const)
  : (['postgres'] as const);

describe.each(engines)('on the %s engine', (engine) => {
  it('they are called back at that time from the same number, three times and no more', async ({
    openDesk,
  }) => {
    const desk = await openDesk(engine, {
      speed: 600,
      shares: { answered: 1 },
      callbacks: { share: 1, afterMs: 1_500 },
    });
    desk.write('people.csv', people(4));
    const order = ['--callback-at', 'structured_data.callback_at'];
    const from = ['--from', '+14155550100', '--from', '+14155550101', '--from', '+12125550102'];
    const files = ['--attempts', '--json'];
    const ended = await desk.run(['run', 'people.csv', '--agent', 'agent_1', ...from, ...order, ...files]);
    expect(ended.code, ended.stderr).toBe(0);
    const calls = 1 + mostCallbacks;
    expect(summaryOf(ended)).toMatchObject({ rows: 4, done: 4, unknown: 0, attempts: 4 * calls });
    await expectSound(desk, calls);
    const attempts = desk.table('people.results.attempts.csv');
    for (const { phone } of desk.table('people.results.csv')) {
      const own = attempts.filter((attempt) => attempt.phone === phone);
      expect(own.map(({ number }) => number)).toEqual(['1', '2', '3', '4']);
      expect(new Set(own.map((attempt) => attempt.from)).size).toBe(1);
      const times = own.map(({ dialed_at, structured_data }) => ({
        dialed: Date.parse(dialed_at!),
        wanted: Date.parse(JSON.parse(structured_data!).callback_at),
      }));
      for (const [nth, { dialed }] of times.slice(1).entries())
        expect(dialed).toBeGreaterThanOrEqual(times[nth]!.wanted);
    }
  });
});
