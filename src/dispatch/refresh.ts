import type { Asides } from '../base/asides.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Meters } from '../base/metrics/meters.ts';
import type { OpenSpan } from '../base/spans.ts';
import type { Lane } from '../lane/lane.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LateCount, Refresh, Refreshed } from '../ledger/refreshes/refreshes.ts';
import { type LateField, refreshAfter } from '../rules/late-fields.ts';
import type { Call, Turn } from '../voice/call.ts';
import type { Fault } from '../voice/faults.ts';
import { pagesOf, transcriptFrom } from '../voice/lists.ts';
import { findMismatch } from '../voice/mismatch.ts';
import { type OptOutRule, type OptOutSight, seeOptOut } from '../voice/opt-out.ts';
import { type CloseLaneDeps, closeLane } from './create-answer.ts';
import type { LateFields } from './late-fields.ts';
import { callbackIn, lateOutcome, lateRecord, missingIn, optOutOf } from './settle.ts';
import { afterAttempt } from './spans.ts';

/** The refresh station: asks again for records that were incomplete when their calls ended, while a lane is at rest. */
type RefreshDeps = CloseLaneDeps & {
  ledger: Ledger;
  lateFields: LateFields;
  asides: Asides;
  optOut: readonly OptOutRule[];
  clock: Clock;
  log: Log;
  meters: Meters;
};

/** The largest share of a lane's rate, and the most requests at once, so that a poll hardly waits behind them. */
const share = 0.2;
const mostAtOnce = 16;
/** A process that claimed a call and does not return leaves it to others after this long. */
const leaseSeconds = 120;
const leastRestMs = 250;
/** The most pages of one conversation, in case a service never marks its last page. */
const mostPages = 20;

