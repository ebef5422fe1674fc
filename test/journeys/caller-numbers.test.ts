import { describe, expect } from 'vitest';
import { people, summaryOf } from '../support/carillon.ts';
import { ask, expectRefused, expectSound, until } from '../support/journeys.ts';
import { canUseRedis } from '../support/redis.ts';
import { it } from './desk.ts';

/** A campaign from a pool of caller numbers, over HTTP. */
const engines = canUseRedis('a pool of caller numbers on Redis')
  ? (['postgres', 'redis'] as const)
  : (['postgres'] as const);
const numbers = [
  { id: 'pn-1', phone_number: '+14155550101', label: 'Sales' },
  { id: 'pn-2', phone_number: '+12125550102', label: 'Sales' },
  { id: 'pn-3', phone_number: '+12135550103', label: 'Support' },
];

describe.concurrent('a pool of caller numbers', () => {
  it.for(engines)(
    'is never called from beyond its limits, and everyone is called, with its queue in %s',
    async (engine, { openDesk }) => {
      // No call ends before both numbers are full.
      const desk = await openDesk(engine, { speed: 0.1, rate: 100, numbers });
      desk.write('people.csv', people(14));
      const args = ['run', 'people.csv', '--agent', 'agent_1', '--json', '--yes'];
      const pool = ['--from', 'label:sales', '--per-number-calls', '2'];
      const run = desk.start([...args, ...pool], { VOICE_RATE: '100', VOICE_POLL: '1' });
      await until(() => desk.created().size === 4, 'two calls from each number');
      await until(async () => {
        const shown = await desk.type(['campaign', 'show', 'people', '--json']);
        return JSON.parse(shown.stdout).waits?.number?.n === 10;
      }, 'ten people who wait for a number');
      expect(desk.created().size).toBe(4);
      desk.sim.control({ speed: 600 });
      const ended = await run.ended;
      expect(ended.code, ended.stderr).toBe(0);
      expect(summaryOf(ended)).toMatchObject({ rows: 14, done: 14, attempts: 14 });
      const calls = await ask<{ caller: { number: string }; at: Date; until: Date }>(
        desk,
        'select caller, dialing_at as at, ended_at as until from carillon.ended_attempts',
      );
      const used = new Set(calls.map(({ caller }) => caller.number));
      expect([...used].sort()).toEqual(['+12125550102', '+14155550101']);
      for (const number of used) {
        const own = calls.filter(({ caller }) => caller.number === number);
        for (const { at } of own) {
          const live = own.filter((other) => other.at <= at && other.until > at);
          expect(live.length, `calls at once from ${number}`).toBeLessThanOrEqual(2);
        }
      }
      const shown = JSON.parse((await desk.type(['numbers', '--json'])).stdout);
      const [sales, more, support] = shown.items.map((each: { calls_24h: number }) => each.calls_24h);
      expect([sales + more, support]).toEqual([14, 0]);
      await expectSound(desk);
    },
  );

  it('is refused before anybody is called where it has no number, or the limits have no pool', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, numbers });
    desk.write('people.csv', people(2));
    const args = ['run', 'people.csv', '--agent', 'agent_1', '--json', '--yes'];
    expectRefused(
      await desk.type([...args, '--from', 'label:billing']),
      /label:billing cannot be used.*no such number/,
    );
    expectRefused(
      await desk.type([...args, '--per-number-day', '9']),
      /the service chooses the number.*--from/,
    );
    expectRefused(await desk.type([...args, '--caller', 'local']), /chosen by local.*--from/);
    expect(desk.created().size).toBe(0);
  });

  it('is rested and returned by hand, and a person is called from what is left', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100, numbers });
    desk.write('people.csv', people(6));
    const rested = await desk.type(['numbers', 'rest', '+14155550101', '--json']);
    expect(JSON.parse(rested.stdout)).toEqual({ phone_number: '+14155550101', was: null, rest: 'hand' });
    const args = ['run', 'people.csv', '--agent', 'agent_1', '--json', '--yes', '--from', 'label:sales'];
    const ended = await desk.type(args, { VOICE_RATE: '100' });
    expect(ended.code, ended.stderr).toBe(0);
    const used = await ask<{ number: string }>(
      desk,
      `select distinct caller ->> 'number' as number from carillon.ended_attempts`,
    );
    expect(used).toEqual([{ number: '+12125550102' }]);
    const back = await desk.type(['numbers', 'return', 'pn-1', '--json']);
    expect(JSON.parse(back.stdout)).toEqual({ phone_number: '+14155550101', was: 'hand', rest: null });
    const told = JSON.parse((await desk.type(['activity', '--json'])).stdout).items;
    expect(told.map((each: { verb: string }) => each.verb)).toEqual(
      expect.arrayContaining(['number.rest', 'number.return']),
    );
  });
});
