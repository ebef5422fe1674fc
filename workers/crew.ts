import type { LaneDesk } from '../src/dispatch/lane.ts';
import type { Stations } from '../src/dispatch/stations.ts';
import type { Engine, EngineWorker } from '../src/engine/engine.ts';
import type { Stoppable } from '../src/lifecycle.ts';
import type { Log } from '../src/log.ts';
import { queueName, type Station } from '../src/queues/names.ts';
import type { Payload } from '../src/queues/payload.ts';
import type { Step } from '../src/queues/step.ts';
import { startWorker } from '../src/queues/worker.ts';

/** One worker a lane on one station's queue; what dialer and tracker have in common. */
export type CrewDeps = {
  engine: Engine;
  clock: { now(): number };
  log: Log;
  /** The most jobs of a lane that are in hand at a time. */
  concurrency: number;
  /** As many as a lane is worth now; looked at again with each job that ends. */
  handsOf?(lane: LaneDesk): number;
};

export function startCrew(
  station: Station,
  handle: (lane: LaneDesk, attemptId: string) => Promise<Step>,
  stations: Stations,
  deps: CrewDeps,
): Stoppable {
  const hands = (desk: LaneDesk) => deps.handsOf?.(desk) ?? deps.concurrency;
  const workers = stations.desks().map((desk): EngineWorker<Payload> => {
    const worker = startWorker(
      queueName(desk.bucket, station, stations.scope.campaignId),
      async (attemptId) => {
        const step = await handle(desk, attemptId);
        worker.concurrency = hands(desk);
        return step;
      },
      hands(desk),
      { ...deps, queue: stations.queues.queue(desk.bucket, station), onGone: stations.adrift },
    );
    return worker;
  });
  return {
    name: station === 'dial' ? 'dialer' : 'tracker',
    quiet() {
      // Jobs that wait for a token go back to the queue; requests that left are waited for by close.
      for (const desk of stations.desks()) desk.pacer.stop();
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
