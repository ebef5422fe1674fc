import type { Plannable, Room } from '../ledger/lanes.ts';
import type { LaneDesk } from './lane.ts';
import type { Scope } from './scope.ts';

/**
 * How much may stand planned: few seconds of work, as all that stands before its token is deaf to a new campaign's
 * turn, and in the hands of a worker that dies it stands still until its jobs are found.
 */
const aheadSeconds = 5;
const leastAhead = 5;
const mostAhead = 5_000;
/** By so much work of the whole lane a campaign may be ahead of one that another process plans. */
const leadSeconds = 3;

/** Attempts that a scope may plan on a lane now. */
export function laneRoom(desk: LaneDesk, rooms: readonly Room[], scope: Scope, cap: number | null): number {
  const onLane = roomsOf(desk, rooms);
  const planned = sum(
    onLane.filter((room) =>
      scope.campaignId ? room.campaignId === scope.campaignId : room.driver === 'background',
    ),
    (room) => room.planned,
  );
  const room = perSeconds(desk, aheadSeconds) - planned;
  const capped = cap === null ? room : cap - sum(onLane, (r) => r.planned + r.dialing + r.placed);
  return Math.max(0, Math.min(room, capped));
}

/** By how many attempts a campaign may be ahead of one that another process plans. */
export function leadOn(desk: LaneDesk): number {
  return perSeconds(desk, leadSeconds);
}

/** What a campaign has in the lane's queue. */
export function stockOf({ id }: Plannable, desk: LaneDesk, rooms: readonly Room[]): number {
  return plannedOn(
    desk,
    rooms.filter((room) => room.campaignId === id),
  );
}

/** Attempts that a campaign's own rules still let through. */
export function campaignRoom(campaign: Plannable, rooms: readonly Room[]): number {
  const mine = rooms.filter((room) => room.campaignId === campaign.id);
  const pending = sum(mine, (room) => room.planned + room.dialing);
  if (!campaign.proved) return 1 - pending;
  if (campaign.maxCalls === null) return Number.POSITIVE_INFINITY;
  return campaign.maxCalls - pending - sum(mine, (room) => room.placed);
}

/** Sums over what stands planned, dialing and placed on lanes and campaigns. */
export function plannedOn(desk: LaneDesk, rooms: readonly Room[]): number {
  return sum(roomsOf(desk, rooms), (room) => room.planned);
}

export function roomsOf(desk: LaneDesk, rooms: readonly Room[]): Room[] {
  return rooms.filter((room) => room.laneId === desk.id);
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function perSeconds(desk: LaneDesk, seconds: number): number {
  return Math.min(mostAhead, Math.max(leastAhead, Math.ceil(desk.governor.limit().rate * seconds)));
}
