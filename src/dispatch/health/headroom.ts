import type { Lane } from '../../lane/lane.ts';
import type { LaneLoad, Plannable } from '../../ledger/lanes/lanes.ts';
import type { Scope } from '../scope.ts';

/**
 * How much may be planned ahead: a few seconds of work. An attempt that waits for its token cannot react to a new
 * campaign's turn, and if its worker dies it waits until the reconciler finds it.
 */
const aheadSeconds = 5;
const leastAhead = 5;
const mostAhead = 5_000;
/** How far a campaign may be ahead of one that another process plans, in seconds of the whole lane's work. */
const leadSeconds = 3;

/** How many attempts a scope may plan on a lane now. */
export function laneHeadroom(
  lane: Lane,
  loads: readonly LaneLoad[],
  scope: Scope,
  cap: number | null,
): number {
  const onLane = loadsOf(lane, loads);
  const planned = sum(
    onLane.filter((load) =>
      scope.campaignId ? load.campaignId === scope.campaignId : load.driver === 'background',
    ),
    (load) => load.planned,
  );
  const headroom = perSeconds(lane, aheadSeconds) - planned;
  const capped = cap === null ? headroom : cap - sum(onLane, (r) => r.planned + r.dialing + r.placed);
  return Math.max(0, Math.min(headroom, capped));
}

/** How many attempts a campaign may be ahead of one that another process plans. */
export function leadOn(lane: Lane): number {
  return perSeconds(lane, leadSeconds);
}

/** Counts what a campaign has in the lane's queue. */
export function queuedOf({ id }: Plannable, lane: Lane, loads: readonly LaneLoad[]): number {
  return plannedOn(
    lane,
    loads.filter((load) => load.campaignId === id),
  );
}

/** How many attempts a campaign's own rules still allow. */
export function campaignHeadroom(campaign: Plannable, loads: readonly LaneLoad[]): number {
  return Math.min(callHeadroom(campaign, loads), campaign.allowed ?? Number.POSITIVE_INFINITY);
}

function callHeadroom(campaign: Plannable, loads: readonly LaneLoad[]): number {
  const mine = loads.filter((load) => load.campaignId === campaign.id);
  if (!campaign.proved) return 1 - sum(mine, (load) => Math.min(load.planned, load.fresh) + load.trying);
  if (campaign.maxCalls === null) return Number.POSITIVE_INFINITY;
  return campaign.maxCalls - sum(mine, (load) => load.planned + load.dialing + load.placed);
}

/** Sums of planned, dialing and placed attempts on lanes and campaigns. */
export function plannedOn(lane: Lane, loads: readonly LaneLoad[]): number {
  return sum(loadsOf(lane, loads), (load) => load.planned);
}

export function loadsOf(lane: Lane, loads: readonly LaneLoad[]): LaneLoad[] {
  return loads.filter((load) => load.laneId === lane.id);
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function perSeconds(lane: Lane, seconds: number): number {
  return Math.min(mostAhead, Math.max(leastAhead, Math.ceil(lane.governor.limit().rate * seconds)));
}
