import type { Clock } from '../src/base/clock.ts';
import type { Stoppable } from '../src/base/lifecycle.ts';
import type { Log } from '../src/base/log.ts';
import type { Rounds } from '../src/base/rounds.ts';
import type { BulkWorker } from '../src/control/bulk/work.ts';
import type { Importer } from '../src/control/imports/work.ts';
import type { Notify } from '../src/control/webhooks/notify.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import type { Engine } from '../src/engine/engine.ts';
import { startBrake } from './brake.ts';
import { startBulk } from './bulk.ts';
import { startCanceler } from './canceler.ts';
import { startDialer } from './dialer.ts';
import { startImporter } from './importer.ts';
import { startNotifier } from './notifier.ts';
import { startPlanner } from './planner.ts';
import { startReconciler } from './reconciler.ts';
import { startRefresher } from './refresher.ts';
import { startSampler } from './sampler.ts';
import { startSurveyor } from './surveyor.ts';
import { startSweeper } from './sweeper.ts';
import { startTracker } from './tracker.ts';

/** Starts a process's stations: all of them, or some by name. */
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

/** The most jobs that a process holds on each of a lane's two queues: enough to fill the ledger's batches. */
export const mostInHand = 150;

export type WorkerDeps = {
  engine: Engine;
  clock: Clock;
  log: Log;
  rounds?: Rounds;
  concurrency?: number;
  /** A `run` has neither: it does only what its own campaign needs. */
  importer?: Importer;
  bulk?: BulkWorker;
  /** A `run` has its own, which outlives its other workers. */
  notify?: Notify;
};

export function startWorkers(
  stations: Stations,
  deps: WorkerDeps,
  only: readonly WorkerName[] = workerNames,
): Stoppable[] {
  const crew = { ...deps, concurrency: deps.concurrency ?? mostInHand };
  const start: Record<WorkerName, () => Stoppable> = {
    reconciler: () => startReconciler(stations, deps),
    tracker: () => startTracker(stations, crew),
    dialer: () => startDialer(stations, crew),
    planner: () => startPlanner(stations, deps),
    refresher: () => startRefresher(stations, deps),
    canceler: () => startCanceler(stations, deps),
    importer: () => startImporter(deps.importer!, deps),
    bulk: () => startBulk(deps.bulk!, deps),
    notifier: () => startNotifier(deps.notify!, deps),
  };
  const order: WorkerName[] = ['reconciler', 'tracker', 'canceler', 'dialer', 'planner', 'refresher'];
  if (deps.importer) order.push('importer');
  if (deps.bulk) order.push('bulk');
  if (deps.notify) order.push('notifier');
  return [
    startSurveyor(stations, deps),
    startSampler(stations, deps),
    ...(only.includes('reconciler') ? [startSweeper(stations, deps)] : []),
    ...(only.includes('planner') ? [startBrake(stations, deps)] : []),
    ...order.filter((name) => only.includes(name)).map((name) => start[name]()),
  ];
}
