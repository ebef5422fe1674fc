import { randomUUID } from 'node:crypto';
import { createStopwatch } from '../base/clock.ts';
import type { OpenSpan } from '../base/spans.ts';
import type { Lane } from '../lane/lane.ts';
import type { Opened } from '../ledger/attempts/attempts.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Doubt, Looked, RepeatVerdict } from '../ledger/unknowns/unknowns.ts';
import { judge as judgeHours } from '../rules/calendar/calendar.ts';
import type { Placed } from '../voice/call.ts';
import type { Answer, WrittenRequest } from '../voice/client.ts';
import { callInputOf } from './call-input.ts';
import { type AnswerRecorder, type CloseLaneDeps, closeLane } from './create-answer.ts';
import type { Spool } from './disk/spool.ts';
import type { Trace } from './trace.ts';
import type { DialPermit } from './trust/dial-permit.ts';

/**
 * Where a service promises that one idempotency key makes one call, a create whose answer was lost is sent again: the
 * same bytes under the same key, while the promise holds. If the first one never arrived, this makes the call, so the
 * fence judges it as it judges an opening.
 */
export type RepeatDeps = CloseLaneDeps & {
  ledger: Ledger;
  recorder: AnswerRecorder;
  permit: DialPermit;
  spool: Pick<Spool, 'trouble'>;
  trace: Trace;
  requestTimeoutMs: number;
  deadlineMs: number;
  clock: Parameters<typeof createStopwatch>[0];
};

/** What asking the service about an attempt in doubt has shown. */
export type LookOutcome =
  | { kind: 'settled' }
  | { kind: 'found'; call: string }
  /** `isOver`: the create must not be sent again; `whole`: every call that may be the attempt's was seen. */
  | { kind: 'told'; looked: Looked; isOver?: boolean; whole?: boolean | undefined }
  | { kind: 'unasked'; seconds: number; reason?: 'accepted' };

/** A dialer that wakes this long after its commit does not post: the attempt may have been judged meanwhile. */
export const wakeLimitMs = 2_000;
/** Waits for answers that are lost grow with the attempt's age, up to this. */
const mostSeconds = 60;

/** Keeps a create before it leaves; null where the service promises nothing. */
export async function keepWritten(
  ledger: Ledger,
  lane: Lane,
  attempt: Opened,
): Promise<WrittenRequest | null> {
  const seconds = lane.client.repeatsFor;
  // No two openings share a key: after a refusal, the next one may say something else.
  const key = `${attempt.id}-${attempt.opens + 1}`;
  const written = seconds === null ? null : lane.client.write(callInputOf(attempt), key);
  if (seconds === null || written === null) return null;
  const { id, ticket } = attempt;
  await ledger.attempts.keepSent({ id, ticket, sent: JSON.stringify(written), seconds });
  return written;
}

