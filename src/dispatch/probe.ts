import type { Lane } from '../ledger/lanes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../log.ts';
import type { Queues } from '../queues/queues.ts';
import type { LaneDesk, Tools } from './lane.ts';
import { openZones } from './plan.ts';
import type { Scope } from './scope.ts';

/** Keeps this process's picture of its lanes true, and sends the single probe of one that creates no more in its time. */
export type ProbeDeps = Tools & {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  desks(): readonly LaneDesk[];
  /** A run that leaves without credit asks a key once, when it starts, and gives up on one that runs out. */
  asksOnce?: boolean | undefined;
  log: Log;
};

/** The ledger judges by its own clock: who asks a little early is told that nothing is due. */
const aheadMs = 250;

export function createProbe(deps: ProbeDeps) {
  const { ledger, queues, scope, clock } = deps;
  /** Lanes that a run which asks once may still ask: those that had no credit when it began. */
  let unasked: Set<number> | null = null;

  /** Answers in how many ms the next probe is due, or null. */
  return async (): Promise<number | null> => {
    const lanes = await ledger.lanes.list();
    unasked ??= new Set(lanes.filter((lane) => lane.state === 'broke').map((lane) => lane.id));
    for (const desk of deps.desks()) {
      const lane = lanes.find((each) => each.id === desk.id);
      if (!lane) continue;
      desk.state = lane.state;
      if (dueIn(lane) > aheadMs) continue;
      const attempt = await choose(desk);
      if (!attempt) continue;
      unasked.delete(desk.id);
      const what = lane.state === 'broke' ? 'the credit is back' : 'the service is well again';
      deps.log.info({ key: desk.name, attempt }, `one create asks whether ${what}`);
      await queues.add(desk.bucket, 'dial', [attempt]);
    }
    // One that was asked for a little early is not due yet, and is asked for again.
    const next = Math.min(...lanes.map(dueIn).filter((ms) => ms > 0));
    return Number.isFinite(next) ? Math.ceil(next) : null;
  };

  /** Milliseconds; endless for a lane that is not asked. */
  function dueIn(lane: Lane): number {
    const isOurs = deps.desks().some((desk) => desk.id === lane.id);
    const rests = lane.state === 'broke' || lane.state === 'sick';
    if (!isOurs || !rests || lane.probeAt === null) return Number.POSITIVE_INFINITY;
    if (lane.state === 'broke' && deps.asksOnce && !unasked?.has(lane.id)) return Number.POSITIVE_INFINITY;
    return lane.probeAt.getTime() - clock.now();
  }

  /** Who has waited longest on the lane and may be called now; else a row that waits is planned for the purpose. */
  async function choose(desk: LaneDesk): Promise<string | null> {
    const open = (await ledger.lanes.windows(scope.campaignId))
      .map((window) => ({ id: window.id, zones: window.hours ? openZones(window, clock.now()) : null }))
      .filter((window) => window.zones === null || window.zones.length > 0);
    if (open.length === 0) return null;
    const found = await ledger.lanes.probe(desk.id, scope.campaignId, open);
    if (found) return found;
    for (const campaign of await ledger.lanes.plannable(scope.campaignId, scope.runId)) {
      const window = open.find((each) => each.id === campaign.id);
      const made = window && (await ledger.lanes.probeNew(desk.id, campaign.id, window.zones));
      if (made) return made;
    }
    return null;
  }
}
