import type { Stoppable } from '../src/base/lifecycle.ts';
import type { Log } from '../src/base/log.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import type { Engine, EngineWorker } from '../src/engine/engine.ts';
import type { Lane } from '../src/lane/lane.ts';
import { type Payload, queueName, type Station, type Step } from '../src/queues/job.ts';
import { startWorker } from '../src/queues/worker.ts';

export type CrewDeps = {
  engine: Engine;
  clock: { now(): number };
  log: Log;
  /** The most jobs of a lane taken at once. */
  concurrency: number;
};

/** The dialer: takes planned attempts from every lane's dial queue and places them. */
export function startDialer(stations: Stations, deps: CrewDeps): Stoppable {
  return startCrew('dial', stations.dial, stations, {
    ...deps,
    prefetchOf: (lane) => lane.prefetch.jobsAt(lane.governor.limit().rate, deps.concurrency),
    // A process that must not dial leaves the jobs to the others.
    whenFit: stations.onFit,
  });
}

/** The tracker: follows every placed call to its end and settles it. */
export function startTracker(stations: Stations, deps: CrewDeps): Stoppable {
  return startCrew('track', stations.track, stations, deps);
}

type StationDeps = CrewDeps & {
  /** How many jobs of this lane to take now; asked again after each job. */
  prefetchOf?(lane: Lane): number;
  /** Calls back when the process may no longer take jobs, and when it may again. */
  whenFit?(listener: (isFit: boolean) => void): void;
};

/** One worker per lane that has work, on one station's queue. */
function startCrew(
  station: Station,
  handle: (lane: Lane, attemptId: string, madeAt: number) => Promise<Step>,
  stations: Pick<Stations, 'lanes' | 'queues' | 'scope' | 'adrift' | 'wakes' | 'asides'>,
  deps: StationDeps,
): Stoppable {
  const prefetch = (lane: Lane) => deps.prefetchOf?.(lane) ?? deps.concurrency;
  const { wakes, asides } = stations;
  const workers = new Map<Lane, EngineWorker<Payload>>();
  const closing = new Set<Promise<void>>();
  let isFit = true;
  let isClosed = false;

  const start = (lane: Lane) => {
    const worker = startWorker(
      queueName(lane.bucket, station, stations.scope.campaignId),
      async (attemptId, madeAt) => {
        const step = await handle(lane, attemptId, madeAt);
        worker.concurrency = prefetch(lane);
        return step;
      },
      prefetch(lane),
      { ...deps, asides, queue: stations.queues.queue(lane.bucket, station), onGone: stations.adrift },
    );
    if (!isFit) void worker.pause(true);
    workers.set(lane, worker);
  };
  const end = (lane: Lane) => {
    const ended = workers
      .get(lane)!
      .close()
      .finally(() => closing.delete(ended));
    workers.delete(lane);
    closing.add(ended);
  };

  wakes.onChange((lane, isAwake) => {
    if (isClosed || isAwake === workers.has(lane)) return;
    if (isAwake) start(lane);
    else end(lane);
  });
  deps.whenFit?.((fit) => {
    isFit = fit;
    // Jobs that it has taken go back to the queue.
    for (const worker of workers.values()) void (isFit ? worker.resume() : worker.pause(true));
  });
  return {
    name: station === 'dial' ? 'dialer' : 'tracker',
    quiet() {
      // Jobs that wait for a token go back to the queue; `close` waits for requests already sent.
      for (const lane of stations.lanes()) lane.pacer.stop();
    },
    async close() {
      isClosed = true;
      for (const lane of [...workers.keys()]) end(lane);
      await Promise.all(closing);
    },
  };
}
