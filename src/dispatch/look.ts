import type { Asides } from '../base/asides.ts';
import type { Log } from '../base/log.ts';
import type { Meters } from '../base/metrics/meters.ts';
import type { OpenSpan } from '../base/spans.ts';
import type { Lane } from '../lane/lane.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Doubt, Looked } from '../ledger/unknowns/unknowns.ts';
import type { Queues } from '../queues/queues.ts';
import type { Call, Turn } from '../voice/call.ts';
import type { Fault } from '../voice/faults.ts';
import { type Found, pagesOf } from '../voice/lists.ts';
import { isSurelyPhone } from '../voice/mismatch.ts';
import { type CloseLaneDeps, closeLane } from './create-answer.ts';
import { afterAttempt } from './spans.ts';

/**
 * The look station: asks a service that lists its calls about attempts in doubt, within the budget of their keys. A
 * found call is evidence: our stamp and the person's phone on one call settle it. Absence is none, unless the
 * description says that it is.
 */
export type LookDeps = CloseLaneDeps & {
  ledger: Ledger;
  queues: Queues;
  asides: Asides;
  lanes(): readonly Lane[];
  deadlineMs: number;
  log: Log;
  meters: Meters;
};

const mostAtOnce = 8;
/** A process that claimed an attempt and does not return leaves it to others after this long. */
const leaseSeconds = 120;
const mostPages = 5;
/** If the list shows no stamps, at most this many of its calls are fetched to see theirs. */
const mostFetched = 10;
/** How much the service's clock may differ from the ledger's. */
const skewMs = 60_000;
const mostSeconds = 21_600;
/** The call will not be found any more after this long. */
const lastSeconds = 172_800;
const closedSeconds = 30;

type Outcome =
  | { kind: 'found'; call: string }
  /** `whole`: every call that may be the attempt's was seen. */
  | { kind: 'told'; looked: Looked; whole: boolean }
  | { kind: 'unasked'; seconds: number };

