import type { Clock } from '../base/clock.ts';
import type { Lane } from './lane.ts';

/** Which lanes have work. A lane without work costs nothing: no worker, no connection, no question about its limit. */
export type Wakes = {
  isAwake(lane: Lane): boolean;
  awake(): Lane[];
  /** This process adds work to a lane's queue. */
  added(bucket: string): void;
  /** The ledger has work on these lanes: they are awake, and fall asleep some time after it. */
  saw(busy: ReadonlySet<number>): void;
  /** Called at once for lanes that are awake, and whenever one wakes, once its limit is read, or falls asleep. */
  onChange(listener: (lane: Lane, isAwake: boolean) => void): void;
};

type WakesDeps = {
  lanes(): readonly Lane[];
  /** Lets other processes know, which may have to wake their lanes. */
  tell(): void;
  clock: Pick<Clock, 'monotonic'>;
};

/** How long a lane stays awake without work. */
const asleepMs = 60_000;
/** How often others are told of added work; shorter than they stay awake. */
const tellMs = 20_000;

export function createWakes({ lanes, tell, clock }: WakesDeps): Wakes {
  const until = new Map<Lane, number>();
  const toldAt = new Map<string, number>();
  const listeners: ((lane: Lane, isAwake: boolean) => void)[] = [];

  /** Others may have learned more while it slept. If the engine is away, it works by what it knows. */
  const begin = async (lane: Lane) => {
    await lane.governor.refresh().catch(() => undefined);
    if (until.has(lane)) for (const listener of listeners) listener(lane, true);
  };
  const wake = (lane: Lane) => {
    const slept = !until.has(lane);
    until.set(lane, clock.monotonic() + asleepMs);
    if (slept) void begin(lane);
  };

  return {
    isAwake: (lane) => until.has(lane),
    awake: () => [...until.keys()],
    added(bucket) {
      const lane = lanes().find((each) => each.bucket === bucket);
      if (lane) wake(lane);
      const now = clock.monotonic();
      if (now - (toldAt.get(bucket) ?? Number.NEGATIVE_INFINITY) < tellMs) return;
      toldAt.set(bucket, now);
      tell();
    },
    saw(busy) {
      for (const lane of lanes()) if (busy.has(lane.id)) wake(lane);
      for (const [lane, end] of until) {
        if (clock.monotonic() < end) continue;
        until.delete(lane);
        for (const listener of listeners) listener(lane, false);
      }
    },
    onChange(listener) {
      listeners.push(listener);
      for (const lane of until.keys()) listener(lane, true);
    },
  };
}
