import { describe, expect, it } from 'vitest';
import { waitAfter } from '../../../src/rules/webhook/standing.ts';

describe('the wait before an event is sent again', () => {
  /** The times of all tries, in milliseconds since the first. */
  function tries(): number[] {
    const at = [0];
    for (;;) {
      const wait = waitAfter(at.length, at.at(-1)!);
      if (wait === null) return at;
      at.push(at.at(-1)! + wait);
    }
  }

  it('is 1, 2, 4 ... s, at most 30 s in the first ten minutes, then it grows until three days are over', () => {
    const at = tries();
    const waits = at.slice(1).map((each, i) => each - at[i]!);
    expect(waits.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
    for (const [i, wait] of waits.entries()) {
      if (at[i]! < 600_000) expect(wait).toBeLessThanOrEqual(30_000);
      else expect(wait).toBeLessThanOrEqual(3_600_000);
      if (i > 0 && i < waits.length - 1) expect(wait).toBeGreaterThanOrEqual(waits[i - 1]!);
    }
    expect(at.at(-1)).toBe(3 * 86_400_000);
    expect(at.length).toBeLessThan(200);
  });
});
