import { createBoundedMap } from '../base/bounded-map.ts';
import type { Clock } from '../base/clock.ts';
import type { Attempt, Settlement, ToldCallback } from '../ledger/attempts/attempts.ts';
import type { ToldRecord } from '../ledger/kept-record.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Calendar, mayRing, nextOpening } from '../rules/calendar/calendar.ts';
import { readCallback } from '../rules/callback.ts';
import { type LateField, missingOf, refreshAfter } from '../rules/late-fields.ts';
import { readPlace } from '../rules/phone/place.ts';
import { nextAttemptAt, type Where } from '../rules/retry.ts';
import { localHourOf } from '../rules/time/zone-clock.ts';
import type { Call } from '../voice/call.ts';
import type { VoiceClient } from '../voice/client.ts';
import { type OptOutRule, type OptOutSight, seeOptOut, valueAt } from '../voice/opt-out.ts';
import type { LateFields } from './late-fields.ts';

type Last = VoiceClient['comesLast'];

/** The settle station: turns the service's record into a result, an outcome and a verdict, in one write. */
export type Settler = {
  /** How long to wait for what comes soon after the call's end, up to what comes last; null for no wait. */
  waitForRest(attempt: Attempt, outcome: string, call: Call, last: Last): number | null;
  settle(attempt: Attempt, outcome: string, call: Call, patienceMs?: number): Promise<boolean>;
};

/** The service has a clock of its own. */
const clockSlackMs = 60_000;
const restWaits = [2_000, 5_000, 10_000];
type SettlerDeps = {
  ledger: Ledger;
  lateFields: LateFields;
  clock: Clock;
  optOut: readonly OptOutRule[];
};

export function createSettler(deps: SettlerDeps): Settler {
  /** How often each call was waited for, and whether this service ever gives what comes last. */
  const waited = createBoundedMap<number>();
  let given = 0;
  let missing = 0;

  return {
    waitForRest(attempt, outcome, call, last) {
      if (outcome !== 'answered') return null;
      const times = waited.get(attempt.id) ?? 0;
      if (!call.isFinal && times < restWaits.length) {
        waited.set(attempt.id, times + 1);
        return restWaits[times]!;
      }
      if (call.kept[last]) {
        given += 1;
        return null;
      }
      // A service that never gives it is not worth waiting for: each poll saved is a call gained.
      const worthwhile = given > 0 || missing < 3;
      if (!worthwhile || times >= restWaits.length) {
        missing += 1;
        return null;
      }
      waited.set(attempt.id, times + 1);
      return restWaits[times]!;
    },

    async settle(attempt, outcome, call, patienceMs) {
      waited.delete(attempt.id);
      const missing = missingIn(outcome, call);
      const asked = await deps.lateFields.worthAsking(attempt.laneId, outcome, missing);
      return settle(deps, attempt, outcome, call, asked, patienceMs);
    },
  };
}

/**
 * The order may change while the service is asked, so the verdict follows the order at the end. `asked` are the fields
 * to ask for again; by default all that the record lacks.
 */
export async function settle(
  { ledger, clock, optOut }: Omit<SettlerDeps, 'lateFields'>,
  attempt: Attempt,
  outcome: string,
  call: Call,
  asked: readonly LateField[] = missingIn(outcome, call),
  patienceMs = 0,
): Promise<boolean> {
  for (let known = attempt; ; ) {
    const calendar = ledger.calendarOf(known.order.times);
    const settlement = settlementOf(known, outcome, call, clock.now(), asked, optOut, calendar);
    if (await ledger.attempts.settle(settlement, patienceMs)) {
      // This only updates why the person is shown to wait: the rules are asked again before the next attempt.
      if (settlement.again !== null || settlement.callbackAt)
        await ledger.policies.holdAhead(known.recipientId).catch(() => undefined);
      return true;
    }
    const now = await ledger.attempts.load(attempt.id);
    if (!now || now.revision === known.revision) return false;
    known = now;
  }
}

