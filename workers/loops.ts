import { alertBeatMs, heartbeatLookMs } from '../src/background/alerts.ts';
import type { BulkWorker } from '../src/background/bulk.ts';
import type { Importer } from '../src/background/imports.ts';
import type { Reporter } from '../src/background/process-report.ts';
import { beatMs, type Notify } from '../src/background/webhooks/notify.ts';
import type { KeyRing } from '../src/base/config/key-ring.ts';
import type { Stoppable } from '../src/base/lifecycle.ts';
import { type LoopOptions, startLoop } from '../src/base/loop.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import { type CrewDeps, startDialer, startTracker } from './crew.ts';

export const workerNames = [
  'planner',
  'dialer',
  'tracker',
  'reconciler',
  'refresher',
  'canceler',
  'importer',
  'bulk',
  'notifier',
] as const;
export type WorkerName = (typeof workerNames)[number];

export type LoopDeps = Pick<LoopOptions, 'clock' | 'log' | 'rounds' | 'rest'>;
/** The work that a process repeats, in processes with this worker or in all. */
export type Work = Omit<LoopOptions, keyof LoopDeps> & { by: WorkerName | 'all' };

/** The loops that work on keys and calls, in the order of their start. */
export const loopsOf = (stations: Stations, { clock, rest }: Pick<LoopDeps, 'clock' | 'rest'>): Work[] => [
  // Picks up what other processes change on the lanes; less often if no work is in progress. A notice of the ledger may
  // be about work on a key that is asleep here.
  {
    name: 'lane-updater',
    by: 'all',
    everyMs: 1_000,
    restMs: 200,
    wakes: (nudge) => rest?.onHear(nudge),
    work: async () => ((await stations.updateLanes()) ? undefined : 2_000),
  },
  // Writes what this process saw of its keys to their series, just after each tenth second.
  {
    name: 'sampler',
    by: 'all',
    everyMs: 10_000,
    async work() {
      await stations.sample();
      return 10_100 - (clock.now() % 10_000);
    },
  },
  // Cleans up: mainly skips the waiting rows of canceled campaigns. It rests half of the time, to leave the ledger to
  // calls.
  {
    name: 'sweeper',
    by: 'reconciler',
    everyMs: 5_000,
    async work() {
      const began = clock.monotonic();
      const took = () => clock.monotonic() - began;
      while (await stations.sweep()) if (took() > 1_000) return took();
      return undefined;
    },
  },
  // Pauses campaigns that stop by themselves. Any process may do it; the ledger lets one of them.
  { name: 'brake', by: 'planner', everyMs: 1_000, work: stations.brake },
  // Rests caller numbers that people stop answering. Any process may do it; the ledger lets one of them.
  { name: 'numbers', by: 'planner', everyMs: 10_000, work: stations.watchNumbers },
  // Makes queue and lanes agree with the ledger. The jobs of a dead worker are found one by one; the rest between
  // rounds lets one round take back many.
  {
    name: 'reconciler',
    by: 'reconciler',
    everyMs: 15_000,
    restMs: 500,
    work: stations.reconcile.next,
    wakes: stations.onAdrift,
  },
  // Keeps what was learned about how long calls last; a killed process loses this much of it.
  {
    name: 'poll times',
    by: 'tracker',
    everyMs: 30_000,
    work: stations.keepPollTimes,
    end: stations.keepPollTimes,
  },
  // Writes what was sent for each attempt and what came back.
  {
    name: 'traces',
    by: 'all',
    everyMs: 2_000,
    work: stations.keepTraces,
    end: stations.keepTraces,
  },
  // Hangs up calls in progress that a person wants to end.
  {
    name: 'canceler',
    by: 'canceler',
    everyMs: 1_000,
    async work() {
      while (await stations.hangUp());
    },
  },
  // Probes closed lanes, and keeps a few seconds of work in the queues. A change in this process, or an act in any,
  // wakes it at once. Work that waits for credit or for a failing service must not wait for the longer interval.
  {
    name: 'planner',
    by: 'planner',
    everyMs: 1_000,
    restMs: 50,
    async work() {
      const probeMs = await stations.probe();
      const planned = await stations.plan();
      return Math.min(planned === 0 && !stations.someoneWaits() ? 2_000 : 1_000, probeMs ?? 2_000);
    },
    wakes(nudge) {
      stations.onNudge(nudge);
      rest?.onHear(nudge);
    },
  },
  // Asks again for what a service adds to a call's record after its end.
  { name: 'refresher', by: 'refresher', everyMs: 2_000, work: stations.refresh },
  // Asks a service that lists its calls about attempts in doubt.
  {
    name: 'looker',
    by: 'reconciler',
    everyMs: 2_000,
    work: async () => ((await stations.look()) ? 100 : undefined),
  },
];

