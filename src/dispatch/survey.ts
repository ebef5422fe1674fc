import type { Ledger } from '../ledger/ledger.ts';
import type { LaneDesk } from './lane.ts';
import { plannedOn, roomsOf, sum } from './room.ts';
import { isBusy } from './watch.ts';

/** Looks over the lanes as all processes have left them: their pace, their backlog, and what a request is worth. */
export function createSurvey(deps: { ledger: Ledger; desks(): readonly LaneDesk[] }) {
  /** Answers whether anything is under way. */
  return async (): Promise<boolean> => {
    await Promise.all(deps.desks().map((desk) => desk.governor.refresh()));
    const rooms = await deps.ledger.lanes.rooms();
    for (const desk of deps.desks()) {
      desk.backlog = plannedOn(desk, rooms);
      const placed = sum(roomsOf(desk, rooms), (room) => room.placed);
      desk.price.weigh(placed, desk.governor.limit().rate, isBusy(desk));
    }
    return rooms.length > 0;
  };
}
