import type { Log } from '../base/log.ts';
import type { Lane } from '../lane/lane.ts';
import type { Attempt } from '../ledger/attempts/verbs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Queues } from '../queues/queues.ts';
import type { Answer } from '../voice/client.ts';
import type { Fault } from '../voice/faults.ts';
import { handOver } from './handover.ts';
import type { Scope, Tools } from './scope.ts';

/**
 * The breaker of a sick service: an outage must not make an unknown of everybody who is due in it. Its state is the
 * lane's in the ledger, so that it holds for every process and outlives them all.
 */
export type Breaker = {
  /** A create told nothing, or that the service is failing. True when the lane creates no more. */
  failed(lane: Lane, attempt: Attempt, words: string): Promise<boolean>;
  /** A create was answered as a healthy service answers, whatever it said. */
  answered(lane: Lane, attempt: Attempt, fault: Fault): Promise<void>;
  /** A probe was accepted, or judged: the lane creates again. */
  reopen(lane: Lane, attempt: Attempt): Promise<void>;
};

export type BreakerDeps = Pick<Tools, 'nudge'> & {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  lanes(): readonly Lane[];
  log: Log;
};

/** How many more told nothing than were answered. Fewer would close a lane for bad luck; each more is in doubt. */
export const mostLosses = 5;

/** Whether an answer to a create comes from a service that does its work. */
export function isWell(answer: Answer<unknown>): boolean {
  return answer.ok || (answer.fault.kind !== 'lost' && answer.fault.kind !== 'unreachable');
}

export function createBreaker(deps: BreakerDeps): Breaker {
  const { ledger, queues, scope, log } = deps;

  const reopen = async (lane: Lane, attempt: Attempt) => {
    if (!(await ledger.lanes.probing(lane.id, attempt.id))) return;
    const planned = await ledger.lanes.open(lane.id, scope.campaignId);
    lane.state = 'open';
    log.info({ key: lane.name, planned: planned.length }, 'the key creates calls again');
    await queues.add(lane.bucket, 'dial', planned);
    deps.nudge();
  };

  return {
    reopen,
    async failed(lane, attempt, words) {
      const after = await ledger.lanes.fail(lane.id, attempt.id, words, mostLosses);
      if (after === null) return false;
      lane.state = after.state;
      if (after.trips) {
        log.warn(
          { key: lane.name, why: words },
          'the service is failing: the key creates no more calls, but for a probe',
        );
        // Another key may fare better; what is planned here need not wait for this one.
        await handOver(deps, lane);
        deps.nudge();
      }
      return after.state !== 'open';
    },
    async answered(lane, attempt, fault) {
      if (attempt.laneLosses > 0 || lane.state === 'failing') await ledger.lanes.well(lane.id);
      // Who says "too many" is well; whoever wants money or another key closes the lane in a way of its own.
      if (fault.kind === 'busy' && attempt.probe && attempt.laneState === 'failing')
        await reopen(lane, attempt);
    },
  };
}
