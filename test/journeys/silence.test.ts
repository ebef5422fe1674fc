import { describe, expect, it } from 'vitest';
import { openDesk, people, summaryOf } from '../support/carillon.ts';
import { asked, creates, expectSound, until } from '../support/journeys.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { canUseRedis } from '../support/redis.ts';

const engines = canUseRedis('a ledger that goes silent, with the queue in Redis')
  ? (['postgres', 'redis'] as const)
  : (['postgres'] as const);

/** Existing connections to the ledger go silent: nothing comes through, nothing ends, and new ones work. */
describe.concurrent('a ledger that goes silent', () => {
  it.each(engines)(
    'does not stop a run: it dials over new connections, and nobody is unknown or called twice (%s)',
    async (engine) => {
      const desk = await openDesk(engine, { speed: 600, rate: 50 });
      const wire = await startDatabaseProxy(desk.databaseUrl);
      try {
        desk.write('people.csv', people(200));
        const run = desk.start(['run', 'people.csv', '--agent', 'agent_1', '--json'], {
          DATABASE_URL: wire.url,
          VOICE_RATE: '40',
          LOG_LEVEL: 'warn',
        });
        await until(() => creates(desk).length >= 40, '40 calls');
        wire.hush();
        const ended = await run.ended;
        expect(ended.code, ended.stderr).toBe(0);
        expect(summaryOf(ended)).toMatchObject({ rows: 200, done: 200, unknown: 0, waiting: 0 });
        for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
        expect(ended.stderr).toMatch(/fell silent/);
        await expectSound(desk);
      } finally {
        await desk.close();
        await wire.close();
      }
    },
  );

  it('makes a server not ready for a while, and it becomes ready again by itself', async () => {
    const desk = await openDesk('postgres', { speed: 600 });
    const wire = await startDatabaseProxy(desk.databaseUrl);
    try {
      const up = desk.start(['up'], { DATABASE_URL: wire.url, PORT: '0' });
      let address = '';
      up.child.stdout!.on('data', (chunk) => {
        address ||= /listens on (\S+)/.exec(String(chunk))?.[1] ?? '';
      });
      await until(() => address !== '', 'the address');
      const ready = async () => (await fetch(`${address}/readyz`)).status;
      await until(async () => (await ready()) === 200, 'a server that is ready');
      wire.hush();
      await until(async () => (await ready()) === 503, 'a server that is not ready');
      await until(async () => (await ready()) === 200, 'a server that is ready again');
      up.child.kill('SIGINT');
      expect((await up.ended).code).toBe(0);
    } finally {
      await desk.close();
      await wire.close();
    }
  });
});
