import { describe, expect, it } from 'vitest';
import { openDesk, people, summaryOf } from '../support/carillon.ts';
import { asked, creates, expectSound, until } from '../support/journeys.ts';
import { canUseRedis } from '../support/redis.ts';

const engines = canUseRedis('a service that falls ill, on Redis')
  ? (['postgres', 'redis'] as const)
  : (['postgres'] as const);

/** The service falls ill in the middle of a run: a handful of people are in doubt, all others wait until it is well. */
describe.concurrent('a run whose service falls ill', () => {
  const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];

  it.each(engines)(
    'stops creating, says why nothing moves, probes, and calls everybody else when it is over (%s)',
    async (engine) => {
      const desk = await openDesk(engine, { speed: 600, rate: 50 });
      try {
        desk.write('people.csv', people(150));
        const run = desk.start(args, { VOICE_RATE: '25' });
        await until(() => desk.sim.state().created >= 30, '30 calls');
        desk.sim.control({ addFaults: [{ kind: 'error', status: 503, when: 'before' }] });
        await run.prints(/main: service failing, .*503.*; next probe/);
        const closed = creates(desk).at(-1)!.mono;
        const probes = () => creates(desk).filter((entry) => entry.mono > closed + 3_000);
        await until(() => probes().length > 0, 'a probe');
        const keys = JSON.parse((await desk.run(['keys', '--json'])).stdout).items;
        expect(keys).toMatchObject([
          { name: 'main', state: 'failing', reason: expect.stringContaining('503') },
        ]);
        desk.sim.control({ faults: [] });
        const ended = await run.ended;
        const summary = summaryOf(ended);
        expect(ended.code, ended.stderr).toBe(3);
        // Five, the few that were under way with them, and a probe or two: less than a second's worth.
        expect(summary.unknown).toBeLessThan(25);
        expect(summary).toMatchObject({ rows: 150, done: 150 - summary.unknown, attempts: 150, waiting: 0 });
        for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
        const [first, second] = probes();
        expect((second!.mono - first!.mono) / 1_000).toBeGreaterThan(9);
        await expectSound(desk);
      } finally {
        await desk.close();
      }
    },
  );

  it('or answers no more at all: found out before the first timeout', async () => {
    const desk = await openDesk('postgres', { speed: 600, rate: 20 });
    try {
      desk.write('people.csv', people(200));
      const run = desk.start(args, { VOICE_RATE: '20', VOICE_TIMEOUT_MS: '8000' });
      await until(() => desk.sim.state().created >= 20, '20 calls');
      desk.sim.control({ addFaults: [{ kind: 'hang', when: 'before' }] });
      await run.prints(/main: service failing, .*no answer within 8000 ms/);
      desk.sim.control({ faults: [] });
      const ended = await run.ended;
      expect(ended.code, ended.stderr).toBe(3);
      const summary = summaryOf(ended);
      // Some seconds' worth on a busy machine, where eight seconds' worth would have been lost.
      expect(summary.unknown).toBeLessThan(100);
      expect(summary).toMatchObject({ done: 200 - summary.unknown, attempts: 200 });
      await expectSound(desk);
    } finally {
      await desk.close();
    }
  });
});
