/** The accepted keys, and what came on each. Secrets stay in this file: everywhere else a key is its index. */
export type KeyRing = {
  /** The index of the first accepted secret, or null if there is none. A revoked key keeps its index. */
  identify(secrets: readonly (string | undefined)[]): number | null;
  /** Finds a key by index or by secret; null for an unknown key. */
  find(key: number | string): number | null;
  revoke(index: number): void;
  restore(index: number): void;
  isRevoked(index: number): boolean;
};

export function createKeyRing(accepted: 'any' | readonly string[]): KeyRing {
  const indexes = new Map<string, number>();
  const revoked = new Set<number>();
  const admit = (secret: string) => {
    const index = indexes.size;
    indexes.set(secret, index);
    return index;
  };
  if (accepted !== 'any') for (const secret of accepted) if (!indexes.has(secret)) admit(secret);
  const lookUp = (secret: string | undefined): number | null => {
    if (!secret) return null;
    return indexes.get(secret) ?? (accepted === 'any' ? admit(secret) : null);
  };
  return {
    identify(secrets) {
      for (const secret of secrets) {
        const index = lookUp(secret);
        if (index !== null) return index;
      }
      return null;
    },
    find(key) {
      if (typeof key === 'number') return key < indexes.size ? key : null;
      return lookUp(key);
    },
    revoke: (index) => void revoked.add(index),
    restore: (index) => void revoked.delete(index),
    isRevoked: (index) => revoked.has(index),
  };
}

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
