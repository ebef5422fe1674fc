import { createBoundedMap } from '../base/bounded-map.ts';
import type { Log } from '../base/log.ts';
import type { Meters } from '../base/metrics/meters.ts';
import type { Lane } from '../lane/lane.ts';
import type { PollTimes } from '../lane/poll-times.ts';
import type { Attempt } from '../ledger/attempts/attempts.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { done, drop, rest, type Step, wait } from '../queues/job.ts';
import type { Queues } from '../queues/queues.ts';
import type { Call, CallRef } from '../voice/call.ts';
import { findMismatch } from '../voice/mismatch.ts';
import { closeLane } from './create-answer.ts';
import type { Breaker } from './health/breaker.ts';
import { mayTrack, type Scope, type Tools } from './scope.ts';
import type { Settler } from './settle.ts';
import { endAttempt, type JobTurn, soon, tellAttempt } from './spans.ts';
import type { Trace } from './trace.ts';
import type { DialPermit } from './trust/dial-permit.ts';

/** The track station: polls a call when its end is likely, until it has ended or its deadline has passed. */
type TrackDeps = Tools & {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  settler: Settler;
  permit: Pick<DialPermit, 'heard' | 'now'>;
  pollTimes: PollTimes;
  breaker: Pick<Breaker, 'openLane'>;
  trace: Trace;
  lanes(): readonly Lane[];
  log: Log;
  meters: Meters;
};

const closedRestMs = 30_000;
const mostRetryMs = 300_000;
/** How soon a person is due again whom the service could not dial. */
const undialledSeconds = 2;
const mostTold = 1_000;

