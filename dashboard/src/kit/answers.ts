import { tenths } from './words.ts';

export const rateText = (rate: number | null) => (rate === null ? '–' : tenths(rate));

/** Answered far less than the others together, and by more than chance alone makes likely. */
type Called = { calls: number; rate: number | null };

export function isFarBelow(one: Called, all: readonly Called[]): boolean {
  const { calls, rate } = one;
  const usual = rateOfOthers(one, all);
  if (rate === null || calls === 0 || usual === null) return false;
  return rate < 0.67 * usual && calls * (usual - rate) ** 2 > 4 * usual * (1 - usual);
}

export function rateOfOthers({ calls, rate }: Called, all: readonly Called[]): number | null {
  const sum = (of: (each: Called) => number) => all.reduce((total, each) => total + of(each), 0);
  const others = sum((each) => each.calls) - calls;
  return others === 0 ? null : (sum((each) => each.calls * (each.rate ?? 0)) - calls * (rate ?? 0)) / others;
}
