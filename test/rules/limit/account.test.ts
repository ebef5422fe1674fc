import { expect, it } from 'vitest';
import { drawWorld } from '../../../bench/measure/worlds/draw.ts';
import { carillon } from '../../../bench/measure/worlds/ours.ts';
import { play } from '../../../bench/measure/worlds/play.ts';
import { score } from '../../../bench/measure/worlds/score.ts';

/** Half an hour in virtual time at services that stand or change, with nothing else that is difficult. */
const plain = Array.from({ length: 200 }, (_, seed) => drawWorld(seed + 1))
  .filter(
    ({ name, limits, keys }) =>
      keys === 1 && !/,.*,/.test(name) && limits[0]!.rate > 2 && limits[0]!.rate < 40,
  )
  .slice(0, 6);

it.each(plain)('two keys of one account use $name as one key does, with no more refusals', (world) => {
  const [one, two] = [1, 2].map((keys) => score(world, play({ ...world, keys }, carillon)));
  expect(two!.used).toBeGreaterThan(one!.used - 0.03);
  expect(two!.refused).toBeLessThan(one!.refused + 0.005);
});
