import type { Clock } from '../base/clock.ts';
import { CarillonError } from '../base/errors.ts';
import { isShut, orderCall, stopped } from '../control/calls/create.ts';
import type { SingleOrder } from '../control/calls/read.ts';
import { refuseErased } from '../control/people/erase.ts';
import type { Stations } from '../dispatch/stations.ts';
import type { DialPermit } from '../dispatch/trust/dial-permit.ts';
import type { Lane } from '../lane/lane.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { AttemptReport } from '../ledger/reports/reports.ts';
import type { Step } from '../queues/job.ts';

/**
 * One call in the foreground: ordered as any other, planned at once, and dialled here and now with the same intent, fence
 * and record. A call that cannot be dialled now is withdrawn, not left for later; only one that a contact rule holds waits,
 * as one that was ordered through the API does.
 */
export type SingleDeps = {
  ledger: Ledger;
  /** Of a background scope: single calls belong to no run. */
  stations: Stations;
  permit: DialPermit;
  /** The person who orders it, for the history of a call that ignores the contact rules. */
  by: string;
  baseUrl: string;
  clock: Clock;
  /** Withdraws the call while it is not dialled yet, and ends the following of one that is. */
  signal: AbortSignal;
  note(line: string): void;
};

/** After this many refused connections in a row the service counts as away. */
const mostAbsences = 3;
/** A background worker that also follows the call has this long to ask before we do. */
const graceMs = 500;
/** How often to check whether the phone is free. */
const inUseRestMs = 500;
/** How long until the next check whether another call's probe of a failing service was answered. */
const probeWaitMs = 500;
/** How often to check on a call that a background worker has taken, and how soon to try one again that a worker dropped. */
const takenRestMs = 100;
const droppedRestMs = 200;
/** A longer rest is told. */
const toldRestMs = 1_000;

/** How the attempt stands; or the person's row when a rule holds it, until background workers make the call. */
type PlacedSingle = { report: AttemptReport; waits: null } | { report: null; waits: string };

/** Resolves when the call is placed, or when it is known why it was not. */
export async function placeSingle(order: SingleOrder, deps: SingleDeps): Promise<PlacedSingle> {
  const { ledger, permit, by, baseUrl } = deps;
  const unfit = permit.trouble();
  if (unfit) throw unfit;
  await refuseErased(ledger, order.person.phone);
  const lane = isShut({ ledger, now: permit.now() }, order) ? undefined : (await chooseLane(deps)).id;
  const door = { ledger, baseUrl, clock: permit };
  const { id, attempt } = await orderCall(door, order, { request: null, lane, by });
  if (attempt === null) return { report: null, waits: String(id) };
  const report = await dialSingle(attempt, order.person.phone, deps);
  // A rule took hold at the last moment.
  const held = report.state === 'dropped' && report.recipientState === 'waiting';
  return held ? { report: null, waits: String(id) } : { report, waits: null };
}

/** Dials until the attempt has left the queue, or it is known why it cannot. */
async function dialSingle(id: string, phone: string, deps: SingleDeps): Promise<AttemptReport> {
  const { stations, clock, signal } = deps;
  const tellInUse = once(() => deps.note(`Waiting: another call to ${phone} has not ended.`));
  for (let absences = 0; ; ) {
    const before = await look(deps, id);
    if (before.state !== 'planned' && before.state !== 'dialing') return before;
    if (signal.aborted) return before.state === 'planned' ? withdraw(deps, id, 'interrupted') : before;
    if (before.state === 'dialing') {
      // A background worker has taken it.
      await clock.sleep(takenRestMs, signal);
      continue;
    }
    const lane = await laneFor(deps, before);
    if (!lane) {
      await withdraw(deps, id, 'no key is accepted by the service');
      throw new CarillonError('key-denied', 'The service does not accept any key; nobody was called');
    }
    if (!(await mayDialOn(lane, id, deps)) || (await isPhoneInUse(id, deps, tellInUse))) continue;
    const step = await stations.dial(lane, id);
    if (step.kind === 'done') continue;
    const after = await look(deps, id);
    absences = wasAway(before, after) ? absences + 1 : 0;
    await refuseIfHopeless(absences, step, after, deps);
    const restMs = step.kind === 'rest' || step.kind === 'wait' ? step.ms : droppedRestMs;
    if (restMs > toldRestMs) {
      const why = after.detail ?? `the key ${after.key} has no requests left`;
      deps.note(`Waiting ${(restMs / 1_000).toFixed(1)} s: ${why}.`);
    }
    await clock.sleep(restMs, signal);
  }
}

