import type { Random } from '../base/clock.ts';
import type { Lane } from '../lane/lane.ts';
import type { Opened } from '../ledger/attempts/attempts.ts';
import { isLedgerAway } from '../ledger/database.ts';
import { done, drop, rest, type Step } from '../queues/job.ts';
import { orderFaults } from '../rules/order.ts';
import type { Placed } from '../voice/call.ts';
import type { Answer } from '../voice/client.ts';
import type { Fault } from '../voice/faults.ts';
import { type AcceptDeps, createAccept } from './accepted-create.ts';
import { handOver, isWell } from './health/breaker.ts';
import type { Scope } from './scope.ts';
import { endAttempt } from './spans.ts';

/** Records what a create's answer means for the attempt, the lane and the campaign. */
export type AnswerRecorder = {
  record(lane: Lane, attempt: Opened, answer: Answer<Placed>): Promise<Step>;
  withhold(attempt: Opened, sent: boolean, detail: string | null): Promise<void>;
};

type AnswerRecorderDeps = AcceptDeps & {
  scope: Scope;
  lanes(): readonly Lane[];
  random: Random;
};

/** How long a write that must not be lost is retried while the ledger is away. */
const persistMs = 60_000;

export function createAnswerRecorder(deps: AnswerRecorderDeps): AnswerRecorder {
  const { ledger, breaker, clock, log } = deps;

  /** A short outage of the ledger must not turn a clear answer into an unknown one. */
  const persist = async <T>(write: () => Promise<T>): Promise<T> => {
    const end = clock.monotonic() + persistMs;
    for (let tries = 0; ; tries++) {
      try {
        return await write();
      } catch (error) {
        if (!isLedgerAway(error) || clock.monotonic() > end) throw error;
        await clock.sleep(Math.min(2_000, 100 * 2 ** tries));
      }
    }
  };

  const accept = createAccept(deps, persist);

  const withhold = async ({ id, ticket }: Opened, sent: boolean, detail: string | null) => {
    await persist(() => ledger.attempts.withhold({ id, ticket, sent, detail }));
  };

  const denied = async (lane: Lane, attempt: Opened, fault: Fault): Promise<Step> => {
    await withhold(attempt, true, fault.message);
    await closeLane(deps, lane, fault.message);
    return done;
  };

  const refused = async (lane: Lane, attempt: Opened, fault: Fault & { kind: 'refused' }): Promise<Step> => {
    if (fault.customer) {
      await persist(() => ledger.attempts.refusePerson(attempt.id, fault.message, attempt.ticket));
    } else {
      const after = await persist(() =>
        ledger.attempts.refuseOrder(attempt.id, fault.message, orderFaults, attempt.ticket),
      );
      if (after?.state === 'paused') {
        await persist(() => ledger.attempts.release(attempt.campaignId, 'the campaign was paused'));
        log.warn(
          { campaign: attempt.campaign, why: fault.message },
          'the service refuses the order: the campaign is paused',
        );
      }
    }
    endAttempt(attempt, lane.name, 'refused', 'refused');
    // A service that judges the request did not stop at the credit, so the probe is answered.
    if (attempt.probe) await breaker.openLane(lane, attempt);
    deps.nudge();
    return done;
  };

  return {
    withhold,
    async record(lane, attempt, answer) {
      if (answer.ok) {
        lane.governor.clean(lane.pacer.waiting() > 0, answer.ms, 'create');
        if (answer.value.isFull) await lane.governor.full(answer.ms);
        return accept(lane, attempt, answer.value);
      }
      const { fault } = answer;
      if (isWell(answer)) await persist(() => breaker.answered(lane, attempt, fault));
      switch (fault.kind) {
        case 'busy': {
          deps.meters.samples.busy(attempt.campaignId);
          await withhold(attempt, true, fault.message);
          const restMs = await lane.governor.busy(fault.retryAfterMs, answer.ms, 'create');
          if (await persist(() => breaker.busy(lane, attempt, fault.message))) return drop('the key rests');
          log.debug({ key: lane.name, restMs }, 'the service is busy: the lane rests');
          return rest(restMs);
        }
        case 'full': {
          deps.meters.samples.busy(attempt.campaignId);
          await withhold(attempt, true, fault.message);
          return rest(Math.max(fault.retryAfterMs ?? 0, await lane.governor.full(answer.ms)));
        }
        // 402
        case 'no-credit': {
          const { parked, state } = await persist(() =>
            ledger.attempts.park(attempt.id, lane.id, fault.message, attempt.ticket),
          );
          if (state === 'out_of_credit' && lane.state !== state)
            log.warn(
              { key: lane.name, parked, why: fault.message },
              'no credit: the key creates no more calls',
            );
          lane.state = state;
          deps.nudge();
          return done;
        }
        case 'denied':
          return denied(lane, attempt, fault);
        case 'refused':
          return refused(lane, attempt, fault);
        case 'unreachable': {
          // An answer that the description vouches for did reach the service, and counts as a request.
          await withhold(attempt, fault.sent, fault.message);
          // A request that was never sent leaves no doubt: the lane rests, and continues when the network is back. But
          // a failing service may still answer polls, and then only the breaker makes its rests grow.
          const isIll = fault.sent || attempt.probe;
          if (isIll && (await persist(() => breaker.failed(lane, attempt, fault.message))))
            return drop('the key rests');
          return rest(await lane.governor.away(answer.ms, fault.message));
        }
        case 'lost': {
          // A truncated 2xx says that the call was made; only its id is unknown.
          const reason = fault.accepted ? 'accepted' : 'lost';
          await persist(() =>
            ledger.attempts.lose({
              id: attempt.id,
              reason,
              detail: fault.message,
              ticket: attempt.ticket,
            }),
          );
          deps.meters.unknown.inc({ cause: reason });
          endAttempt(attempt, lane.name, 'unknown', reason);
          log.warn({ attempt: attempt.id, why: fault.message }, 'a create got no readable answer: unknown');
          await persist(() => breaker.failed(lane, attempt, fault.message));
          deps.nudge();
          return done;
        }
      }
    },
  };
}

export type CloseLaneDeps = Pick<
  AnswerRecorderDeps,
  'ledger' | 'queues' | 'scope' | 'lanes' | 'log' | 'nudge'
>;

/** 401: closes the key, and moves what was planned on it to an open key. */
export async function closeLane(deps: CloseLaneDeps, lane: Lane, words: string): Promise<void> {
  const fresh = await deps.ledger.lanes.deny(lane.id, words);
  lane.state = 'denied';
  if (fresh)
    deps.log.warn({ key: lane.name, why: words }, 'the service does not accept the key: it is closed');
  await handOver(deps, lane);
  deps.nudge();
}