/** Other parts of a process. A `run` has neither of the first two: it does only what its own campaign needs. */
export type Parts = {
  importer?: Importer;
  bulk?: BulkWorker;
  notify?: Notify;
  /**
   * How long the notifier goes on delivering at the end; by default other processes, or the next one, deliver the rest.
   */
  settleMs?: number;
  watch?(): Promise<void>;
  sendAlerts?(): Promise<void>;
  /** Undefined where no heartbeat is wanted. */
  heartbeat?: (() => Promise<void>) | undefined;
  reporter?: Reporter;
  keyRing?: Pick<KeyRing, 'onChange'> | undefined;
};

export const partLoops = (parts: Parts & Pick<LoopDeps, 'rest'>): Work[] => {
  const { rest, importer, bulk, notify, settleMs, watch, sendAlerts, heartbeat, reporter, keyRing } = parts;
  return [
    // Stores the people of lists that were sent to be added later. Any process may do it.
    importer && {
      name: 'importer',
      by: 'importer' as const,
      everyMs: 1_000,
      work: importer.round,
      end: importer.close,
    },
    // Does acts on many people, a piece at a time. Any process may do the next piece.
    bulk && { name: 'bulk', by: 'bulk' as const, everyMs: 1_000, work: bulk.round },
    // Delivers events to webhooks. Any number of processes may do it: they share the addresses.
    notify && {
      name: 'notifier',
      by: 'notifier' as const,
      everyMs: beatMs,
      // Its claims on addresses last ten seconds.
      restingMs: 5_000,
      work: notify.round,
      wakes: (nudge: () => void) => rest?.onHear(nudge),
      async end() {
        if (settleMs) await notify.settle(settleMs);
        await notify.close();
      },
    },
    // Looks for what needs a person. Each process that serves has one, because each sees its own loops and clock.
    watch && { name: 'watcher', by: 'all' as const, everyMs: 10_000, work: watch },
    // Tells people of alerts. Any number of processes may do it: each claims the addresses that it sends to.
    sendAlerts && { name: 'alert sender', by: 'notifier' as const, everyMs: alertBeatMs, work: sendAlerts },
    // Tells a monitor elsewhere that dialling works. Any process may do it; the ledger lets one of them.
    heartbeat && {
      name: 'heartbeat',
      by: 'all' as const,
      everyMs: heartbeatLookMs,
      restingMs: 2 * heartbeatLookMs,
      work: heartbeat,
    },
    // Tells the ledger that this process lives, and at its end that it stops; others see a kill by the silence.
    reporter && {
      name: 'reporter',
      by: 'all' as const,
      everyMs: 10_000,
      restingMs: 10_000,
      work: reporter.report,
      // Other processes compare their keys with this report.
      wakes: (nudge: () => void) => keyRing?.onChange(nudge),
      end: reporter.leave,
    },
  ].filter((row) => row !== undefined);
};

/** The most jobs that a process holds on each of a lane's two queues: enough to fill the ledger's batches. */
export const mostInHand = 150;

export type WorkerDeps = LoopDeps & Parts & Omit<CrewDeps, 'concurrency'> & { concurrency?: number };

/** Starts a process's loops and crews: all of them, or those of some workers. They stop in the reverse order. */
export function startWorkers(
  stations: Stations,
  deps: WorkerDeps,
  only: readonly WorkerName[] = workerNames,
): Stoppable[] {
  const { clock, log, rounds, rest } = deps;
  const crew = { ...deps, concurrency: deps.concurrency ?? mostInHand };
  const has = (by: WorkerName | 'all') => by === 'all' || only.includes(by);
  const start = (loops: Work[]) =>
    loops.filter(({ by }) => has(by)).map((work) => startLoop({ ...work, clock, log, rounds, rest }));
  return [
    ...start(loopsOf(stations, deps)),
    ...(has('tracker') ? [startTracker(stations, crew)] : []),
    ...(has('dialer') ? [startDialer(stations, crew)] : []),
    ...start(partLoops(deps)),
  ];
}
