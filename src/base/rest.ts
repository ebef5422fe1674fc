import type { Clock } from './clock.ts';

/**
 * Whether a process is at rest: it had nothing to do for a while. Then its loops look seldom, and what gives it work wakes
 * them all.
 */
export type Rest = {
  isAtRest(): boolean;
  /** How long a loop rests then: each a little longer than the one before, so that they need one connection, not one each. */
  restMs(): number;
  /** There is work, or may be. */
  stir(): void;
  /** Called when a rest ends. */
  onStir(listener: () => void): void;
  /** The ledger tells that there may be work. */
  hear(): void;
  /** Called at each notice of the ledger, also while the process is not at rest, because one of its keys may be asleep. */
  onHear(listener: () => void): void;
};

/** After this long without work. */
const afterMs = 60_000;
/** About how often each loop looks while its process is at rest: as late is work that nobody tells of. */
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
