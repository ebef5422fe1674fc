import { createBoundedMap } from '../base/bounded-map.ts';
import type { Log } from '../base/log.ts';
import type { Meters } from '../base/metrics/meters.ts';
import type { Lane } from '../lane/lane.ts';
import type { PollTimes } from '../lane/poll-times.ts';
import type { Opened } from '../ledger/attempts/attempts.ts';
import { isLedgerAway } from '../ledger/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { done, type Step } from '../queues/job.ts';
import type { Queues } from '../queues/queues.ts';
import type { Placed } from '../voice/call.ts';
import { findMismatch } from '../voice/mismatch.ts';
import type { Spool, SpoolEntry } from './disk/spool.ts';
import type { Breaker } from './health/breaker.ts';
import type { Tools } from './scope.ts';
import { endAttempt } from './spans.ts';
import type { Stamp } from './stamp.ts';

/**
 * Handles an accepted create: keeps the call id whatever happens, and has the call followed if it is this attempt's.
 */
type Accept = (lane: Lane, attempt: Opened, call: Placed) => Promise<Step>;

export type AcceptDeps = Tools & {
  ledger: Ledger;
  queues: Queues;
  spool: Spool;
  stamp: Stamp;
  breaker: Breaker;
  pollTimes: PollTimes;
  deadlineMs: number;
  log: Log;
  meters: Meters;
};

/** How many calls this process remembers with their attempts: the ledger knows only ended ones by their ids. */
const mostCalls = 20_000;
/** How long a call id is retried on a ledger that refuses it. */
const refusedMs = 60_000;

export function createAccept(deps: AcceptDeps, persist: <T>(write: () => Promise<T>) => Promise<T>): Accept {
  const { ledger, queues, breaker, clock, log } = deps;
  const owners = createBoundedMap<string>(mostCalls);

  /** `again`: the call has already been logged. */
  const keepOnDisk = (entry: SpoolEntry, again = false): boolean => {
    try {
      deps.spool.keep(entry);
      return true;
    } catch (error) {
      const why = (error as Error).message;
      if (!again)
        log.error({ attempt: entry.id, call: entry.callId, why }, 'a call id could not be kept on disk');
      return false;
    }
  };

  /** Why the answer is not about this attempt: it names another person, or another attempt's call. */
  const mismatchOf = (attempt: Opened, call: Placed): string | null => {
    const owner = owners.get(call.id) ?? attempt.id;
    owners.set(call.id, owner);
    if (owner !== attempt.id)
      return `the service answered with the call ${call.id}, which is the attempt ${owner}’s`;
    return findMismatch({ ...attempt, callId: null }, call);
  };

  const entryOf = (attempt: Opened, call: Placed, delayMs: number): SpoolEntry => {
    const now = clock.now();
    return {
      id: attempt.id,
      callId: call.id,
      provider_call_sid: call.sid,
      handle: call.handle,
      status: call.status,
      nextPollAt: new Date(now + delayMs).toISOString(),
      deadlineAt: new Date(now + deps.deadlineMs).toISOString(),
      ticket: attempt.ticket,
      mismatch: mismatchOf(attempt, call),
    };
  };

  /** Writes to the ledger, or to disk while the ledger is away; null means to disk. */
  const keep = async (entry: SpoolEntry): Promise<boolean | null> => {
    try {
      return await ledger.attempts.placed(entry);
    } catch (error) {
      // A call id is never lost, whatever stops the ledger.
      const why = isLedgerAway(error) ? 'the ledger is away' : (error as Error).message;
      if (keepOnDisk(entry)) {
        log.warn({ attempt: entry.id, call: entry.callId, why }, 'a call id was kept on disk');
        return null;
      }
      return insist(entry);
    }
  };

  /**
   * Neither ledger nor disk: this process is all that knows of the call. It insists, and calls nobody else meanwhile.
   */
  const insist = async (entry: SpoolEntry): Promise<boolean | null> => {
    const release = deps.spool.insist();
    const end = clock.monotonic() + refusedMs;
    try {
      for (let pause = 100; ; pause = Math.min(2 * pause, 2_000)) {
        await clock.sleep(pause);
        try {
          return await ledger.attempts.placed(entry);
        } catch (error) {
          // A ledger that is there and refuses will not take it later.
          if (!isLedgerAway(error) && clock.monotonic() > end) throw error;
        }
        if (keepOnDisk(entry, true)) return null;
      }
    } finally {
      release();
    }
  };

  /** The ledger did not accept the call: it is not this attempt's, or the attempt was judged before its answer came. */
  const notPlaced = async (lane: Lane, attempt: Opened, call: Placed): Promise<Step> => {
    // The call exists, and a person must see it.
    const breaks = await persist(() => ledger.attempts.late(attempt.id, call.id));
    const now = await persist(() => ledger.reports.attempt(attempt.id));
    // Another answer to the same create was read first.
    if (now?.callId === call.id) return done;
    if (breaks) {
      lane.state = 'denied';
      log.error(
        { key: lane.name, attempt: attempt.id, calls: [now?.callId, call.id] },
        'the service made two calls for one idempotency key: the key is closed',
      );
      deps.nudge();
      return done;
    }
    if (now?.reason !== 'mismatch') {
      log.error(
        { attempt: attempt.id, call: call.id },
        'a create was answered after its attempt had been given up',
      );
      return done;
    }
    deps.meters.unknown.inc({ cause: 'mismatch' });
    endAttempt(attempt, lane.name, 'unknown', 'mismatch');
    log.error(
      { attempt: attempt.id, call: call.id, why: now.detail },
      'a create’s answer is about another call: unknown',
    );
    // A service that answers one create like this will answer others in the same way, so stop soon.
    await persist(() => breaker.failed(lane, attempt, now.detail ?? 'the answer is about another call'));
    deps.nudge();
    return done;
  };

  return async (lane, attempt, call) => {
    const { campaignId, agentId, order } = attempt;
    const { status } = call;
    const delayMs = deps.pollTimes.nextInMs(lane, {
      campaignId,
      agentId,
      laneId: lane.id,
      status,
      age: 0,
      resultDelay: order.resultDelay,
    });
    const kept = await keep(entryOf(attempt, call, delayMs));
    if (kept === null) return done;
    if (!kept) return notPlaced(lane, attempt, call);
    // If only records tell of missing credit, an accepted create does not show that it is back.
    if (attempt.probe && !(lane.creditOnRecord && lane.state === 'out_of_credit'))
      await breaker.openLane(lane, attempt);
    await queues.addLater(lane.bucket, 'track', attempt.id, delayMs);
    // The first accepted create proves the order, and the others should not wait for the planner's next round.
    if (!attempt.proved) deps.nudge();
    await deps.stamp(lane, attempt, call.id);
    return done;
  };
}
