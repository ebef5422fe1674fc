import { randomUUID } from 'node:crypto';
import { type Clock, createStopwatch } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Meters } from '../base/metrics/meters.ts';
import type { OpenSpan } from '../base/spans.ts';
import type { Lane } from '../lane/lane.ts';
import type { Token } from '../lane/pacer.ts';
import type { Passage } from '../lane/send-gate.ts';
import type { Attempt } from '../ledger/attempts/attempts.ts';
import type { Admission } from '../ledger/attempts/open.ts';
import { isLedgerAway } from '../ledger/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { drop, rest, type Step, wait } from '../queues/job.ts';
import { type Judgement, judge as judgeHours } from '../rules/calendar/calendar.ts';
import type { Placed } from '../voice/call.ts';
import type { Answer, WrittenRequest } from '../voice/client.ts';
import { callInputOf } from './call-input.ts';
import type { AnswerRecorder } from './create-answer.ts';
import type { Journal, JournalFile } from './disk/journal.ts';
import type { Spool } from './disk/spool.ts';
import { isWell, mostLosses } from './health/breaker.ts';
import { createLateAnswers, type LateAnswers } from './health/late-answers.ts';
import { keepWritten, wakeLimitMs } from './repeat.ts';
import { mayDial, type Scope } from './scope.ts';
import { endAttempt, soon, tellAttempt } from './spans.ts';
import type { Trace } from './trace.ts';
import type { DialPermit } from './trust/dial-permit.ts';

/** The dial station: judge, take a token, open, leave, post, record. */
type DialDeps = {
  ledger: Ledger;
  scope: Scope;
  recorder: AnswerRecorder;
  permit: DialPermit;
  spool: Pick<Spool, 'trouble'>;
  journal: Journal;
  trace: Trace;
  /** The time limit of one whole request; the attempt's expiry follows from it. */
  requestTimeoutMs: number;
  /** A call that has not ended after this long is given up; until then its phone is blocked for others. */
  deadlineMs: number;
  clock: Clock;
  log: Log;
  meters: Meters;
};

type Due = { attempt: Attempt; notes: JournalFile };
type Opened = Due & {
  attempt: Attempt & { ticket: string };
  sinceAsked: () => number;
  /** The create with its idempotency key; null where the service promises nothing of one. */
  written: WrittenRequest | null;
};
type Left = Passage & { ok: true };

/** How often a single call checks whether its phone is free. */
const inUseRestMs = 500;
/** No further create is sent while answers are overdue. */
const overdueRestMs = 500;
/** How long to wait before trying a journal again that could not be written. */
const journalRestMs = 2_000;
/** How long a process that must not dial leaves its jobs to others. */
const unfitWaitMs = 2_000;
/** The wait while nobody has vouched for the ledger, or its history was lost. */
const unsureWaitMs = 250;

