import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthOf, roundSpans } from '../../../src/rules/limit/window-length.ts';

/** How long a service's window is, from the times at which it accepted again; probes know these only about. */
const start = 1_700_000_000_000;
type Opened = Parameters<typeof lengthOf>[0][number];
const spans = roundSpans;

/** Between two probes the lane opened; it had been full for a while, after an even pace. */
function openedAt(edge: number, gapMs: number, before: number, stalled: number, rate: number): Opened {
  const from = edge - gapMs * before;
  const counts = spans.filter((ms) => ms <= 60_000).map((ms) => Math.max(0, ((ms - stalled) / 1_000) * rate));
  return { from, until: from + gapMs, stalled, counts: counts.map(Math.round) };
}

const part = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe('the length of a window', () => {
  const world = fc.record({
    ms: fc.constantFrom(...spans),
    /** Where in the clock's own windows these begin: at their edges, or anywhere. */
    phase: fc.oneof(fc.constant(0), part(0.1, 0.9)),
    first: fc.integer({ min: 0, max: 100_000 }),
    rate: part(2, 50),
    gap: part(0.005, 0.025),
    openings: fc.array(fc.record({ before: part(0.01, 0.99), stalled: part(0.65, 0.95) }), {
      minLength: 4,
      maxLength: 4,
    }),
  });
  const openingsOf = ({
    ms,
    phase,
    first,
    rate,
    gap,
    openings,
  }: typeof world extends fc.Arbitrary<infer T> ? T : never) =>
    openings.map(({ before, stalled }, i) => {
      const edge = (Math.ceil(start / ms) + first + i + phase) * ms;
      // Each window accepts as much, and is then full for the rest of its time.
      const pace = (rate * 0.2) / (1 - stalled);
      return openedAt(edge, gap * ms, before, stalled * ms, pace);
    });

  it('is found from four openings, by the clock or not, and the window opens where they did', () => {
    fc.assert(
      fc.property(world, (drawn) => {
        const openings = openingsOf(drawn);
        const found = lengthOf(openings, 0);
        expect(found?.ms).toBe(drawn.ms);
        const last = openings.at(-1)!;
        expect(found!.edge).toBeGreaterThanOrEqual(last.from);
        expect(found!.edge).toBeLessThanOrEqual(last.until);
      }),
      { numRuns: 1_000, seed: 13 },
    );
  });

  it('is found from two openings by the clock', () => {
    fc.assert(
      fc.property(world, (drawn) => {
        const openings = openingsOf({ ...drawn, phase: 0 }).slice(-2);
        expect(lengthOf(openings, 0)?.ms).toBe(drawn.ms);
      }),
      { numRuns: 500, seed: 17 },
    );
  });

  it('is never shorter than the lane was refused', () => {
    fc.assert(
      fc.property(world, part(1.1, 50), (drawn, longer) => {
        const openings = openingsOf(drawn).map((each) => ({ ...each, stalled: drawn.ms * longer }));
        const found = lengthOf(openings, drawn.ms);
        if (found) expect(found.ms).toBeGreaterThan(drawn.ms);
      }),
      { numRuns: 500, seed: 19 },
    );
  });

  it('is seldom seen in openings that came at any time', () => {
    const drawn = fc.sample(
      fc.record({
        mean: part(Math.log(3_000), Math.log(900_000)),
        rate: part(2, 50),
        openings: fc.array(
          fc.record({ after: part(0.3, 1.7), stalled: part(0.02, 0.3), gap: part(0.02, 0.3) }),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
      }),
      { numRuns: 3_000, seed: 23 },
    );
    const taken = drawn.filter(({ mean, rate, openings }) => {
      let at = start;
      const times = openings.map(({ after, stalled, gap }) => {
        at += Math.exp(mean) * after;
        const forMs = Math.exp(mean) * stalled;
        return openedAt(at, Math.max(30, forMs * gap), 0.5, forMs, rate);
      });
      return lengthOf(times, 0) !== null;
    });
    expect(taken.length / drawn.length).toBeLessThan(0.05);
  });
});