export function createLook(deps: LookDeps) {
  const { ledger, log } = deps;
  const { unknowns } = ledger;

  /** One round; true when more may be due. */
  return async (): Promise<boolean> => {
    const able = deps.lanes().filter((lane) => lane.client.can.find);
    if (able.length === 0) return false;
    const taken = await unknowns.toLook(
      able.map((lane) => lane.id),
      mostAtOnce,
      leaseSeconds,
    );
    await Promise.all(
      taken.map((each) =>
        deps.asides.guard('looker', each.id, () =>
          afterAttempt(each.id, 'look for call', (span) => look(each, span)),
        ),
      ),
    );
    return taken.length === mostAtOnce;
  };

  async function look(doubt: Doubt, span: OpenSpan): Promise<void> {
    // A call belongs to the account, so another key of it can list it.
    const own = deps.lanes().find((each) => each.id === doubt.laneId);
    const lane = own && own.state !== 'denied' ? own : deps.lanes().find((each) => each.state !== 'denied');
    if (!lane) return later(doubt, closedSeconds);
    const outcome = await ask(lane, doubt, span);
    if (outcome.kind === 'unasked') return later(doubt, outcome.seconds);
    if (outcome.kind === 'told') return told(lane, doubt, outcome.looked, outcome.whole);
    const why = 'found in the service’s list, by the attempt’s own mark and the phone';
    const placed = await unknowns.place(doubt.id, outcome.call, deps.deadlineMs / 1_000, why);
    if (!placed) {
      const looked = { calls: [outcome.call], why: 'the call that was found is another attempt’s' };
      return told(lane, doubt, looked, true);
    }
    log.info({ attempt: doubt.id, call: outcome.call }, 'a call in doubt was found: it is followed');
    await deps.queues.add(lane.bucket, 'track', [doubt.id]);
    deps.nudge();
  }

  async function ask(lane: Lane, doubt: Doubt, span: OpenSpan): Promise<Outcome> {
    const restMs = await lane.directory.learn({ agentId: doubt.agentId ?? '' });
    if (restMs > 0) return { kind: 'unasked', seconds: restMs / 1_000 };
    const listed = await candidates(lane, doubt, span);
    if ('kind' in listed) return listed;
    let { cut } = listed;
    const matches: string[] = [];
    const others: string[] = [];
    let fetched = 0;
    for (const each of listed.found) {
      if (each.stamp !== null && each.stamp !== doubt.id) continue;
      if (each.phone !== null && !isSurelyPhone(doubt.phone, each.phone)) {
        if (each.stamp === doubt.id) others.push(each.id);
        continue;
      }
      if (each.stamp === doubt.id && each.phone !== null) {
        matches.push(each.id);
        continue;
      }
      if (fetched >= mostFetched) {
        cut ??= `more than ${mostFetched} of its calls may be the one`;
        continue;
      }
      fetched += 1;
      const call = await fetch(lane, doubt, each.id, span);
      if (call !== null && 'kind' in call) return call;
      if (call?.stamp !== doubt.id) continue;
      // A record without a phone has our mark, which no other call has.
      const isTheirs = call.phone === null || isSurelyPhone(doubt.phone, call.phone);
      (isTheirs ? matches : others).push(call.id);
    }
    return weigh(matches, others, cut);
  }

  /** The service's calls that may be the attempt's, and why these are not all. */
  async function candidates(
    lane: Lane,
    doubt: Doubt,
    span: OpenSpan,
  ): Promise<{ found: Found[]; cut: string | undefined } | Outcome> {
    const sought = {
      stamp: doubt.id,
      phone: doubt.phone,
      agentId: doubt.agentId,
      since: doubt.dialingAt.getTime() - skewMs,
      until: doubt.expiresAt.getTime() + skewMs,
    };
    const found: Found[] = [];
    let rest: Outcome | null = null;
    let onSent: () => void = () => undefined;
    const before = async () => {
      const passage = await lane.sendGate.enter('poll');
      if (passage.ok) onSent = passage.onSent;
      else rest = { kind: 'unasked', seconds: passage.restMs / 1_000 };
      return passage.ok;
    };
    let cut: string | undefined;
    const ask = (turn: Turn | null) => lane.client.find(sought, turn, { onSent, span });
    for await (const page of pagesOf(ask, before, mostPages)) {
      if (!page.ok) return { kind: 'unasked', seconds: await restAfter(lane, page.fault, page.ms) };
      lane.governor.clean(lane.pacer.waiting() > 0, page.ms);
      found.push(...page.value.items);
      cut = page.value.cut;
    }
    return rest ?? { found, cut };
  }

  async function fetch(lane: Lane, doubt: Doubt, id: string, span: OpenSpan): Promise<Call | Outcome | null> {
    const passage = await lane.sendGate.enter('poll');
    if (!passage.ok) return { kind: 'unasked', seconds: passage.restMs / 1_000 };
    const answer = await lane.client.get({ id, agentId: doubt.agentId }, { onSent: passage.onSent, span });
    if (answer.ok) {
      lane.governor.clean(lane.pacer.waiting() > 0, answer.ms);
      return answer.value;
    }
    if (answer.fault.kind === 'refused') return null;
    return { kind: 'unasked', seconds: await restAfter(lane, answer.fault, answer.ms) };
  }

  async function restAfter(lane: Lane, fault: Fault, ms: number): Promise<number> {
    switch (fault.kind) {
      case 'busy':
      case 'full':
        return (await lane.governor.busy(fault.retryAfterMs, ms)) / 1_000;
      case 'unreachable':
        return (await lane.governor.away(ms, fault.message)) / 1_000;
      case 'denied':
        await closeLane(deps, lane, fault.message);
        return 1;
      default:
        return closedSeconds;
    }
  }

  /** Asks again after a rest that the service asked for. */
  async function later(doubt: Doubt, seconds: number): Promise<void> {
    await unknowns.lookLater(doubt.id, Math.max(0.5, seconds));
  }

  async function told(lane: Lane, doubt: Doubt, looked: Looked, whole: boolean): Promise<void> {
    const { lagSeconds, absenceProves } = lane.client.listing!;
    const age = (doubt.at.getTime() - doubt.dialingAt.getTime()) / 1_000;
    const isListed = age > lagSeconds && doubt.at > doubt.expiresAt;
    if (absenceProves && whole && isListed && looked.calls.length === 0 && doubt.reason !== 'accepted') {
      const why = 'the service lists every call that it made, and not this one';
      if (await unknowns.free(doubt.id, why)) {
        log.info({ attempt: doubt.id }, 'a call in doubt was never made: the person waits again');
        deps.nudge();
        return;
      }
    }
    await unknowns.looked(doubt.id, looked, nextIn(age, lagSeconds));
  }
}

/** One call with our mark and the phone is the attempt's. Several are reported as they are. */
function weigh(matches: readonly string[], others: readonly string[], cut: string | undefined): Outcome {
  if (matches.length === 1) return { kind: 'found', call: matches[0]! };
  const calls = [...matches, ...others];
  const why =
    matches.length > 1
      ? 'the service has several calls with the attempt’s mark'
      : others.length > 0
        ? 'a call with the attempt’s mark is to another phone'
        : cut === undefined
          ? 'the service lists no call of this attempt'
          : `the service’s list was not read to its end: ${cut}`;
  return { kind: 'told', looked: { calls, why }, whole: cut === undefined };
}

/** Looks at growing intervals, once just when a call must be listed, and not for ever. */
function nextIn(age: number, lagSeconds: number): number | null {
  if (age > lastSeconds) return null;
  const next = Math.min(mostSeconds, Math.max(5, age));
  return age < lagSeconds + 1 ? Math.min(next, lagSeconds + 1 - age + 0.5) : next;
}
