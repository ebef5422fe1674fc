import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from 'bullmq';
import { systemClock } from '../../base/clock.ts';

/**
 * BullMQ takes every time from the clock of its process, and in Redis a job's time is that clock's: a process that is
 * an hour ahead would delay a job by an hour for all others. So each tells Redis the ledger's time, and hears it as its
 * own.
 */
export function createBackends(aheadMs: () => number): BackendFactory<RedisQueueBackend> {
  return (...order) => {
    const backend = createRedisBackend(...order);
    const send = backend.execCommand.bind(backend);
    const placeOf = (script: string) =>
      script === 'moveToFinished' ? backend.moveToFinishedKeys.length + 1 : places[script];
    backend.execCommand = (client, script, args) => {
      const ahead = aheadMs();
      const place = ahead === 0 ? undefined : placeOf(script);
      if (place === undefined) return send(client, script, args);
      const told = args.with(place, Number(args[place]) - ahead);
      const answer: unknown = send(client, script, told);
      return claims.has(script) ? Promise.resolve(answer).then((next) => hearClaim(next, ahead)) : answer;
    };
    const addJobs = backend.addJobs.bind(backend);
    backend.addJobs = (entries) => whenArrived(() => addJobs(entries));
    const wait = backend.waitForJob.bind(backend);
    backend.waitForJob = async (blockTimeout) => {
      const found = await wait(blockTimeout);
      return found && found.score > 0 ? { ...found, score: found.score + aheadMs() } : found;
    };
    return backend;
  };
}

/** The position of the time among a script's keys and arguments. */
const places: Readonly<Record<string, number>> = {
  moveToActive: 12,
  moveToDelayed: 12,
  changeDelay: 5,
  moveStalledJobsToWait: 11,
};

/** Scripts that answer with the next job, or with when there is one. */
const claims = new Set(['moveToActive', 'moveToFinished', 'moveToDelayed']);

function hearClaim(answer: unknown, ahead: number): unknown {
  if (!Array.isArray(answer)) return answer;
  const until = Number(answer[3]);
  return until > 0 ? answer.with(3, until + ahead) : answer;
}

/** How often, and how many times, a slot is asked for that moves to another master of a Cluster. */
export const arrival = { everyMs: 300, tries: 16 };

/**
 * Until such a slot has arrived, both masters refuse scripts of several keys. The client waits with single commands, but
 * gives up on a pipeline that was sent on to the other master. Jobs that were added before are not added again.
 */
async function whenArrived<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isMoving = /^(TRYAGAIN|ASK|MOVED) /.test((error as Error).message);
      if (!isMoving || tries === arrival.tries) throw error;
      await systemClock.sleep(arrival.everyMs);
    }
  }
}
