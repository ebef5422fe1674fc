import { expect, it } from 'vitest';
import { createBoundedMap } from '../../src/base/bounded-map.ts';

it('a memory that is full forgets what was written longest ago', () => {
  const memory = createBoundedMap<number>(3);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['a', 4],
    ['d', 5],
  ] as const)
    memory.set(key, value);
  expect(['a', 'b', 'c', 'd'].map((key) => memory.get(key))).toEqual([4, undefined, 3, 5]);
  memory.delete('c');
  memory.set('e', 6);
  expect(['a', 'c', 'd', 'e'].map((key) => memory.get(key))).toEqual([4, undefined, 5, 6]);
});