export function createRefresh(deps: RefreshDeps) {
  const { ledger, log } = deps;

  /** One round over the idle lanes; returns the milliseconds until the next is worthwhile, or null. */
  return async (): Promise<number | null> => {
    const lanes = deps.lanes().filter(isAtRest);
    if (lanes.length === 0) return null;
    const mosts = lanes.map((lane) => ({ id: lane.id, most: mostOf(lane) }));
    const taken = await ledger.refreshes.claim(mosts, leaseSeconds);
    const rests = await Promise.all(
      lanes.map((lane) =>
        askOn(
          lane,
          taken.filter(({ laneId }) => laneId === lane.id),
        ),
      ),
    );
    const due = rests.filter((ms) => ms !== null);
    return due.length > 0 ? Math.min(...due) : null;
  };

  async function askOn(lane: Lane, taken: readonly Refresh[]): Promise<number | null> {
    if (taken.length === 0) return null;
    const counts: LateCount[] = [];
    await Promise.all(
      taken.map(async (each) => {
        const refreshed = await deps.asides.guard('refresher', each.id, () =>
          afterAttempt(each.id, 'refresh record', async (span) => {
            const asked = await ask(lane, each, counts, span);
            await ledger.refreshes.keep(asked);
            return asked;
          }),
        );
        if (refreshed?.callbackAt) await ledger.campaigns.wake(each.campaignId!);
      }),
    );
    await deps.lateFields.saw(lane.id, sumOf(counts));
    return Math.max(leastRestMs, (taken.length / shareOf(lane)) * 1_000);
  }

  async function ask(lane: Lane, refresh: Refresh, counts: LateCount[], span: OpenSpan): Promise<Refreshed> {
    const { id, callId, phone, caller, agentId } = refresh;
    if (callId === null || phone === null) return { id, asked: 0, next: null, over: true };
    const passage = await lane.sendGate.enter('poll');
    if (!passage.ok) return { id, asked: 0, next: passage.restMs / 1_000, over: false };
    const answer = await lane.client.get({ id: callId, agentId }, { onSent: passage.onSent, span });
    if (!answer.ok) return refused(lane, refresh, answer.fault, answer.ms, counts);
    lane.governor.clean(lane.pacer.waiting() > 0, answer.ms);
    const mismatch = findMismatch({ callId, phone, caller }, answer.value);
    if (mismatch === null) {
      if (refresh.fields.includes('cost'))
        deps.meters.cost.inc({ key: lane.name }, answer.value.kept.cost ?? 0);
      const { call, requests } = await withTranscript(lane, refresh, answer.value, span);
      const next = told(refresh, call, counts);
      return { ...next, asked: next.asked + requests };
    }
    log.debug({ attempt: id, why: mismatch }, 'a record was not used');
    return followed(refresh, refresh.fields, counts);
  }

  /** Adds the transcript if the service has it at an address of its own. */
  async function withTranscript(
    lane: Lane,
    { fields, callId, agentId }: Refresh,
    call: Call,
    span: OpenSpan,
  ): Promise<{ call: Call; requests: number }> {
    const isWanted = fields.includes('transcript') && call.kept.transcript === null;
    if (!isWanted || !lane.client.can.transcript) return { call, requests: 0 };
    const lines: string[] = [];
    let requests = 0;
    let isWhole = true;
    let onSent: () => void = () => undefined;
    const before = async () => {
      const passage = await lane.sendGate.enter('poll');
      if (passage.ok) onSent = passage.onSent;
      else isWhole = false;
      return passage.ok;
    };
    const ask = (turn: Turn | null) =>
      lane.client.transcript({ id: callId!, agentId }, turn, { onSent, span });
    for await (const page of pagesOf(ask, before, mostPages)) {
      requests += 1;
      if (!page.ok) return { call, requests };
      lines.push(...page.value.items);
    }
    if (!isWhole) return { call, requests };
    return { call: { ...call, kept: { ...call.kept, transcript: transcriptFrom(lines) } }, requests };
  }

  /** Waiting is not failing: a record that was not read spends no try. */
  async function refused(
    lane: Lane,
    refresh: Refresh,
    fault: Fault,
    ms: number,
    counts: LateCount[],
  ): Promise<Refreshed> {
    const { id } = refresh;
    const wait = (asked: number, restMs: number): Refreshed => ({
      id,
      asked,
      next: restMs / 1_000,
      over: false,
    });
    switch (fault.kind) {
      case 'busy':
      case 'full':
        return wait(1, await lane.governor.busy(fault.retryAfterMs, ms));
      case 'unreachable':
        return wait(0, await lane.governor.away(ms, fault.message));
      case 'denied':
        await closeLane(deps, lane, fault.message);
        return wait(1, leaseSeconds * 1_000);
      case 'refused':
        // The service no longer has the record.
        count(refresh, { vain: refresh.fields }, counts);
        return { id, asked: 1, next: null, over: true };
      default:
        return followed(refresh, refresh.fields, counts);
    }
  }

  function told(refresh: Refresh, call: Call, counts: LateCount[]): Refreshed {
    const late = lateRecord(call);
    const missing = missingIn(refresh.outcome ?? '', call);
    const came = refresh.fields.filter((field) => !missing.includes(field));
    count(refresh, { late: came }, counts);
    const wanted = refresh.fields.filter((field) => missing.includes(field));
    const next = followed(refresh, wanted, counts);
    // An outcome that was final when it was settled stays.
    const outcome = refresh.fields.includes('outcome') ? lateOutcome(refresh.outcome, call) : null;
    const optOut = sightOf(refresh, call, next.over);
    return { ...next, ...late, outcome, optOut, ...wishOf(refresh, call, optOut) };
  }

  function wishOf({ callback, outcome }: Refresh, call: Call, sight: OptOutSight | null) {
    if (callback === null) return null;
    const { times, ...rule } = callback;
    const wish = { ...rule, calendar: ledger.calendarOf(times) };
    return callbackIn(wish, sight, outcome ?? '', call, deps.clock.now());
  }

  /** A missing field counts once, when no more of the record is to come. */
  function sightOf({ optOut, outcome, fields }: Refresh, call: Call, over: boolean): OptOutSight | null {
    const sight = seeOptOut(optOutOf(optOut, deps.optOut), call.record);
    const isLast = over && outcome === 'answered' && fields.includes('structured_data');
    return sight === 'absent' && !isLast ? null : sight;
  }

  /** A try was made, and the next one follows unless it was the last or nothing is missing. */
  function followed(refresh: Refresh, missing: readonly LateField[], counts: LateCount[]): Refreshed {
    const { id } = refresh;
    const tries = refresh.tries + 1;
    const next = missing.length > 0 ? refreshAfter[tries] : undefined;
    if (next !== undefined) return { id, asked: 1, next, tries, fields: missing, over: false };
    count(refresh, { vain: missing }, counts);
    return { id, asked: 1, next: null, over: true };
  }
}

const shareOf = (lane: Lane) => lane.governor.limit().rate * share;
const mostOf = (lane: Lane) => Math.max(1, Math.min(mostAtOnce, Math.floor(shareOf(lane))));

/** True when nothing waits on the lane and the service did not ask for a rest. */
function isAtRest(lane: Lane): boolean {
  const asked = lane.state === 'open' || lane.state === 'out_of_credit';
  return asked && lane.backlog === 0 && lane.pacer.waiting() === 0 && lane.pacer.restsMs() === 0;
}

function count(
  { outcome }: Refresh,
  fields: { late?: readonly LateField[]; vain?: readonly LateField[] },
  counts: LateCount[],
): void {
  for (const field of fields.late ?? []) counts.push({ outcome: outcome ?? '', field, late: 1, vain: 0 });
  for (const field of fields.vain ?? []) counts.push({ outcome: outcome ?? '', field, late: 0, vain: 1 });
}

function sumOf(counts: readonly LateCount[]): LateCount[] {
  const sums = new Map<string, LateCount>();
  for (const each of counts) {
    const key = `${each.outcome} ${each.field}`;
    const sum = sums.get(key);
    sums.set(key, sum ? { ...each, late: sum.late + each.late, vain: sum.vain + each.vain } : each);
  }
  return [...sums.values()];
}
