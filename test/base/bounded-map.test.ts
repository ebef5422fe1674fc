import { expect, it } from 'vitest';
import { createBoundedMap } from '../../src/base/bounded-map.ts';

it('a full map forgets its oldest entry', () => {
  const map = createBoundedMap<number>(3);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['a', 4],
    ['d', 5],
  ] as const)
    map.set(key, value);
  expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toEqual([4, undefined, 3, 5]);
  map.delete('c');
  map.set('e', 6);
  expect(['a', 'c', 'd', 'e'].map((key) => map.get(key))).toEqual([4, undefined, 5, 6]);
});
