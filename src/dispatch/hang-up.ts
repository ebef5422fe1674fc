import type { Asides } from '../base/asides.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { OpenSpan } from '../base/spans.ts';
import type { Lane } from '../lane/lane.ts';
import type { HangUp } from '../ledger/hang-ups/hang-ups.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { bucketName } from '../queues/job.ts';
import type { Call } from '../voice/call.ts';
import type { Fault } from '../voice/faults.ts';
import { findMismatch } from '../voice/mismatch.ts';
import { type CloseLaneDeps, closeLane } from './create-answer.ts';
import { afterAttempt } from './spans.ts';
import { refOf } from './track.ts';

/** The hang-up station: ends calls in progress at the service, before any other request of their keys. */
export type PollSooner = (call: {
  bucket: string;
  /** The campaign of the active run that follows the call; null is the background. */
  run: string | null;
  attempt: string;
  delayMs: number;
}) => Promise<void>;

type HangUpDeps = CloseLaneDeps & {
  ledger: Ledger;
  baseUrl: string;
  pollSooner: PollSooner;
  asides: Asides;
  clock: Clock;
  log: Log;
};

const mostAtOnce = 32;
/** A process that claimed a call and does not return leaves it to others after this long. */
const leaseSeconds = 60;
const closedRestMs = 30_000;
const mostRetryMs = 60_000;

export function createHangUp(deps: HangUpDeps) {
  const { ledger, clock, log } = deps;
  const { hangUps } = ledger;

  return async (): Promise<boolean> => {
    const taken = await hangUps.claim(
      deps.lanes().map((lane) => lane.id),
      mostAtOnce,
      leaseSeconds,
    );
    await Promise.all(
      taken.map((call) =>
        deps.asides.guard('canceler', call.id, () =>
          afterAttempt(call.id, 'hang up call', (span) => hangUp(call, span)),
        ),
      ),
    );
    return taken.length > 0;
  };

  async function hangUp(call: HangUp, span: OpenSpan): Promise<void> {
    const own = deps.lanes().find((lane) => lane.id === call.laneId);
    // A call belongs to the account, so another key of it can end the call.
    const lane = own && own.state !== 'denied' ? own : deps.lanes().find((each) => each.state !== 'denied');
    if (!lane) return hangUps.again(call.id, closedRestMs, 'no key is open');
    const passage = await lane.sendGate.enter('hang-up');
    if (!passage.ok) return hangUps.again(call.id, passage.restMs);
    const answer = await lane.client.hangUp(refOf(call, call.callId), { onSent: passage.onSent, span });
    await ledger.attempts.countRequest(call.id);
    if (!answer.ok) return failed(lane, call, answer.fault, answer.ms);
    lane.governor.clean(lane.pacer.waiting() > 0, answer.ms);
    const told = answer.value;
    const mismatch = told && findMismatch(call, told);
    if (mismatch !== null) return hangUps.again(call.id, growing(call), mismatch);
    await over(call, told && isOver(told) ? 'ended' : 'hung-up');
  }

  /** Hanging up twice does no harm, so whatever may pass is tried again. */
  async function failed(lane: Lane, call: HangUp, fault: Fault, ms: number): Promise<void> {
    switch (fault.kind) {
      case 'busy':
        return hangUps.again(call.id, await lane.governor.busy(fault.retryAfterMs, ms), fault.message);
      case 'unreachable':
        await lane.governor.away(ms, fault.message);
        return hangUps.again(call.id, growing(call), fault.message);
      case 'denied':
        await closeLane(deps, lane, fault.message);
        return hangUps.again(call.id, 1_000, fault.message);
      case 'refused':
        return refused(lane, call, fault.message);
      default:
        return hangUps.again(call.id, growing(call), fault.message);
    }
  }

  /** A call that has ended cannot be hung up; its record shows whether it has. */
  async function refused(lane: Lane, call: HangUp, words: string): Promise<void> {
    const passage = await lane.sendGate.enter('hang-up');
    if (!passage.ok) return hangUps.again(call.id, passage.restMs, words);
    const answer = await lane.client.get(refOf(call, call.callId), { onSent: passage.onSent });
    await ledger.attempts.countRequest(call.id);
    if (!answer.ok && answer.fault.kind === 'busy') {
      return hangUps.again(call.id, await lane.governor.busy(answer.fault.retryAfterMs, answer.ms), words);
    }
    if (!answer.ok && answer.fault.kind !== 'refused') return hangUps.again(call.id, growing(call), words);
    const record = answer.ok && findMismatch(call, answer.value) === null ? answer.value : null;
    if (record === null || record.stage.kind === 'live') {
      log.warn({ attempt: call.id, why: words }, 'the service did not hang up a call');
      return hangUps.done(call.id, 'refused', words);
    }
    // An earlier request whose answer was lost may have done it.
    await over(call, isOver(record) ? 'ended' : 'hung-up');
  }

  /** Whichever process follows the call asks for its end at once. */
  async function over(call: HangUp, outcome: 'hung-up' | 'ended'): Promise<void> {
    await hangUps.done(call.id, outcome);
    const hinted = await ledger.attempts.hint(deps.baseUrl, call.callId, 0);
    if (!hinted) return;
    const { id, key, run, at } = hinted;
    const delayMs = Math.max(0, at.getTime() - clock.now());
    await deps.pollSooner({ bucket: bucketName(deps.baseUrl, key), run, attempt: id, delayMs });
  }
}

/** Whether it had ended in another way than by being hung up. */
function isOver({ stage }: Call): boolean {
  return stage.kind !== 'live' && !(stage.kind === 'ended' && stage.outcome === 'canceled');
}

function growing({ tries }: HangUp): number {
  return Math.min(mostRetryMs, 500 * 2 ** Math.min(tries - 1, 10));
}
