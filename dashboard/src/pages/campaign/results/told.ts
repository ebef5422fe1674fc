import { isOptOut, learnedText, sumOf } from '../../../kit/words.ts';

/** What calls told, summed: how often each name was told, and each of its values where they are few. */
export type Told = { name: string; n: number; values: readonly (readonly [text: string, n: number])[] };

const mostTold = 4;
const mostValues = 4;
const leastPart = 20;

export function toldBy(learned: readonly unknown[]): Told[] {
  const names = new Map<string, Map<string, number>>();
  for (const each of learned) {
    if (each === null || typeof each !== 'object' || isOptOut(each)) continue;
    for (const [name, value] of Object.entries(each)) {
      const text = learnedText(value);
      if (name === 'opt_out' || text === '') continue;
      const values = names.get(name) ?? new Map<string, number>();
      names.set(name, values.set(text, (values.get(text) ?? 0) + 1));
    }
  }
  return (
    [...names]
      .map(([name, values]) => {
        const sorted = [...values].sort(([, a], [, b]) => b - a);
        const n = sumOf(sorted.map(([, each]) => each));
        return { name, n, values: sorted.length > mostValues ? [] : sorted };
      })
      // What hardly anybody told is read in its row.
      .filter(({ n }) => n > Math.max(1, learned.length / leastPart))
      .sort((a, b) => b.n - a.n)
      .slice(0, mostTold)
  );
}
