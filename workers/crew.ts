import type { Stoppable } from '../src/base/lifecycle.ts';
import type { Log } from '../src/base/log.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import type { Engine, EngineWorker } from '../src/engine/engine.ts';
import type { Lane } from '../src/lane/lane.ts';
import { queueName, type Station } from '../src/queues/names.ts';
import type { Payload } from '../src/queues/payload.ts';
import type { Step } from '../src/queues/step.ts';
import { startWorker } from '../src/queues/worker.ts';

/** One worker per lane on one station's queue, shared by dialer and tracker. */
export type CrewDeps = {
  engine: Engine;
  clock: { now(): number };
  log: Log;
  /** The most jobs of a lane held at once. */
  concurrency: number;
  /** How many jobs of this lane to hold now; asked again after each job. */
  prefetchOf?(lane: Lane): number;
  /** Calls back when the process may no longer take jobs, and when it may again. */
  whenFit?(listener: (isFit: boolean) => void): void;
};

export function startCrew(
  station: Station,
  handle: (lane: Lane, attemptId: string, madeAt: number) => Promise<Step>,
  stations: Stations,
  deps: CrewDeps,
): Stoppable {
  const prefetch = (lane: Lane) => deps.prefetchOf?.(lane) ?? deps.concurrency;
  const workers = stations.lanes().map((lane): EngineWorker<Payload> => {
    const worker = startWorker(
      queueName(lane.bucket, station, stations.scope.campaignId),
      async (attemptId, madeAt) => {
        const step = await handle(lane, attemptId, madeAt);
        worker.concurrency = prefetch(lane);
        return step;
      },
      prefetch(lane),
      { ...deps, queue: stations.queues.queue(lane.bucket, station), onGone: stations.adrift },
    );
    return worker;
  });
  deps.whenFit?.((isFit) => {
    // What it holds already goes back to the queue.
    for (const worker of workers) void (isFit ? worker.resume() : worker.pause(true));
  });
  return {
    name: station === 'dial' ? 'dialer' : 'tracker',
    quiet() {
      // Jobs that wait for a token go back to the queue; `close` waits for requests already sent.
      for (const lane of stations.lanes()) lane.pacer.stop();
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