export function settlementOf(
  attempt: Attempt,
  outcome: string,
  call: Call,
  now: number,
  asked: readonly LateField[] = [],
  optOut: readonly OptOutRule[] = [],
  calendar: Calendar | null = null,
): Settlement {
  const sight = seeOptOut(optOutOf(attempt.order.optOut, optOut), call.record);
  const { order, place, callbacks } = attempt;
  const wish = { path: order.callbackAt, timezone: order.timezone, place, callbacks, calendar };
  return {
    id: attempt.id,
    revision: attempt.revision,
    polls: 1,
    status: call.status,
    outcome,
    ...lateRecord(call),
    startedAt: call.startedAt,
    endedAt: call.endedAt,
    again: sight === 'said' ? null : againIn(attempt, outcome, now, calendar),
    refresh: asked.length > 0 ? asked : null,
    refreshIn: asked.length > 0 ? refreshAfter[0]! : null,
    localHour: attempt.placedAt && localHourOf(attempt.place, attempt.placedAt.getTime()),
    optOut: isTold(sight, outcome, asked) ? sight : null,
    lateStart: lateStart(attempt, call, calendar),
    ...callbackIn(wish, sight, outcome, call, now),
  };
}

/** By what a wish to be called back is read; `path` is null or missing where the order looks for none. */
type WishRule = {
  path: string | null | undefined;
  timezone: string | null;
  place: string;
  callbacks: number;
  calendar: Calendar | null;
};

/** The record's wish to be called back. A person who wants no more calls is not called back. */
export function callbackIn(
  { path, calendar, place, ...asker }: WishRule,
  sight: OptOutSight | null,
  outcome: string,
  { record, endedAt }: Pick<Call, 'record' | 'endedAt'>,
  now: number,
): ToldCallback | null {
  if (!path || sight === 'said') return null;
  const { opens } = whereIs(place, calendar);
  const askedOn = { ...asker, place, opens, endedAt: endedAt === null ? now : Date.parse(endedAt) };
  const wish = readCallback(valueAt(record, path), outcome, askedOn, now);
  if (wish === null) return null;
  return { callbackAt: wish.at === null ? null : new Date(wish.at).toISOString(), callbackNote: wish.note };
}

/**
 * A service that queues a call may dial when the person may no longer be called. This reports it; the audit finds it.
 */
function lateStart({ place }: Attempt, { startedAt }: Call, calendar: Calendar | null): string | null {
  if (startedAt === null) return null;
  const at = Date.parse(startedAt);
  const isLate = !mayRing(calendar, place, at) && !mayRing(calendar, place, at - clockSlackMs);
  return isLate ? `the service began the call at ${startedAt}, outside the hours` : null;
}

/** Seconds from now until the next attempt; null when this was the last. */
function againIn(attempt: Attempt, outcome: string, now: number, calendar: Calendar | null): number | null {
  const { order, place, earlier, attempts, granted, callbacks, placedAt, hasNextPhone } = attempt;
  const tries = [...earlier, { outcome, at: placedAt?.getTime() ?? now }];
  const tried = { attempts, granted, callbacks, hasNextPhone, tries };
  const at = nextAttemptAt(tried, order, now, whereIs(place, calendar));
  return at === null ? null : (at - now) / 1_000;
}

/** A number that may be in several zones is spread by the first of them. */
export function whereIs(place: string, calendar: Calendar | null): Where {
  return { zone: readPlace(place).zones[0], opens: (from) => nextOpening(calendar, place, from) };
}

/** The rules of the profile and that of the campaign; one match is enough. */
export function optOutOf(
  campaign: OptOutRule | null | undefined,
  profile: readonly OptOutRule[],
): readonly OptOutRule[] {
  return campaign ? [...profile, campaign] : profile;
}

/** Only a conversation can be expected to have the field, and only when no more of the record is to come. */
function isTold(sight: OptOutSight | null, outcome: string, asked: readonly LateField[]): boolean {
  return sight !== 'absent' || (outcome === 'answered' && !asked.includes('structured_data'));
}

/** The part of a record that may still come after the call was settled. */
export function lateRecord({ kept, rest, endedReason }: Call): ToldRecord {
  return { ...kept, record: rest, ended_reason: endedReason };
}

/** The parts of the record that may still come, the outcome among them. */
export function missingIn(outcome: string, { kept, isFinal }: Call): LateField[] {
  return missingOf(outcome, { ...kept, isFinal });
}

/** An outcome other than the known one, once the service says that it is final. */
export function lateOutcome(known: string | null, { stage, isFinal }: Call): string | null {
  return isFinal && stage.kind === 'ended' && stage.outcome !== known ? stage.outcome : null;
}
