import type { Log } from '../../base/log.ts';
import type { Lane } from '../../lane/lane.ts';
import type { Attempt } from '../../ledger/attempts/attempts.ts';
import type { LaneLine } from '../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Queues } from '../../queues/queues.ts';
import type { Answer } from '../../voice/client.ts';
import type { Fault } from '../../voice/faults.ts';
import type { Scope, Tools } from '../scope.ts';

/**
 * The breaker of a failing service: an outage must not make everyone who is due during it unknown. Its state is the
 * lane's state in the ledger, so it holds for every process and survives them all.
 */
export type Breaker = {
  /** A create was lost, or showed that the service is failing. True when the lane now stops creating. */
  failed(lane: Lane, attempt: Attempt, words: string): Promise<boolean>;
  /** A create was answered by a healthy service, whatever the answer. */
  answered(lane: Lane, attempt: Attempt, fault: Fault): Promise<void>;
  /** A create was refused as too many. True when the lane now stops creating. */
  busy(lane: Lane, attempt: Attempt, words: string): Promise<boolean>;
  /** Stops a lane on which every create is refused. */
  look(lane: Lane, row: LaneLine): Promise<void>;
  /** A probe was accepted, or judged: the lane creates again. */
  openLane(lane: Lane, attempt: Attempt): Promise<void>;
};

type BreakerDeps = Pick<Tools, 'nudge' | 'clock'> & {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  lanes(): readonly Lane[];
  log: Log;
};

/**
 * How many more creates must be lost than answered. With fewer, bad luck closes a lane; with more, more become unknown.
 */
export const mostLosses = 5;

/** How long every create must be refused, and how much of it with fewer calls in progress than at the first refusal. */
const refusedSeconds = 20;
const spareSeconds = 5;

/** Whether an answer to a create comes from a working service. */
export function isWell(answer: Answer<unknown>): boolean {
  return answer.ok || (answer.fault.kind !== 'lost' && answer.fault.kind !== 'unreachable');
}

export function createBreaker(deps: BreakerDeps): Breaker {
  const { ledger, queues, scope, clock, log } = deps;

  const openLane = async (lane: Lane, attempt: Attempt) => {
    if (!(await ledger.lanes.probing(lane.id, attempt.id))) return;
    const planned = await ledger.lanes.open(lane.id, scope.campaignId);
    lane.state = 'open';
    log.info({ key: lane.name, planned: planned.length }, 'the key creates calls again');
    await queues.add(lane.bucket, 'dial', planned);
    deps.nudge();
  };

  return {
    openLane,
    async failed(lane, attempt, words) {
      const after = await ledger.lanes.fail(lane.id, attempt.id, words, mostLosses);
      if (after === null) return false;
      lane.state = after.state;
      if (after.trips) {
        log.warn(
          { key: lane.name, why: words },
          'the service is failing: the key stops creating calls, except for a probe',
        );
        // Another key may work: attempts planned here need not wait for this one.
        await handOver(deps, lane);
        deps.nudge();
      }
      return after.state !== 'open';
    },
    async busy(lane, attempt, words) {
      const state = await ledger.lanes.refuse(lane.id, attempt.id, words);
      if (state !== null) lane.state = state;
      return lane.state !== 'open';
    },
    async look(lane, { state, refusedSince, spareSince }) {
      if (state !== 'open' || !refusedSince || !spareSince) return;
      if (clock.now() - refusedSince.getTime() < refusedSeconds * 1_000) return;
      if (!(await ledger.lanes.stopRefused(lane.id, refusedSeconds, spareSeconds))) return;
      lane.state = 'failing';
      log.warn(
        { key: lane.name },
        'the service refuses every call: the key stops creating calls, except for a probe',
      );
      await handOver(deps, lane);
      deps.nudge();
    },
    async answered(lane, attempt, fault) {
      if (attempt.laneLosses > 0 || lane.state === 'failing') await ledger.lanes.well(lane.id);
      // "Too many requests" is healthy unless it is the only answer; 402 and 401 close the lane in their own way.
      const wasFailing = attempt.laneState === 'failing' && !attempt.laneRefused;
      if (fault.kind === 'busy' && attempt.probe && wasFailing) await openLane(lane, attempt);
    },
  };
}

type HandoverDeps = { ledger: Ledger; queues: Queues; scope: Scope; lanes(): readonly Lane[] };

/**
 * Moves what was planned on a closed or leaving lane to an open one, if there is one. A key that is not accepted may
 * never be again: if the others only rest, its plans are given back, so that any of them may probe with these people
 * and call them.
 */
export async function handOver({ ledger, queues, scope, lanes }: HandoverDeps, lane: Lane): Promise<void> {
  const open = lanes().find((each) => each.state === 'open' && !each.leaving);
  if (open) {
    await queues.add(open.bucket, 'dial', await ledger.lanes.move(lane.id, open.id, scope.campaignId));
  } else if (lane.state === 'denied' && lanes().some((each) => each.state !== 'denied')) {
    const planned = await ledger.lanes.planned(lane.id, scope.campaignId);
    await Promise.all(planned.map((id) => ledger.attempts.giveBack({ id, why: 'its key is not accepted' })));
  }
}
