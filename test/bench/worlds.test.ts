import { describe, expect, it } from 'vitest';
import { drawWorld } from '../../bench/measure/worlds/draw.ts';
import { limitOf, plain } from '../../bench/measure/worlds/lessons.ts';
import { carillon } from '../../bench/measure/worlds/ours.ts';
import { type Client, play } from '../../bench/measure/worlds/play.ts';
import { score } from '../../bench/measure/worlds/score.ts';
import { peers } from '../../bench/peers/worlds.ts';

const world = { ...plain, minutes: 2, limits: [limitOf('bucket', 10)] };
const clients = Object.entries({ Carillon: carillon, ...peers });

/** A client that knows the limit, and one that sends a tenth too many. */
function even(rate: number): () => Client[] {
  return () => {
    let next = 0;
    return [
      {
        nextAt: () => next,
        createAt: () => 0,
        sent: (at) => {
          next = at + 1_000 / rate;
        },
        answered: () => undefined,
      },
    ];
  };
}

describe('the virtual services of the benchmark', () => {
  it('are the same each time that they are drawn and played', () => {
    const drawn = () => ({ ...drawWorld(7), minutes: 2 });
    expect(play(drawn(), carillon)).toEqual(play(drawn(), carillon));
  });

  it('let a client that knows the limit use all of it, and refuse what is above it', () => {
    const known = score(world, play(world, even(10)));
    expect(known.used).toBeCloseTo(1, 1);
    expect(known.refused).toBe(0);
    // The bucket was full at the start.
    expect(score(world, play(world, even(11))).refused).toBeCloseTo(1 / 11, 1);
  });

  it('count the calls in progress, never more than are allowed at once', () => {
    const capped = { ...plain, minutes: 3, limits: [limitOf('bucket', 20)], maxCalls: 12 };
    const { calls } = play(capped, even(5));
    expect(Math.max(...calls)).toBe(12);
    expect(Math.min(...calls)).toBeGreaterThanOrEqual(0);
  });

  it.each(clients)('are used to the end by %s', (_, client) => {
    const { accepted } = play(world, client);
    expect(accepted.slice(100, 120).some((count) => count > 0)).toBe(true);
  });
});
