/** Counts requests per key, and the most within any one second. */
export type KeyCount = { key: number; requests: number; peakPerSecond: number };

export type Tally = {
  arrive(key: number | null, mono: number): void;
  answer(answer: number | string): void;
  requests(): number;
  answers(): Record<string, number>;
  keys(): KeyCount[];
};

export function createTally(): Tally {
  const perKey: { requests: number; peak: number; recent: number[]; oldest: number }[] = [];
  const answers = new Map<number | string, number>();
  let requests = 0;
  return {
    arrive(key, mono) {
      requests += 1;
      if (key === null) return;
      perKey[key] ??= { requests: 0, peak: 0, recent: [], oldest: 0 };
      const count = perKey[key];
      count.requests += 1;
      count.recent.push(mono);
      while (count.recent[count.oldest]! <= mono - 1000) count.oldest += 1;
      count.peak = Math.max(count.peak, count.recent.length - count.oldest);
      if (count.oldest > 4096) {
        count.recent.splice(0, count.oldest);
        count.oldest = 0;
      }
    },
    answer: (answer) => void answers.set(answer, (answers.get(answer) ?? 0) + 1),
    requests: () => requests,
    answers: () => Object.fromEntries([...answers].map(([answer, count]) => [String(answer), count])),
    keys: () =>
      perKey.flatMap((count, key) =>
        count ? [{ key, requests: count.requests, peakPerSecond: count.peak }] : [],
      ),
  };
}
