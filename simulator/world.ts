/** The whole state of the simulated service. A reset throws it away and makes a new one. */
import type { Clock } from '../src/base/clock.ts';
import {
  type CallCounts,
  type Calls,
  createCalls,
  endOf,
  hasEnded,
  hasRung,
  statusOf,
  talkedSeconds,
} from './calls.ts';
import { type Credits, costOf, createCredits } from './credits.ts';
import { createFaults, type Faults } from './faults.ts';
import type { FirstUnderKey } from './idempotency.ts';
import { createJournal, type Journal } from './journal.ts';
import { createKeyRing, createTally, type KeyCount, type KeyRing, type Tally } from './keys.ts';
import { createLimiter, type Limiter } from './limits.ts';
import { createStream } from './random.ts';
import type { CallStatus, Settings } from './settings.ts';
import { createTimescale, type Timescale } from './timescale.ts';

export type World = {
  settings: Settings;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly orgId: string;
  readonly timescale: Timescale;
  readonly keys: KeyRing;
  readonly calls: Calls;
  readonly credits: Credits;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly tally: Tally;
  /** The creates with an idempotency key. */
  readonly firsts: Map<string, FirstUnderKey>;
  /** 0, or by how many milliseconds this key's request is too early. */
  admit(key: number): number;
  /** Starts the limiters again, after their settings changed. */
  resetLimits(): void;
  /** How long the next answer waits. */
  latency(): number;
};

export type SimulatorState = CallCounts & {
  requests: number;
  /** Requests by answer: a status, `reset`, `hang` or `gone` (the client left before the answer). */
  answers: Record<string, number>;
  keys: (KeyCount & { inFlight: number; peakInFlight: number; revoked: boolean })[];
  credits: number | null;
  faults: ReturnType<Faults['state']>;
  journal: number;
  settings: Pick<Settings, (typeof shown)[number]>;
};

const shown = [
  'rate',
  'limiter',
  'burst',
  'windowMs',
  'retryAfter',
  'concurrency',
  'creditUnit',
  'seed',
  'speed',
  'latencyMs',
  'shares',
  'agents',
  'unknownAgents',
] as const satisfies readonly (keyof Settings)[];

export type Parts = { clock: Clock; newId: () => string; append?: (line: string) => void };

export function createWorld(settings: Settings, { clock, newId, append }: Parts): World {
  let limiters: (Limiter | undefined)[] = [];
  const random = createStream(settings.seed, 'latency');
  const world: World = {
    settings,
    clock,
    newId,
    orgId: newId(),
    timescale: createTimescale(clock, settings.speed),
    keys: createKeyRing(settings.keys),
    calls: createCalls(() => world.settings.concurrency),
    credits: createCredits(settings.credits, settings.creditUnit),
    faults: createFaults(settings.seed, settings.faults),
    journal: createJournal(settings.journalLimit, append),
    tally: createTally(),
    firsts: new Map(),
    admit(key) {
      const { rate, limiter, burst, windowMs } = world.settings;
      if (rate === null) return 0;
      limiters[key] ??= createLimiter(
        { kind: limiter, rate, burst: burst ?? Math.max(1, Math.floor(rate)), windowMs },
        clock,
      );
      return limiters[key].take();
    },
    resetLimits() {
      limiters = [];
    },
    latency() {
      const { latencyMs } = world.settings;
      if (typeof latencyMs === 'number') return latencyMs;
      return latencyMs[0] + (latencyMs[1] - latencyMs[0]) * random();
    },
  };
  return world;
}

export function readState(world: World): SimulatorState {
  const now = world.timescale.now();
  return {
    requests: world.tally.requests(),
    answers: world.tally.answers(),
    ...world.calls.counts(now),
    keys: world.tally.keys().map((count) => ({
      ...count,
      ...world.calls.ofKey(now, count.key),
      revoked: world.keys.isRevoked(count.key),
    })),
    credits: world.credits.balance(),
    faults: world.faults.state(),
    journal: world.journal.size(),
    settings: Object.fromEntries(
      shown.map((name) => [name, world.settings[name]]),
    ) as SimulatorState['settings'],
  };
}

/** A call as it really is, whatever the service reports. */
export type CallSeen = {
  id: string;
  phone: string;
  from: string | null;
  stamp: string | null;
  status: CallStatus;
  rang: boolean;
  ended_at: string | null;
  /** What it cost, or has cost so far. */
  cost: number;
};

/** Every call and every record without one, the latest first. */
export function* readCalls(world: World): IterableIterator<CallSeen> {
  const now = world.timescale.now();
  world.calls.settle(now);
  for (const call of world.calls.latest()) {
    const { id, phone, from, stamp } = call;
    const cost = costOf(talkedSeconds(call, now), world.settings);
    const end = hasEnded(call, now) ? world.timescale.wallAt(call.canceledAt ?? endOf(call)) : null;
    const ended_at = end === null ? null : new Date(end).toISOString();
    yield { id, phone, from, stamp, status: statusOf(call, now), rang: hasRung(call, now), ended_at, cost };
  }
}
