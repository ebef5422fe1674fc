import type { Asides } from '../../base/asides.ts';
import type { Log } from '../../base/log.ts';
import type { Lane } from '../../lane/lane.ts';
import type { LaneRow } from '../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Queues } from '../../queues/queues.ts';
import { openPlaces } from '../../rules/calendar/calendar.ts';
import type { Scope, Tools } from '../scope.ts';
import type { DialPermit } from '../trust/dial-permit.ts';
import type { Breaker } from './breaker.ts';

/** Keeps this process's view of its lanes current, and probes lanes that rest without credit or with failures. */
type ProbeDeps = Tools & {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  permit: DialPermit;
  breaker: Breaker;
  asides: Asides;
  lanes(): readonly Lane[];
  /** A run with --on-402 exit asks a key without credit once, when it starts, and gives up on one that runs out. */
  asksOnce?: boolean | undefined;
  log: Log;
};

/** The ledger judges by its own clock, so that asking a little early is answered with "nothing is due". */
const aheadMs = 250;

export function createProbe(deps: ProbeDeps) {
  const { ledger, queues, scope, permit, breaker, asides, clock } = deps;
  /** Lanes that such a run may still ask: those without credit when it started. */
  let unasked: Set<number> | null = null;

  /** Returns the milliseconds until the next probe is due, or null. */
  return async (): Promise<number | null> => {
    await permit.fresh();
    if (permit.trouble()) return null;
    const rows = await ledger.lanes.list();
    unasked ??= new Set(rows.filter((row) => row.state === 'out_of_credit').map((row) => row.id));
    for (const lane of deps.lanes()) {
      const row = rows.find((each) => each.id === lane.id);
      if (!row) continue;
      lane.state = row.state;
      await breaker.look(lane, row);
      const cap = lane.governor.cap();
      if (cap !== row.maxCalls) await ledger.lanes.limit(lane.id, cap);
      if (row.state === 'out_of_credit' && row.planned > 0) await ledger.lanes.parkCrossed(lane.id);
      if (dueIn(row) > aheadMs) continue;
      const attempt = await choose(lane);
      if (!attempt) continue;
      unasked.delete(lane.id);
      const what = row.state === 'out_of_credit' ? 'the credit is back' : 'the service works again';
      deps.log.info({ key: lane.name, attempt }, `one create asks whether ${what}`);
      await queues.add(lane.bucket, 'dial', [attempt]);
    }
    // If this asked a little early, the probe is not due yet and is asked for again.
    const next = Math.min(...rows.map(dueIn).filter((ms) => ms > 0));
    return Number.isFinite(next) ? Math.ceil(next) : null;
  };

  /** Milliseconds; infinite for a lane that is not probed. */
  function dueIn(row: LaneRow): number {
    const isOurs = deps.lanes().some((lane) => lane.id === row.id && !lane.leaving);
    const rests = row.state === 'out_of_credit' || row.state === 'failing';
    if (!isOurs || !rests || row.probeAt === null) return Number.POSITIVE_INFINITY;
    if (row.state === 'out_of_credit' && deps.asksOnce && !unasked?.has(row.id))
      return Number.POSITIVE_INFINITY;
    return row.probeAt.getTime() - clock.now();
  }

  /**
   * The attempt that waited longest on the lane and may be called now; if there is none, a waiting row is planned. One
   * that is set aside cannot be sent, and the lane would rest for ever.
   */
  async function choose(lane: Lane): Promise<string | null> {
    const open = (await ledger.lanes.windows(scope.campaignId))
      .map((window) => ({
        id: window.id,
        places: openPlaces(ledger.calendarOf(window.times), window.places, permit.now()),
      }))
      .filter((window) => window.places === null || window.places.length > 0);
    if (open.length === 0) return null;
    for (;;) {
      const next = await ledger.lanes.nextProbe(lane.id, scope.campaignId, open, asides.resting());
      if (next === null) break;
      const isSent = await asides.guard('prober', next, () => ledger.lanes.probeWith(lane.id, next));
      if (isSent !== undefined) return isSent ? next : null;
    }
    for (const campaign of await ledger.lanes.plannable(scope.campaignId, scope.runId)) {
      // A call without money, or beyond its run's limit, would never be sent, and the key would stay closed for the others.
      if (campaign.allowed !== null && campaign.allowed <= 0) continue;
      const window = open.find((each) => each.id === campaign.id);
      const made =
        window &&
        (await asides.guard('prober', campaign.id, () =>
          ledger.lanes.probeNew(lane.id, campaign.id, window.places),
        ));
      if (made) return made;
    }
    return null;
  }
}
