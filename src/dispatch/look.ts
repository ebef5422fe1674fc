import type { Asides } from '../base/asides.ts';
import type { Log } from '../base/log.ts';
import type { Meters } from '../base/metrics/meters.ts';
import type { OpenSpan } from '../base/spans.ts';
import type { Lane } from '../lane/lane.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Doubt } from '../ledger/unknowns/unknowns.ts';
import type { Queues } from '../queues/queues.ts';
import type { Call, Turn } from '../voice/call.ts';
import type { Fault } from '../voice/faults.ts';
import { type Found, pagesOf } from '../voice/lists.ts';
import { isSurelyPhone } from '../voice/mismatch.ts';
import { type CloseLaneDeps, closeLane } from './create-answer.ts';
import { createRepeat, type LookOutcome, type RepeatDeps } from './repeat.ts';
import { afterAttempt } from './spans.ts';

/**
 * The look station: asks the service about attempts in doubt, within the budget of their keys. A call in its list is
 * evidence: our stamp and the person's phone on one call settle it. Absence is none, unless the description says that
 * it is. What no list shows is asked by the create itself, where its idempotency key allows it.
 */
type LookDeps = CloseLaneDeps &
  RepeatDeps & {
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
/** While its create can be sent again. */
const mostRepeatSeconds = 300;
/** The call will not be found any more after this long. */
const lastSeconds = 172_800;
const closedSeconds = 30;

export function createLook(deps: LookDeps) {
  const { ledger, log } = deps;
  const { unknowns } = ledger;
  const repeat = createRepeat(deps);

  /** One round; true when more may be due. */
  return async (): Promise<boolean> => {
    const able = deps.lanes().filter(({ client }) => client.can.find || client.repeatsFor !== null);
    if (able.length === 0) return false;
    const lanes = able.map((lane) => lane.id);
    const lists = able[0]!.client.can.find;
    const taken = await unknowns.toLook(lanes, mostAtOnce, leaseSeconds, lists, deps.scope.campaignId);
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
    if (outcome.kind === 'settled') return;
    if (outcome.kind === 'unasked') return later(doubt, outcome.seconds, outcome.reason);
    if (outcome.kind === 'told') return told(lane, doubt, outcome);
    const why = 'found in the service’s list, by the attempt’s own mark and the phone';
    const placed = await unknowns.place(doubt.id, outcome.call, deps.deadlineMs / 1_000, why);
    if (!placed) {
      const looked = { calls: [outcome.call], why: 'the call that was found is another attempt’s' };
      return told(lane, doubt, { looked });
    }
    log.info({ attempt: doubt.id, call: outcome.call }, 'a call in doubt was found: it is followed');
    await deps.queues.add(lane.bucket, 'track', [doubt.id]);
    deps.nudge();
  }

  /** The list comes first: it makes no call. A key of the account is not known under another credential. */
  async function ask(lane: Lane, doubt: Doubt, span: OpenSpan): Promise<LookOutcome> {
    const listed = lane.client.can.find ? await search(lane, doubt, span) : unlisted;
    if (listed.kind !== 'told' || !doubt.repeatable) return listed;
    const { calls } = listed.looked;
    if (calls.length > 1 && doubt.repeated)
      await closeLane(deps, lane, `one idempotency key made two calls: ${calls.join(', ')}`);
    const isListed = ageOf(doubt) > (lane.client.listing?.lagSeconds ?? 0);
    if (calls.length > 0 || !isListed || lane.id !== doubt.laneId || lane.leaving) return listed;
    const repeated = await repeat(lane, doubt, span);
    return repeated.kind === 'told' ? { ...repeated, whole: listed.whole } : repeated;
  }

  async function search(lane: Lane, doubt: Doubt, span: OpenSpan): Promise<LookOutcome> {
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
  ): Promise<{ found: Found[]; cut: string | undefined } | LookOutcome> {
    const sought = {
      stamp: doubt.id,
      phone: doubt.phone,
      agentId: doubt.agentId,
      since: doubt.dialingAt.getTime() - skewMs,
      until: doubt.expiresAt.getTime() + skewMs,
    };
    const found: Found[] = [];
    let rest: LookOutcome | null = null;
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

  async function fetch(
    lane: Lane,
    doubt: Doubt,
    id: string,
    span: OpenSpan,
  ): Promise<Call | LookOutcome | null> {
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
  async function later(doubt: Doubt, seconds: number, reason?: 'accepted'): Promise<void> {
    await unknowns.lookLater(doubt, Math.max(0.5, seconds), reason);
  }

  async function told(
    lane: Lane,
    doubt: Doubt,
    { looked, isOver = false, whole = false }: Omit<LookOutcome & { kind: 'told' }, 'kind'>,
  ): Promise<void> {
    const { lagSeconds, absenceProves } = lane.client.listing ?? unlistable;
    const age = ageOf(doubt);
    const isListed = age > lagSeconds && doubt.at > doubt.expiresAt;
    if (absenceProves && whole && isListed && looked.calls.length === 0 && doubt.reason !== 'accepted') {
      const why = 'the service lists every call that it made, and not this one';
      if (await unknowns.free(doubt.id, why)) {
        log.info({ attempt: doubt.id }, 'a call in doubt was never made: the person waits again');
        deps.nudge();
        return;
      }
    }
    const repeats = doubt.repeatable && !isOver;
    const next = lane.client.can.find || repeats ? nextIn(age, lagSeconds, repeats) : null;
    await unknowns.looked(doubt, looked, next, isOver || next === null);
  }
}

const unlistable = { lagSeconds: 0, absenceProves: false };
const unlisted: LookOutcome = {
  kind: 'told',
  looked: {
    calls: [],
    why: 'its create can be sent again only with its own key, which is closed or not here',
  },
};

const ageOf = ({ at, dialingAt }: Doubt) => (at.getTime() - dialingAt.getTime()) / 1_000;

/** One call with our mark and the phone is the attempt's. Several are reported as they are. */
function weigh(matches: readonly string[], others: readonly string[], cut: string | undefined): LookOutcome {
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
function nextIn(age: number, lagSeconds: number, repeats: boolean): number | null {
  if (age > lastSeconds) return null;
  const next = Math.min(repeats ? mostRepeatSeconds : mostSeconds, Math.max(5, age));
  return age < lagSeconds + 1 ? Math.min(next, lagSeconds + 1 - age + 0.5) : next;
}
