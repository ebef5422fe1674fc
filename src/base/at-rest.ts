import type { Clock } from './clock.ts';

/**
 * Whether a process is at rest: it had nothing to do for a while. Its loops then look seldom, and new work wakes them
 * all.
 */
export type Rest = {
  isAtRest(): boolean;
  /** How long a loop at rest waits: each a little longer than the one before, so that they share one connection. */
  restMs(): number;
  /** There is work, or may be. */
  stir(): void;
  /** Called when a rest ends. */
  onStir(listener: () => void): void;
  /** The ledger announced that there may be work. */
  hear(): void;
  /** Called at each notice of the ledger, even while the process is not at rest: one of its keys may be asleep. */
  onHear(listener: () => void): void;
};

/** A process is at rest after this long without work. */
const afterMs = 60_000;
/** About how often each loop looks while its process is at rest. Work that nothing announces is late by as much. */
const restingMs = 20_000;
const apartMs = 150;
const mostApart = 20;

export function createRest({ clock }: { clock: Pick<Clock, 'monotonic'> }): Rest {
  const listeners: (() => void)[] = [];
  const hearers: (() => void)[] = [];
  let stirredAt = clock.monotonic();
  let asked = 0;
  const isAtRest = () => clock.monotonic() - stirredAt > afterMs;
  const stir = () => {
    const rested = isAtRest();
    stirredAt = clock.monotonic();
    if (rested) for (const listener of listeners) listener();
  };
  return {
    isAtRest,
    restMs() {
      asked += 1;
      return restingMs + (asked % mostApart) * apartMs;
    },
    stir,
    onStir: (listener) => void listeners.push(listener),
    hear() {
      stir();
      for (const listener of hearers) listener();
    },
    onHear: (listener) => void hearers.push(listener),
  };
}