export function createRepeat(deps: RepeatDeps) {
  const { ledger, recorder, permit, scope, clock, log } = deps;

  return async (lane: Lane, doubt: Doubt, span: OpenSpan): Promise<LookOutcome> => {
    const seconds = Math.min(
      mostSeconds,
      Math.max(1, (doubt.at.getTime() - doubt.dialingAt.getTime()) / 1_000),
    );
    await permit.fresh();
    if (permit.trouble() || deps.spool.trouble()) return { kind: 'unasked', seconds };
    const attempt = await ledger.attempts.load(doubt.id);
    if (attempt?.state !== 'unknown') return { kind: 'settled' };
    const token = await lane.pacer.take('create');
    if (!token.ok) return { kind: 'unasked', seconds: token.restMs / 1_000 };
    const hours = judgeHours(ledger.calendarOf(attempt.order.times), attempt.place, permit.now());
    if (!hours.open) return { kind: 'unasked', seconds: mostSeconds };
    const sinceAsked = createStopwatch(clock);
    const ticket = randomUUID();
    const { verdict, sent } = await ledger.unknowns.repeat(doubt, {
      ticket,
      dialer: scope.dialer,
      runId: scope.runId,
      laneCap: lane.governor.cap(),
      validUntil: hours.until === null ? null : new Date(hours.until).toISOString(),
      revision: attempt.revision,
      policy: ledger.policies.version()?.version ?? null,
      timeoutMs: deps.requestTimeoutMs,
      keepsPhoneMs: deps.deadlineMs,
    });
    if (verdict !== 'open') return turnAway(verdict, seconds);
    // What comes of it is written only while no other process has sent it since.
    doubt.ticket = ticket;
    const passage = await lane.sendGate.pass(token);
    if (!passage.ok) return { kind: 'unasked', seconds: passage.restMs / 1_000 };
    const answer = await lane.client.send(JSON.parse(sent) as WrittenRequest, {
      mayLeave: () => sinceAsked() <= wakeLimitMs,
      onSent: passage.onSent,
      onSeen: deps.trace.of(attempt.id),
      span,
    });
    log.info(
      { attempt: attempt.id, answered: answer.ok },
      'a create without an answer was sent again with its key',
    );
    return read(lane, { ...attempt, ticket }, answer, seconds);
  };

  async function turnAway(verdict: Exclude<RepeatVerdict, 'open'>, seconds: number): Promise<LookOutcome> {
    switch (verdict) {
      case 'over':
        return told('the service no longer promises that its key makes no other call', true);
      case 'changed':
        await permit.refresh();
        return { kind: 'unasked', seconds: 1 };
      case 'canceled':
      case 'suppressed':
      case 'elsewhere':
      case 'closed':
        return told(`the create is not sent again: ${standsFor[verdict]}`);
      default:
        return { kind: 'unasked', seconds };
    }
  }

  async function read(
    lane: Lane,
    attempt: Opened,
    answer: Answer<Placed>,
    seconds: number,
  ): Promise<LookOutcome> {
    if (answer.ok || answer.fault.kind !== 'unreachable' || answer.fault.sent)
      await ledger.attempts.countRequest(attempt.id);
    if (answer.ok) {
      await recorder.record(lane, attempt, answer);
      deps.nudge();
      return { kind: 'settled' };
    }
    const { fault, ms } = answer;
    switch (fault.kind) {
      case 'busy':
        return later(await lane.governor.busy(fault.retryAfterMs, ms, 'create'), seconds);
      case 'full':
        return later(await lane.governor.full(ms), seconds);
      case 'unreachable':
        return later(await lane.governor.away(ms, fault.message), seconds);
      case 'denied':
        await closeLane(deps, lane, fault.message);
        return { kind: 'unasked', seconds };
      case 'lost':
        if (fault.keySpent) return told(`the create was sent again: ${fault.message}`, true);
        return { kind: 'unasked', seconds, ...(fault.accepted ? { reason: 'accepted' as const } : {}) };
      case 'refused':
        // Nobody calls this person again, whatever became of the first request. Another refusal would free them, and so
        // would this one where they have other numbers.
        if (
          fault.customer &&
          !attempt.keeps &&
          (await ledger.attempts.refusePerson(attempt.id, fault.message, attempt.ticket))
        ) {
          deps.nudge();
          return { kind: 'settled' };
        }
        return told(`the create was sent again: ${fault.message}`);
      case 'no-credit':
        return told(`the create was sent again: ${fault.message}`);
    }
  }
}

const standsFor = {
  canceled: 'the campaign was canceled',
  suppressed: 'the phone is suppressed',
  elsewhere: 'its run has ended',
  closed: 'its key is closed',
};

const later = (restMs: number, seconds: number): LookOutcome => ({
  kind: 'unasked',
  seconds: Math.max(seconds, restMs / 1_000),
});

const told = (why: string, isOver = false): LookOutcome => ({
  kind: 'told',
  looked: { calls: [], why },
  isOver,
});