/** On a key that rests without credit or with failures, this call is the probe; another's is waited for. */
async function mayDialOn(lane: Lane, id: string, { ledger, clock, signal }: SingleDeps): Promise<boolean> {
  if (lane.state !== 'out_of_credit' && lane.state !== 'failing') return true;
  await ledger.lanes.probeNow();
  if (await ledger.lanes.probeWith(lane.id, id)) return true;
  if (lane.state === 'out_of_credit') await ledger.attempts.park(id, lane.id, 'no credit');
  else await clock.sleep(probeWaitMs, signal);
  return false;
}

async function isPhoneInUse(id: string, { ledger, clock, signal }: SingleDeps, tell: () => void) {
  if (!(await ledger.attempts.load(id))?.inUse) return false;
  tell();
  await clock.sleep(inUseRestMs, signal);
  return true;
}

/** The attempt was opened, no request counts as sent, and it is planned again: the service was not reached. */
function wasAway(before: AttemptReport, after: AttemptReport): boolean {
  return (
    after.state === 'planned' &&
    after.requests === before.requests &&
    after.dialingAt?.getTime() !== before.dialingAt?.getTime()
  );
}

/** Withdraws a call that nobody will dial soon, and says why. */
async function refuseIfHopeless(
  absences: number,
  step: Step,
  after: AttemptReport,
  deps: SingleDeps,
): Promise<void> {
  if (absences >= mostAbsences) {
    await withdraw(deps, after.id, 'the service cannot be reached');
    throw new CarillonError('service-unreachable', `Nobody was called: ${after.detail}`);
  }
  if (step.kind === 'drop' && after.campaignState !== 'running') {
    await withdraw(deps, after.id, `the campaign is ${after.campaignState}`);
    throw stopped(after.campaign, after.campaignState);
  }
}

/** Asks until the call has ended or is stale; resolves early, with what is known, when the signal fires. */
export async function followSingle(id: string, deps: SingleDeps): Promise<AttemptReport> {
  const { stations, clock, signal } = deps;
  for (;;) {
    const report = await look(deps, id);
    if (report.state !== 'placed' || signal.aborted) return report;
    const lane = await laneFor(deps, report);
    if (!lane) {
      throw new CarillonError('key-denied', `The service no longer accepts the key ${report.key}`);
    }
    const due = (report.nextPollAt?.getTime() ?? 0) + graceMs - clock.now();
    if (due > 0) {
      await clock.sleep(due, signal);
      continue;
    }
    const step = await stations.track(lane, id);
    if (step.kind === 'rest') await clock.sleep(step.ms, signal);
    if (step.kind === 'drop') await clock.sleep(graceMs, signal);
  }
}

/** The open key with the fewest attempts; else one that is failing or out of credit, as that may be over. */
async function chooseLane(deps: SingleDeps): Promise<Lane> {
  const rows = await refreshLanes(deps);
  const load = (lane: Lane) => {
    const row = rows.find((each) => each.id === lane.id);
    return row ? row.planned + row.calling : 0;
  };
  const lanes = deps.stations
    .lanes()
    .filter((each) => !each.leaving)
    .sort((a, b) => load(a) - load(b));
  const lane =
    lanes.find((each) => each.state === 'open') ??
    lanes.find((each) => each.state === 'failing') ??
    lanes.find((each) => each.state === 'out_of_credit');
  if (lane) return lane;
  throw new CarillonError('key-denied', 'Every key is closed: the service did not accept them');
}

/** Null when the attempt's key is closed and it could not move to another key. */
async function laneFor(deps: SingleDeps, report: AttemptReport): Promise<Lane | null> {
  await refreshLanes(deps);
  const lane = deps.stations.lanes().find((each) => each.id === report.laneId);
  return lane && lane.state !== 'denied' ? lane : null;
}

async function refreshLanes({ ledger, stations }: SingleDeps) {
  const rows = await ledger.lanes.list();
  for (const lane of stations.lanes()) {
    lane.state = rows.find((row) => row.id === lane.id)?.state ?? lane.state;
  }
  return rows;
}

async function withdraw(deps: SingleDeps, id: string, why: string): Promise<AttemptReport> {
  await deps.ledger.attempts.skip(id, why);
  return look(deps, id);
}

async function look({ ledger }: SingleDeps, id: string): Promise<AttemptReport> {
  const report = await ledger.reports.attempt(id);
  if (!report) throw new CarillonError('attempt-unknown', `The attempt was not found: ${id}`);
  return report;
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}
