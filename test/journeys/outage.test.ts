import { describe, expect } from 'vitest';
import { people, summaryOf } from '../support/carillon.ts';
import { asked, creates, expectSound, until } from '../support/journeys.ts';
import { canUseRedis } from '../support/redis.ts';
import { it } from './desk.ts';

const engines = canUseRedis('a service that fails, on Redis')
  ? (['postgres', 'redis'] as const)
  : (['postgres'] as const);

/** The service fails in the middle of a run: a few people become unknown, all others wait until it recovers. */
describe.concurrent('a run whose service fails', () => {
  const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];

  it.for(engines)(
    'stops creating, says why, probes, and calls everybody else when the outage is over (%s)',
    async (engine, { openDesk }) => {
      const desk = await openDesk(engine, { speed: 600, rate: 50 });
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
      // Five, the few in flight with them, and a probe or two: less than a second's worth.
      expect(summary.unknown).toBeLessThan(25);
      expect(summary).toMatchObject({ rows: 150, done: 150 - summary.unknown, attempts: 150, waiting: 0 });
      for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
      const [first, second] = probes();
      expect((second!.mono - first!.mono) / 1_000).toBeGreaterThan(9);
      await expectSound(desk);
    },
  );

  it('stops before the first timeout if the service no longer answers at all', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 20 });
    desk.write('people.csv', people(200));
    const run = desk.start(args, { VOICE_RATE: '20', VOICE_TIMEOUT_MS: '8000' });
    await until(() => desk.sim.state().created >= 20, '20 calls');
    desk.sim.control({ addFaults: [{ kind: 'hang', when: 'before' }] });
    await run.prints(/main: service failing, .*no answer within 8000 ms/);
    desk.sim.control({ faults: [] });
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(3);
    const summary = summaryOf(ended);
    // A few seconds' worth on a busy machine, against eight seconds' worth without the early stop.
    expect(summary.unknown).toBeLessThan(100);
    expect(summary).toMatchObject({ done: 200 - summary.unknown, attempts: 200 });
    await expectSound(desk);
  });
});