export function createTrack(deps: TrackDeps) {
  const { ledger, permit, clock, log } = deps;
  /** Failed polls in a row, by attempt, and the age at which each call was last seen in progress. */
  const failures = createBoundedMap<number>();
  const seenAlive = createBoundedMap<number>();
  const told = new Set<string>();

  const forget = (id: string) => {
    failures.delete(id);
    seenAlive.delete(id);
  };

  return async (lane: Lane, attemptId: string, turn = soon): Promise<Step> => {
    const askedAt = clock.now();
    const attempt = await ledger.attempts.load(attemptId, turn.patienceMs);
    if (attempt) permit.heard(attempt.at, askedAt);
    if (!attempt?.callId || attempt.state !== 'placed')
      return drop(`the attempt is ${attempt?.state ?? 'gone'}`);
    if (!mayTrack(deps.scope, attempt)) return drop('the call is followed elsewhere');
    tellAttempt(turn.span, attempt);
    const own = deps.lanes().find((each) => each.id === attempt.laneId) ?? lane;
    const asker = own.state === 'denied' ? other() : own;
    // Nobody can ask while no key is open, so the deadline is not applied.
    if (!asker) return wait(closedRestMs);
    const { callId } = attempt;
    return asker === own ? ask(own, attempt, callId, turn) : askElsewhere(asker, attempt, callId, turn);
  };

  function other(): Lane | undefined {
    return deps.lanes().find((lane) => lane.state !== 'denied');
  }

  /** A call belongs to the account, not to the key that made it, so another key of the account can follow it. */
  async function askElsewhere(lane: Lane, attempt: Attempt, callId: string, turn: JobTurn): Promise<Step> {
    const passage = await lane.sendGate.enter('poll');
    if (!passage.ok) return rest(passage.restMs);
    const answer = await lane.client.get(refOf(attempt, callId), {
      onSent: passage.onSent,
      onSeen: deps.trace.of(attempt.id),
      span: turn.span,
    });
    if (!answer.ok) {
      if (answer.fault.kind === 'busy') await lane.governor.busy(answer.fault.retryAfterMs, answer.ms);
      if (answer.fault.kind === 'denied') await closeLane(deps, lane, answer.fault.message);
      // A key of another account does not know the call, which then waits for its own key.
      return countPoll(attempt, null, closedRestMs, answer.fault.message);
    }
    const mismatch = findMismatch({ ...attempt, callId }, answer.value);
    if (mismatch !== null) return countPoll(attempt, null, closedRestMs, mismatch);
    await ledger.attempts.follow(attempt.id, lane.id);
    return judge(lane, attempt, answer.value, turn);
  }

  async function ask(lane: Lane, attempt: Attempt, callId: string, turn: JobTurn): Promise<Step> {
    if (attempt.deadlineAt && permit.now() > attempt.deadlineAt.getTime()) return giveUp(lane, attempt);

    if (attempt.nextPollAt) lane.pollPrice.late((permit.now() - attempt.nextPollAt.getTime()) / 1_000);
    const lookUpMs = await lane.directory.learn({ agentId: attempt.agentId });
    if (lookUpMs > 0) return rest(lookUpMs);
    const passage = await lane.sendGate.enter('poll');
    if (!passage.ok) return rest(passage.restMs);
    if (attempt.nextPollAt) {
      const late = (permit.now() - attempt.nextPollAt.getTime()) / 1_000;
      deps.meters.pollLateness.observe({ key: lane.name }, late);
    }
    const answer = await lane.client.get(refOf(attempt, callId), {
      onSent: passage.onSent,
      onSeen: deps.trace.of(attempt.id),
      span: turn.span,
    });
    if (answer.ok) {
      lane.governor.clean(lane.pacer.waiting() > 0, answer.ms);
      const mismatch = findMismatch({ ...attempt, callId }, answer.value);
      if (mismatch !== null) return askLater(attempt, mismatch);
      failures.delete(attempt.id);
      return judge(lane, attempt, answer.value, turn);
    }
    const { fault } = answer;
    switch (fault.kind) {
      case 'busy':
        deps.meters.samples.busy(attempt.campaignId);
        await countPoll(attempt, null, 0);
        return rest(await lane.governor.busy(fault.retryAfterMs, answer.ms));
      case 'denied':
        await closeLane(deps, lane, fault.message);
        return countPoll(attempt, null, other() ? 1_000 : closedRestMs);
      case 'unreachable':
        return rest(await lane.governor.away(answer.ms, fault.message));
      default:
        return askLater(attempt, fault.message);
    }
  }

  async function judge(
    lane: Lane,
    attempt: Attempt,
    call: Call,
    { span, patienceMs }: JobTurn,
  ): Promise<Step> {
    const age = ageOf(attempt);
    const { stage, status } = call;
    const isLive = stage.kind === 'live';
    // Another process may have asked last, and then it is not known since when the call had its status.
    const from = seenAlive.get(attempt.id) ?? (attempt.polls === 0 ? 0 : null);
    const { campaignId, laneId, agentId } = attempt;
    const { resultDelay } = attempt.order;
    if (from !== null) {
      const before = attempt.status ?? '';
      const next = isLive ? (status ?? before) : null;
      const sight = { from: Math.min(from, age), to: age, status: before, next };
      deps.pollTimes.saw({ campaignId, agentId, laneId }, sight);
    }
    // Its record does not show missing credit.
    if (stage.kind !== 'undialled' && attempt.probe && lane.creditOnRecord)
      await deps.breaker.openLane(lane, attempt);
    if (isLive) {
      seenAlive.set(attempt.id, age);
      const seen = { campaignId, agentId, laneId, status, age, resultDelay };
      return countPoll(attempt, status, deps.pollTimes.nextInMs(lane, seen));
    }
    if (stage.kind === 'undialled') return notDialled(lane, attempt, call, stage.why);
    const { outcome } = stage;
    const waitMs = deps.settler.waitForRest(attempt, outcome, call, lane.client.comesLast);
    if (waitMs !== null) return countPoll(attempt, status, waitMs);
    forget(attempt.id);
    if (call.isNewReason) tellReason(lane, attempt, call);
    const endedAt = call.endedAt === null ? null : Date.parse(call.endedAt);
    await lane.governor.hearEnd(endedAt, attempt.placedAt?.getTime() ?? 0);
    const settle = () => deps.settler.settle(attempt, outcome, call, patienceMs);
    if (await span.part('settle attempt', settle)) countCall(lane, attempt, outcome, call);
    lane.pacer.free();
    // If a second's work is planned, the planner's next round is soon enough.
    if (lane.backlog < lane.governor.limit().rate) deps.nudge();
    return done;
  }

  /** The call has ended and nobody was dialled: no attempt is spent, and the lane learns why. */
  async function notDialled(
    lane: Lane,
    attempt: Attempt,
    call: Call,
    why: 'no-room' | 'no-credit',
  ): Promise<Step> {
    forget(attempt.id);
    const words = `the service dialled nobody: ${call.endedReason ?? call.status ?? why}`;
    if (!(await ledger.attempts.undialled(attempt.id, why, words, undialledSeconds))) return done;
    endAttempt(attempt, lane.name, 'undialled');
    log.info({ attempt: attempt.id, call: call.id, why: words }, 'a call ended before anybody was dialled');
    if (why === 'no-room') await lane.governor.full(Math.max(0, ageOf(attempt) * 1_000));
    else lane.state = (await ledger.attempts.parkAfterCall(lane.id, attempt.id, words)).state;
    lane.pacer.free();
    deps.nudge();
    return done;
  }

  /** The person counts as not reached. The owner of the description should hear of the reason, once. */
  function tellReason(lane: Lane, attempt: Attempt, { endedReason }: Call): void {
    if (endedReason === null || told.has(endedReason) || told.size >= mostTold) return;
    told.add(endedReason);
    log.warn(
      { key: lane.name, attempt: attempt.id, reason: endedReason },
      'the service gave a reason that its description does not know: the call counts as failed',
    );
  }

  function countCall({ name: key }: Lane, attempt: Attempt, outcome: string, call: Call): void {
    const { calls, cost, resultLag, samples } = deps.meters;
    calls.inc({ key, outcome });
    endAttempt(attempt, key, outcome);
    cost.inc({ key }, call.kept.cost ?? 0);
    const endedAt = Date.parse(call.endedAt ?? '');
    const lag = (permit.now() - endedAt) / 1_000;
    resultLag.observe({ key }, lag);
    samples.lag(attempt.campaignId, lag);
  }

  /** `why` is set when the poll told nothing. */
  async function countPoll(
    attempt: Attempt,
    status: string | null,
    inMs: number,
    why: string | null = null,
  ): Promise<Step> {
    const nextPollAt = new Date(permit.now() + inMs).toISOString();
    const { id, at } = attempt;
    const asked = await ledger.attempts.asked({ id, at, status, nextPollAt, why });
    const dueMs = (asked?.nextPollAt?.getTime() ?? 0) - permit.now();
    return wait(asked ? Math.min(inMs, Math.max(0, dueMs)) : inMs);
  }

  /**
   * Asks again, later and later, until the deadline: after a 5xx, HTML, a 404 for a call that we made, or the record of
   * another call.
   */
  function askLater(attempt: Attempt, why: string): Promise<Step> {
    const tries = (failures.get(attempt.id) ?? 0) + 1;
    failures.set(attempt.id, tries);
    log.debug({ attempt: attempt.id, tries, why }, 'a poll told nothing');
    return countPoll(attempt, null, Math.min(mostRetryMs, 1_000 * 2 ** tries), why);
  }

  async function giveUp(lane: Lane, attempt: Attempt): Promise<Step> {
    forget(attempt.id);
    const why = `the call did not end within its deadline; its last status was ${attempt.status ?? 'not reported'}`;
    await ledger.attempts.stale(attempt.id, why, attempt.deadlineAt);
    deps.meters.unknown.inc({ cause: 'stale' });
    endAttempt(attempt, lane.name, 'unknown', 'stale');
    log.warn({ attempt: attempt.id, call: attempt.callId }, 'a call never ended: shown as unknown');
    deps.nudge();
    return drop('stale');
  }

  function ageOf(attempt: Attempt): number {
    return Math.max(0, (permit.now() - (attempt.placedAt?.getTime() ?? permit.now())) / 1_000);
  }
}

export function refOf({ agentId, handle }: Omit<CallRef, 'id'>, id: string): CallRef {
  return { id, agentId, handle };
}
