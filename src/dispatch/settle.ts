import { createBoundedMap } from '../base/bounded-map.ts';
import type { Clock } from '../base/clock.ts';
import type { Attempt, Settlement } from '../ledger/attempts/verbs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { recordColumns, type ToldRecord } from '../ledger/record.ts';
import { readPlace } from '../rules/phone/place.ts';
import { type LateField, missingOf, refreshAfter } from '../rules/refresh.ts';
import { nextAttemptAt, type Where } from '../rules/retry.ts';
import { type Calendar, nextOpening } from '../rules/time/calendar.ts';
import { localHourOf } from '../rules/time/local-hour.ts';
import { type OptOutRule, type OptOutSight, seeOptOut } from '../voice/opt-out.ts';
import type { CallRecord } from '../voice/wire.ts';
import type { LateFields } from './lateness.ts';

/** The settle station: turns the service's record into a result, an outcome and a verdict, in one write. */
export type Settler = {
  /** How long to wait for a transcript that comes after the call's end; null for no wait. */
  waitForTranscript(attempt: Attempt, outcome: string, record: CallRecord): number | null;
  settle(attempt: Attempt, outcome: string, record: CallRecord): Promise<boolean>;
};

const transcriptWaits = [2_000, 5_000, 10_000];
/** Characters of JSON. */
const mostOfRest = 32_768;

export type SettlerDeps = {
  ledger: Ledger;
  lateFields: LateFields;
  clock: Clock;
  optOut: readonly OptOutRule[];
};

export function createSettler(deps: SettlerDeps): Settler {
  /** How often each call has been waited for, and whether this service gives transcripts at all. */
  const waited = createBoundedMap<number>();
  let given = 0;
  let missing = 0;

  return {
    waitForTranscript(attempt, outcome, record) {
      if (outcome !== 'answered') return null;
      const times = waited.get(attempt.id) ?? 0;
      if (record.transcript) {
        given += 1;
        return null;
      }
      // A service that gives none is not worth waiting for: each poll saved is a call gained.
      const worthwhile = given > 0 || missing < 3;
      if (!worthwhile || times >= transcriptWaits.length) {
        missing += 1;
        return null;
      }
      waited.set(attempt.id, times + 1);
      return transcriptWaits[times]!;
    },

    async settle(attempt, outcome, record) {
      waited.delete(attempt.id);
      const missing = missingOf(outcome, lateRecord(record));
      const asked = await deps.lateFields.worthAsking(attempt.laneId, outcome, missing);
      return settle(deps, attempt, outcome, record, asked);
    },
  };
}

/**
 * The order may change while the service is asked: the verdict follows the order at the end. `asked`
 * are the fields to ask for again; by default all that the record lacks.
 */
export async function settle(
  { ledger, clock, optOut }: Omit<SettlerDeps, 'lateFields'>,
  attempt: Attempt,
  outcome: string,
  record: CallRecord,
  asked: readonly LateField[] = missingOf(outcome, lateRecord(record)),
): Promise<boolean> {
  for (let known = attempt; ; ) {
    const calendar = ledger.calendarOf(known.order.times);
    const settlement = settlementOf(known, outcome, record, clock.now(), asked, optOut, calendar);
    if (await ledger.attempts.settle(settlement)) {
      // Only what is told of the wait: the rules are asked again before the next attempt.
      if (settlement.again !== null)
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
  record: CallRecord,
  now: number,
  asked: readonly LateField[] = [],
  optOut: readonly OptOutRule[] = [],
  calendar: Calendar | null = null,
): Settlement {
  const sight = seeOptOut(optOutOf(attempt.order.optOut, optOut), record);
  return {
    id: attempt.id,
    revision: attempt.revision,
    polls: 1,
    status: record.status ?? null,
    outcome,
    ...lateRecord(record),
    startedAt: timeOf(record.created_at),
    endedAt: timeOf(record.updated_at),
    again: sight === 'said' ? null : againIn(attempt, outcome, now, calendar),
    refresh: asked.length > 0 ? asked : null,
    refreshIn: asked.length > 0 ? refreshAfter[0]! : null,
    localHour: attempt.placedAt && localHourOf(attempt.place, attempt.placedAt.getTime()),
    optOut: isTold(sight, outcome, asked) ? sight : null,
  };
}

/** Seconds from now until the next attempt; null when this was the last. */
function againIn(attempt: Attempt, outcome: string, now: number, calendar: Calendar | null): number | null {
  const { order, place, earlier, attempts, granted, placedAt } = attempt;
  const tries = [...earlier, { outcome, at: placedAt?.getTime() ?? now }];
  const at = nextAttemptAt({ attempts, granted, tries }, order, now, whereIs(place, calendar));
  return at === null ? null : (at - now) / 1_000;
}

/** A number that may be in several zones is spread by the first of them. */
export function whereIs(place: string, calendar: Calendar | null): Where {
  return { zone: readPlace(place).zones[0], opens: (from) => nextOpening(calendar, place, from) };
}

/** Those of the profile and that of the campaign; one of them is enough. */
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
export function lateRecord(record: CallRecord): ToldRecord {
  return {
    duration: record.duration ?? null,
    cost: record.cost ?? null,
    transcript: record.transcript || null,
    recordingUrl: record.recording_url || null,
    structuredData: record.structured_data ?? null,
    providerCallSid: record.provider_call_sid || null,
    direction: record.direction || null,
    contactId: record.contact_id || null,
    metadata: record.metadata ?? null,
    record: restOf(record),
  };
}

/**
 * Fields without a column, as many as fit: some services tell a conversation again in fields of their own.
 */
function restOf(record: CallRecord): Record<string, unknown> {
  let left = mostOfRest;
  const others = Object.entries(record).filter(([name, value]) => {
    if (recordColumns.has(name) || value === undefined) return false;
    const size = JSON.stringify([name, value]).length;
    if (size > left) return false;
    left -= size;
    return true;
  });
  return Object.fromEntries(others);
}

/** The interface does not name a format of its times: what Date reads is kept, anything else is not guessed. */
function timeOf(text: string | null | undefined): string | null {
  if (!text) return null;
  const at = new Date(text);
  // Date reads a bare number as a year that Postgres cannot store.
  return at.getFullYear() >= 0 && at.getFullYear() <= 9_999 ? at.toISOString() : null;
}
