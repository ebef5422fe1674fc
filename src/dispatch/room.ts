import type { Room } from '../ledger/lanes.ts';
import type { LaneDesk } from './lane.ts';

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
