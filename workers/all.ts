import type { Stoppable } from '../src/base/lifecycle.ts';
import { startLoop } from '../src/base/loop.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import { type CrewDeps, startDialer, startTracker } from './crew.ts';
import {
  type LoopDeps,
  loopsOf,
  type Parts,
  partLoops,
  type Work,
  type WorkerName,
  workerNames,
} from './loops.ts';

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
