/** Seeded randomness: the same seed and words always give the same numbers, so a run can be repeated. */
import type { Random } from '../src/base/clock.ts';

/** A stream of numbers in [0, 1), the same for the same seed and words. */
export function createStream(...words: (string | number)[]): Random {
  let state = hash(words.join('|'));
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return mix(state) / 0x1_0000_0000;
  };
}

/** A value from `from` up to, not including, `to`. */
export function between(random: Random, from: number, to: number): number {
  return from + (to - from) * random();
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A draw from the normal distribution with mean 0 and deviation 1. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  // Neighbouring phone numbers differ only in the last byte; without this their streams would be alike.
  return mix(value);
}

function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
