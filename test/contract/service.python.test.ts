import { afterEach, describe, expect, test } from 'vitest';
import { type Independent, openIndependent } from '../../bench/support/independent.ts';
import { createVoiceClient } from '../../src/voice/client.ts';
import { canUsePython } from '../support/python.ts';
import { serviceContract } from './service.ts';

/** The benchmark's own service: it must speak the interface, and its limits must be what they are called. */
const never = new AbortController().signal;
const start = async (...args: string[]) => {
  const service = await openIndependent(args, never);
  return { ...service, close: service.stop };
};

if (canUsePython('the contract of the independent service')) {
  serviceContract('the independent service', ({ keys, perMinute, speed }) => {
    const rate = perMinute === null ? 'none' : String(perMinute / 60);
    const limit = ['--limiter', 'sliding', '--window', '60', '--rate', rate];
    return start('--keys', keys.join(','), '--speed', String(speed), ...limit);
  });

  describe('the independent service', () => {
    const opened: { close(): Promise<unknown> }[] = [];
    afterEach(async () => {
      for (const part of opened.splice(0).reverse()) await part.close();
    });
    const open = async (...args: string[]) => {
      const service = await start('--keys', 'k1,k2', ...args);
      opened.push(service);
      return service;
    };
    const ask = (service: Independent, key = 'k1') => {
      const client = createVoiceClient({ baseUrl: service.url, key });
      opened.push(client);
      return client;
    };
    const person = { agentId: 'agent-1', phone: '+14155550123' };
    /** How many of these are let through, sent one after another. */
    const letThrough = async (times: number, send: () => Promise<{ ok: boolean }>) => {
      let passed = 0;
      for (let i = 0; i < times; i++) passed += (await send()).ok ? 1 : 0;
      return passed;
    };

    test.each([
      ['bucket', ['--burst', '3']],
      ['fixed', ['--window', '600']],
      ['sliding', ['--window', '600']],
      ['leaky', ['--burst', '3']],
    ])('a limit of the kind %s lets no more through than it says', async (kind, more) => {
      // Three in ten minutes: the test is over long before the next one fits.
      const service = await open('--limiter', kind, '--rate', '0.005', '--latency', '0', ...more);
      const client = createVoiceClient({ baseUrl: service.url, key: 'k1', timeoutMs: 1_000 });
      opened.push(client);
      await Promise.all(Array.from({ length: 6 }, () => client.numbers()));
      const { requests } = await service.journal();
      expect(requests.filter(({ status }) => status === 429)).toHaveLength(3);
    });

    test('a limit changes at its time, counted from the first create', async () => {
      const slow = ['--limiter', 'sliding', '--window', '600', '--rate', '0.005'];
      const service = await open(...slow, '--then', '0.5:10');
      const client = ask(service);
      await client.create(person);
      expect(await letThrough(5, () => client.numbers())).toBe(2);
      await expect.poll(async () => (await client.numbers()).ok).toBe(true);
      const { rates, requests } = await service.journal();
      expect(rates.map(({ rate }) => rate)).toEqual([0.005, 10]);
      const refused = requests.filter(({ status }) => status === 429);
      expect(Math.max(...refused.map(({ at }) => at))).toBeLessThan(rates[1]!.from);
    });

    test('a limit of the account counts the requests of all its keys', async () => {
      const service = await open('--account', '--limiter', 'sliding', '--window', '600', '--rate', '0.005');
      const [one, two] = [ask(service), ask(service, 'k2')];
      expect(await letThrough(2, () => one.numbers())).toBe(2);
      expect(await letThrough(5, () => two.numbers())).toBe(1);
    });

    test('too many calls at once refuse creates only', async () => {
      const service = await open('--calls', '2');
      const client = ask(service);
      expect(await letThrough(5, () => client.create(person))).toBe(2);
      expect(await letThrough(5, () => client.numbers())).toBe(5);
    });

    test('creates and reads can have limits of their own', async () => {
      const window = ['--limiter', 'sliding', '--window', '600'];
      const service = await open(...window, '--creates', '0.005', '--reads', '0.01');
      const client = ask(service);
      expect(await letThrough(9, () => client.create(person))).toBe(3);
      expect(await letThrough(9, () => client.numbers())).toBe(6);
    });

    test('other clients take their part of the limit', async () => {
      const window = ['--limiter', 'sliding', '--window', '600', '--rate', '0.005'];
      const service = await open(...window, '--strangers', '1000');
      const client = ask(service);
      await client.numbers();
      await expect.poll(async () => (await client.numbers()).ok).toBe(false);
      const { strangers, requests } = await service.journal();
      const passed = requests.filter(({ status }) => status === 200).length;
      expect(strangers.length + passed).toBe(3);
    });

    test.each(['seconds', 'date'])('a refusal can say in %s when to come back', async (how) => {
      const service = await open(
        '--limiter',
        'fixed',
        '--window',
        '600',
        '--rate',
        '0.005',
        '--retry-after',
        how,
      );
      const client = ask(service);
      await letThrough(3, () => client.numbers());
      const refused = await client.numbers();
      if (refused.ok || refused.fault.kind !== 'busy') throw new Error('it was let through');
      expect(refused.fault.retryAfterMs).toBeGreaterThan(0);
      expect(refused.fault.retryAfterMs).toBeLessThanOrEqual(601_000);
    });
  });
} else {
  describe.skip('the independent service', () => {
    test('needs python3 on the PATH', () => {});
  });
}