export function createDial(deps: DialDeps) {
  const { ledger, scope, recorder, permit, spool, journal, clock, log } = deps;
  const lateAnswers = new Map<number, LateAnswers>();
  const overdueOf = ({ id }: Lane) => {
    const answers = lateAnswers.get(id) ?? createLateAnswers(mostLosses, clock);
    lateAnswers.set(id, answers);
    return answers;
  };

  /** Each part ends the job with a step, or returns what the next one needs. */
  return async (lane: Lane, id: string, plannedAt = permit.now(), turn = soon): Promise<Step> => {
    const { span, patienceMs } = turn;
    const due = await span.part('load attempt', () => judge(lane, id, patienceMs));
    if ('kind' in due) return due;
    tellAttempt(span, due.attempt);
    const token = await span.part('take token', () => takeToken(lane, due));
    if ('kind' in token) return token;
    const opened = await span.part('open attempt', () => open(lane, due, token.hours));
    if ('kind' in opened) return opened;
    const passage = await leave(lane, opened, token.grant);
    if ('kind' in passage) return passage;
    const answer = await post(lane, opened, passage.onSent, plannedAt, span);
    if ('kind' in answer) return answer;
    const step = await span.part('record answer', () => recorder.record(lane, opened.attempt, answer));
    lane.prefetch.note(opened.sinceAsked());
    return step;
  };

  /** Whether the attempt is to be dialled now, by this process. */
  async function judge(lane: Lane, id: string, patienceMs: number): Promise<Step | Due> {
    if (permit.trouble() || spool.trouble()) return wait(unfitWaitMs);
    const askedAt = clock.now();
    const attempt = await ledger.attempts.load(id, patienceMs);
    if (attempt) permit.heard(attempt.at, askedAt);
    const stop = judgeStates(attempt, lane);
    if (stop || !attempt) return stop ?? drop('no such attempt');
    if (!hoursOf(attempt).open) return giveBack(attempt, 'the window is closed');
    if (attempt.inUse) return yieldPhone(attempt);
    const notes = journal.open();
    if ('trouble' in notes) return rest(journalRestMs);
    if (overdueOf(lane).isDue(attempt.probe === true)) return rest(overdueRestMs);
    // A name that the service wants in another form is looked up before anything is committed.
    const restMs = await lane.directory.learn(callInputOf(attempt));
    if (restMs > 0) return rest(restMs);
    return { attempt, notes };
  }

  /** Takes the token, then checks again what may have changed during the wait. */
  async function takeToken(lane: Lane, { attempt }: Due): Promise<Step | { grant: Token; hours: Judgement }> {
    const grant = await lane.pacer.take('create');
    if (!grant.ok) return rest(grant.restMs);
    const hours = hoursOf(attempt);
    if (!hours.open) return giveBack(attempt, 'the window is closed');
    // Another create's call id may have found no room on disk.
    if (spool.trouble()) return wait(unfitWaitMs);
    return { grant, hours };
  }

  /** The fence: commits the intent, if the ledger agrees with everything judged here. */
  async function open(lane: Lane, { attempt, notes }: Due, hours: Judgement): Promise<Step | Opened> {
    // The ledger checks both of these when it commits the intent.
    const policy = ledger.policies.version()?.version ?? null;
    const validUntil = hours.until === null ? null : new Date(hours.until).toISOString();
    const sinceAsked = createStopwatch(clock);
    const opened = { ...attempt, ticket: randomUUID() };
    let admission: Admission;
    let written: WrittenRequest | null = null;
    try {
      admission = await ledger.attempts.open(
        {
          id: attempt.id,
          revision: attempt.revision,
          opens: attempt.opens,
          ticket: opened.ticket,
          agent: attempt.agentId,
          policy,
          validUntil,
          hash: ledger.erasures.hashOf(attempt.keeps ?? [attempt.phone]),
        },
        {
          dialer: scope.dialer,
          runId: scope.runId,
          laneId: lane.id,
          laneCap: lane.governor.cap(),
          timeoutMs: deps.requestTimeoutMs,
          keepsPhoneMs: deps.deadlineMs,
          journal: notes.id,
        },
      );
      if (admission === 'open') written = await keepWritten(ledger, lane, opened);
    } catch (error) {
      // It may have been committed, but nothing was sent, so the attempt must not become unknown.
      if (isLedgerAway(error)) await recorder.withhold(opened, false, 'the ledger was away');
      throw error;
    }
    if (admission !== 'open') return turnAway(admission, attempt, lane);
    lane.backlog = Math.max(0, lane.backlog - 1);
    permit.opened({ id: attempt.id, opens: attempt.opens + 1, campaign: attempt.campaignId });
    return { attempt: opened, notes, sinceAsked, written };
  }

  /** The last moment at which the lane may hold the request back. */
  async function leave(lane: Lane, { attempt }: Opened, grant: Token): Promise<Step | Left> {
    const passage = await lane.sendGate.pass(grant);
    if (!passage.ok) {
      await recorder.withhold(attempt, false, 'the service asked for a rest');
      return rest(passage.restMs);
    }
    if (overdueOf(lane).isDue(attempt.probe === true)) {
      await recorder.withhold(attempt, false, 'the service does not answer');
      return rest(overdueRestMs);
    }
    return passage;
  }

  async function post(
    lane: Lane,
    { attempt, notes, sinceAsked, written }: Opened,
    onPassed: () => void,
    plannedAt: number,
    span: OpenSpan,
  ): Promise<Step | Answer<Placed>> {
    // Checked again once a connection is free, which may be much later, as the process may have been suspended.
    let late = false;
    const isInTime = () => {
      late = sinceAsked() > wakeLimitMs;
      return !late;
    };
    // The note is written before the look: an attempt without a note has never left, and may be dialled again.
    let unnoted: string | null = null;
    const noted = {
      recipient: attempt.recipientId,
      campaign: attempt.campaignId,
      opens: attempt.opens + 1,
      phone: attempt.phone,
    };
    const mayLeave = () => {
      unnoted = notes.note(attempt.id, attempt.ticket, noted);
      return unnoted === null && isInTime();
    };
    const onSent = () => {
      onPassed();
      deps.meters.dialDelay.observe({ key: lane.name }, (permit.now() - plannedAt) / 1_000);
    };
    const options = { mayLeave, onSent, onSeen: deps.trace.of(attempt.id), span };
    const place = () =>
      written ? lane.client.send(written, options) : lane.client.create(callInputOf(attempt), options);
    const answer = isInTime() && (await overdueOf(lane).follow(place, isWell));
    if (unnoted !== null) {
      await recorder.withhold(attempt, false, unnoted);
      return rest(journalRestMs);
    }
    if (!answer || (late && !answer.ok)) {
      await recorder.withhold(attempt, false, 'the dialer woke too late after its commit');
      return wait(1_000);
    }
    return answer;
  }

  function judgeStates(attempt: Attempt | null, lane: Lane): Step | null {
    if (!attempt) return drop('no such attempt');
    if (attempt.state !== 'planned') return drop(`the attempt is ${attempt.state}`);
    if (attempt.laneId !== lane.id) return drop('the attempt moved to another lane');
    if (!mayDial(scope, attempt)) return drop('the campaign is dialled elsewhere');
    // The reconciler, or whatever opens the lane, adds a job for it when its time comes.
    if (attempt.laneState !== 'open' && !attempt.probe) return drop(`the key is ${attempt.laneState}`);
    if (attempt.campaignState !== 'running') return drop(`the campaign is ${attempt.campaignState}`);
    return null;
  }

  /** Judged by the ledger's clock, because this machine's may be wrong. */
  function hoursOf({ order, place }: Attempt): Judgement {
    return judgeHours(ledger.calendarOf(order.times), place, permit.now());
  }

  /** The planner plans the person again afterwards, if they are to be called at all. */
  async function giveBack(attempt: Attempt, why: string): Promise<Step> {
    if (await ledger.attempts.giveBack({ id: attempt.id, why })) endAttempt(attempt, null, 'dropped');
    return drop(why);
  }

  /** Another attempt has the phone. A single call keeps its place, because the person who ordered it is waiting. */
  async function yieldPhone(attempt: Attempt): Promise<Step> {
    return attempt.kind === 'calls' ? wait(inUseRestMs) : giveBack(attempt, 'its phone is in use');
  }

  async function turnAway(
    admission: Exclude<Admission, 'open'>,
    attempt: Attempt,
    lane: Lane,
  ): Promise<Step> {
    log.debug({ attempt: attempt.id, admission }, 'an attempt was not admitted');
    switch (admission) {
      case 'full':
        // A token was wasted. If a cap holds the lane, the others wait before they spend theirs.
        if (lane.governor.cap() !== null) lane.pacer.full();
        return wait(500);
      case 'changed':
        await permit.refresh();
        return wait(0);
      case 'unsure':
        await permit.vouch();
        return wait(unsureWaitMs);
      case 'in-use':
        return yieldPhone(attempt);
      case 'shut':
        return giveBack(attempt, 'the window is closed');
      case 'budget':
        // The planner plans the person again when there is money.
        return giveBack(attempt, 'the budget is spent or reserved');
      case 'held':
        if (await ledger.attempts.hold(attempt.id)) endAttempt(attempt, null, 'dropped');
        return drop('a contact rule holds it');
      case 'number':
        // Another number of the pool may be free.
        return giveBack(attempt, 'its caller number is full');
      case 'canceled':
      case 'suppressed':
        return giveBack(attempt, admission);
      case 'erased':
        // It came in by an import that began before the erasure, so its data is erased too.
        await ledger.attempts.skip(attempt.id, admission);
        for (const phone of attempt.keeps ?? [attempt.phone]) await ledger.erasures.want(phone);
        return drop('the person was erased');
      case 'moved':
      case 'paused':
      case 'elsewhere':
      case 'closed':
        // The ledger keeps the plan; the reconciler adds a job for it when its time comes.
        return drop(admission);
    }
  }
}
