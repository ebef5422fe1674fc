import { describe, expect, it } from 'vitest';
import { createFailures, createTokenLimit } from '../../../src/api/access/limits.ts';
import { createLog } from '../../../src/base/log.ts';

const clockAt = () => {
  const clock = {
    ms: 0,
    slept: [] as number[],
    now: () => clock.ms,
    monotonic: () => clock.ms,
    sleep: async (ms: number) => {
      clock.slept.push(ms);
    },
  };
  return clock;
};

describe('the limit of a token', () => {
  it('lets a second’s worth pass at once, then no more than its rate', () => {
    const clock = clockAt();
    const limit = createTokenLimit(10, clock);
    const passed = () => {
      let count = 0;
      while (limit('a').earlyMs === 0) count++;
      return count;
    };
    expect(passed()).toBe(10);
    expect(limit('a').earlyMs).toBeCloseTo(100);
    clock.ms += 250;
    expect(passed()).toBe(2);
    clock.ms += 60_000;
    expect(passed()).toBe(10);
  });

  it('tells what is left of a second’s worth', () => {
    const clock = clockAt();
    const limit = createTokenLimit(4, clock);
    const lefts = () => Array.from({ length: 5 }, () => limit('a').left);
    expect(lefts()).toEqual([3, 2, 1, 0, 0]);
    clock.ms += 500;
    expect(lefts()).toEqual([1, 0, 0, 0, 0]);
  });

  it('is each token’s own', () => {
    const limit = createTokenLimit(1, clockAt());
    expect([limit('a').earlyMs, limit('b').earlyMs]).toEqual([0, 0]);
    expect(limit('a').earlyMs).toBeCloseTo(1_000);
  });
});

describe('wrong tokens', () => {
  it('are answered later and later, by address, and each doubling is logged', async () => {
    const clock = clockAt();
    const lines: string[] = [];
    const log = createLog('warn', { write: (line: string) => lines.push(line) });
    const failed = createFailures({ clock, log });
    for (let n = 0; n < 10; n++) await failed('10.0.0.1');
    await failed('10.0.0.2');
    expect(clock.slept).toEqual([20, 40, 80, 160, 320, 640, 1280, 2560, 5000, 5000, 20]);
    const told = lines.map((line) => JSON.parse(line)).map(({ address, times }) => [address, times]);
    expect(told).toEqual([
      ['10.0.0.1', 1],
      ['10.0.0.1', 2],
      ['10.0.0.1', 4],
      ['10.0.0.1', 8],
      ['10.0.0.2', 1],
    ]);
    // One network counts, however many of its addresses are used; an IPv4 address has two spellings.
    for (const address of ['2001:db8::1', '2001:db8:0:0:9::2', '2001:db8::', '::ffff:10.0.0.2'])
      await failed(address);
    expect(clock.slept.slice(-4)).toEqual([20, 40, 80, 40]);
    clock.ms += 600_000;
    await failed('10.0.0.1');
    expect(clock.slept.at(-1)).toBe(20);
  });
});
