/** Imports take turns: calls come first on the ledger's connections. */
export type Turns = {
  /** Does the work when a place is free, and nothing else of the same campaign is in hand. */
  take<T>(campaignId: string, work: () => Promise<T>): Promise<T>;
};

/** At once in one process: a short list need not wait for the end of a long one. */
const mostAtOnce = 3;

export function createTurns(): Turns {
  const waiting: { campaignId: string; go(): void }[] = [];
  const busy = new Set<string>();

  const next = () => {
    if (busy.size === mostAtOnce) return;
    const at = waiting.findIndex(({ campaignId }) => !busy.has(campaignId));
    if (at < 0) return;
    const [first] = waiting.splice(at, 1);
    busy.add(first!.campaignId);
    first!.go();
    next();
  };

  return {
    async take(campaignId, work) {
      await new Promise<void>((resolve) => {
        waiting.push({ campaignId, go: resolve });
        next();
      });
      try {
        return await work();
      } finally {
        busy.delete(campaignId);
        next();
      }
    },
  };
}
